import { mergeConfigs, type RunnableConfig } from "@langchain/core/runnables";
import type { CheckpointListOptions } from "@langchain/langgraph-checkpoint";
import { catchUp } from "../engine/catch-up.ts";
import { handlerOf, type Task } from "../engine/task.ts";
import { taskNamespace } from "../ids/namespace.ts";
import { configOf, saverConfigOf } from "../run/config-of.ts";
import { contractSession } from "../run/contract-session.ts";
import { openAt } from "../run/open.ts";
import { NO_OUTPUT } from "../run/pending.ts";
import { materialise, viewState } from "../run/read.ts";
import type { Session } from "../run/storage.ts";
import { describeTask, nestedConfig, valuesOf } from "../stream/payloads.ts";
import { addressOf, calledBy, type Place, stateConfig } from "./place.ts";
import type { CompiledSettings } from "./prepare.ts";
import type { StateSnapshot } from "./state-snapshot.ts";

export interface GetStateOptions {
  /** Also the states of graphs that pending tasks call. Default: false, only their configs. */
  subgraphs?: boolean;
  /** Also hidden keys, such as the complete history. Default: true. */
  archive?: boolean;
}

/** The state that a config names: the newest one, or that of `checkpoint_id`. */
export async function readState(
  place: Place,
  config: RunnableConfig,
  given: GetStateOptions | null | undefined,
  settingsOf: (graph: unknown) => CompiledSettings | undefined,
): Promise<StateSnapshot> {
  const options = given ?? {};
  const { program } = place.settings;
  const address = addressOf(place, config);
  const session = await openAt(place.saver, program, address, {});
  if (session.stored === undefined) {
    return { values: {}, next: [], config: mergeConfigs(place.settings.config, config), tasks: [] };
  }
  const nested = options.subgraphs ? { config, options, settingsOf } : undefined;
  const keys = options.archive === false ? program.visibleKeys : program.stateKeys;
  return describeState(place, session, address.checkpointId === undefined, keys, nested);
}

/** All states of a thread, newest first. */
export async function* readHistory(
  place: Place,
  config: RunnableConfig,
  options: CheckpointListOptions | null | undefined,
): AsyncGenerator<StateSnapshot> {
  const { program } = place.settings;
  const address = addressOf(place, config);
  for await (const tuple of place.saver.list(saverConfigOf(address), options ?? undefined)) {
    const session = await contractSession(
      place.saver,
      program,
      { ...address, checkpointId: tuple.checkpoint.id },
      tuple,
      undefined,
    );
    yield await describeState(place, session, false, program.visibleKeys, undefined);
  }
}

interface Nested {
  readonly config: RunnableConfig;
  readonly options: GetStateOptions;
  readonly settingsOf: (graph: unknown) => CompiledSettings | undefined;
}

async function describeState(
  place: Place,
  session: Session,
  withPending: boolean,
  keys: readonly string[],
  nested: Nested | undefined,
): Promise<StateSnapshot> {
  const { program } = place.settings;
  const stored = session.stored as NonNullable<Session["stored"]>;
  const { threadId, namespace } = session.address;
  const view = viewState(program, session, withPending);
  if (namespace === "" && keys !== program.visibleKeys) await catchUp(view.snapshot);
  await materialise(view.snapshot, keys);
  const pending = view.pending as readonly (readonly [string, string, unknown])[];
  const tasks = await Promise.all(
    view.tasks.map(async (task) => {
      const called = calledBy(task.node, nested?.settingsOf);
      const state =
        // a memory of its own has gone on since an old state
        nested === undefined || called === undefined || (called.checkpointer === true && !withPending)
          ? nestedConfig(task, threadId, namespace)
          : await readState(
              { settings: called, saver: place.saver },
              at(nested.config, taskNamespace(namespace, task.node.name, task.id)),
              nested.options,
              nested.settingsOf,
            );
      return describeTask(task, pending, program, state);
    }),
  );
  // the error handler of a task that failed has finished in its place
  const isHandled = (task: Task): boolean => {
    const handler = handlerOf({ task, error: undefined }, program.nodes);
    if (!withPending || handler === undefined) return false;
    return pending.some(([id, channel]) => id === handler.id && !NO_OUTPUT.has(channel));
  };
  const name = (id: string): RunnableConfig =>
    stateConfig({ threadId, namespace, checkpointId: id }, stored.metadata.parents);
  return {
    values: valuesOf(view.snapshot, keys, program.bareKey) as StateSnapshot["values"],
    next: view.tasks
      .filter((task) => task.writes.length === 0 && !isHandled(task))
      .map((task) => task.node.name),
    config: name(stored.id),
    metadata: { ...stored.metadata, thread_id: threadId } as StateSnapshot["metadata"],
    createdAt: stored.ts,
    parentConfig:
      stored.parentId === undefined
        ? undefined
        : configOf({ threadId, namespace, checkpointId: stored.parentId }),
    tasks,
  };
}

function at(config: RunnableConfig, namespace: string): RunnableConfig {
  return { configurable: { thread_id: config.configurable?.["thread_id"], checkpoint_ns: namespace } };
}
