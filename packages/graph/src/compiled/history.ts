import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver, CheckpointListOptions } from "@langchain/langgraph-checkpoint";
import type { Page } from "@skein/checkpointer";
import { GraphError, shown } from "@skein/errors";
import { catchUp } from "../engine/catch-up.ts";
import { GraphValueError } from "../errors/errors.ts";
import { nodeNames, taskNamespace } from "../ids/namespace.ts";
import { mergeConfigs } from "@langchain/core/runnables";
import type { Program } from "../program/program.ts";
import { changeSetsOf } from "../run/change-set-session.ts";
import { configOf } from "../run/config-of.ts";
import { contractSession } from "../run/contract-session.ts";
import { openAt } from "../run/open.ts";
import { materialise, viewState } from "../run/read.ts";
import type { Address, OnConflict, Session } from "../run/storage.ts";
import { type StateUpdate, type Updated, updateThread } from "../run/update.ts";
import { describeTask, nestedConfig, valuesOf } from "../stream/payloads.ts";
import { inheritedBy } from "../run/run.ts";
import { taskOf } from "../task/config.ts";
import { checkConflict, checkSteps } from "./check-call.ts";
import type { CompiledSettings } from "./prepare.ts";
import type { StateSnapshot } from "./state-snapshot.ts";
import { threadIdOf } from "./thread-id.ts";

export interface GetStateOptions {
  /** Also the states of graphs that pending tasks call. Default: false, only their configs. */
  subgraphs?: boolean;
  /** Also hidden keys, such as the complete history. Default: true. */
  archive?: boolean;
}

export interface HistoryPageOptions {
  /** Where the page ends; from the page after it. Default: at the newest element. */
  readonly before?: number | undefined;
  /** Most elements. Default: 100. */
  readonly limit?: number;
  /** The key to read. Default: the state's only hidden key. */
  readonly key?: string;
}

/** A graph within a graph, found by the names of the nodes on the way. */
export interface Place {
  readonly settings: CompiledSettings;
  readonly saver: BaseCheckpointSaver;
}

/**
 * The graph and the saver that a config's namespace belongs to.
 *
 * @param settingsOf - settings of a value in a node's `subgraphs`, if it is a graph of ours
 */
export function placeAt(
  settings: CompiledSettings,
  config: RunnableConfig,
  settingsOf: (graph: unknown) => CompiledSettings | undefined,
): Place {
  const caller = inheritedBy(taskOf(config))?.options.saver;
  const saver = typeof settings.checkpointer === "object" ? settings.checkpointer : caller;
  if (saver === undefined) {
    throw new GraphValueError("No checkpointer set. Pass {checkpointer} to compile().", {
      lc_error_code: "MISSING_CHECKPOINTER",
      code: "MISSING_CHECKPOINTER",
    });
  }
  let place = settings;
  for (const name of nodeNames(namespaceOf(config))) {
    const found = place.program.nodes
      .get(name)
      ?.subgraphs.map(settingsOf)
      .find((s) => s !== undefined);
    if (found === undefined) {
      throw new GraphError("UNKNOWN_NODE", `There is no subgraph at "${namespaceOf(config)}".`, {
        details: { namespace: namespaceOf(config) },
      });
    }
    place = found;
  }
  return { settings: place, saver };
}

export function addressOf(config: RunnableConfig): Address {
  const configurable = configurableOf(config);
  const threadId = threadIdOf(configurable);
  if (threadId === undefined) {
    throw new GraphError("MISSING_THREAD_ID", "Pass {configurable: {thread_id: ...}} to name the thread.");
  }
  const checkpointId = configurable["checkpoint_id"] as string | undefined;
  return { threadId, namespace: namespaceOf(config), checkpointId };
}

function namespaceOf(config: RunnableConfig): string {
  const namespace: unknown = configurableOf(config)["checkpoint_ns"] ?? "";
  if (typeof namespace === "string") return namespace;
  throw new GraphError("INVALID_CONFIGURATION", `A "checkpoint_ns" is a text, not ${shown(namespace)}.`);
}

/** Programs without types also pass null, or no config. */
function configurableOf(config: RunnableConfig | null | undefined): Record<string, unknown> {
  return config?.configurable ?? {};
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
  const address = addressOf(config);
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
  const address = addressOf(config);
  for await (const tuple of place.saver.list(configOf(address), options ?? undefined)) {
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
      const called = task.node.subgraphs
        .map((graph) => nested?.settingsOf(graph))
        .find((s) => s !== undefined);
      const state =
        nested === undefined || called === undefined
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
  const name = (id: string): RunnableConfig =>
    stateConfig({ threadId, namespace, checkpointId: id }, stored.metadata.parents);
  return {
    values: valuesOf(view.snapshot, keys, program.bareKey) as StateSnapshot["values"],
    next: view.tasks.filter((task) => task.writes.length === 0).map((task) => task.node.name),
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

/** A config that names a state; of a subgraph's, with the states of the graphs around it. */
function stateConfig(
  address: Address,
  parents: Readonly<Record<string, string>> | undefined,
): RunnableConfig {
  const config = configOf(address);
  if (parents === undefined || Object.keys(parents).length === 0) return config;
  const map = { ...parents, [address.namespace]: address.checkpointId };
  return { configurable: { ...config.configurable, checkpoint_map: map } };
}

/** Makes updates, each step of them a checkpoint, and names the last one. */
export async function writeState(
  place: Place,
  config: RunnableConfig,
  steps: readonly { readonly updates: readonly StateUpdate[] }[],
): Promise<RunnableConfig> {
  checkSteps(steps);
  let address = addressOf(config);
  let updated: Updated | undefined;
  const onConflict = (configurableOf(config)["onConflict"] as OnConflict | undefined) ?? "fail";
  checkConflict(onConflict);
  for (const { updates } of steps) {
    const request = { program: place.settings.program, saver: place.saver, address, config, onConflict };
    updated = await updateThread(request, updates);
    address = { ...address, checkpointId: updated.id };
  }
  return stateConfig(address, updated?.parents);
}

/** One page of a thread's archive, in order; `before` of a page names the page before it. */
export async function readPage(
  place: Place,
  config: RunnableConfig,
  given: HistoryPageOptions | null | undefined,
): Promise<Page> {
  const options = given ?? {};
  const { program } = place.settings;
  const key = options.key ?? archiveOf(program);
  const address = addressOf(config);
  const { limit = 100, before } = options;
  requireCount("limit", limit);
  if (before !== undefined) requireCount("before", before);
  const sets = changeSetsOf(place.saver);
  if (sets !== undefined) {
    const { threadId, namespace, checkpointId } = address;
    const where = { threadId, namespace, ...(checkpointId === undefined ? {} : { checkpointId }) };
    return sets.page(where, key, before === undefined ? { limit } : { limit, before });
  }
  const session = await openAt(place.saver, program, address, {});
  const { snapshot } = viewState(program, session, false);
  await materialise(snapshot, [key]);
  const all = (snapshot.read([key])[key] ?? []) as unknown[];
  const end = Math.min(before ?? all.length, all.length);
  const start = Math.max(0, end - limit);
  return { elements: all.slice(start, end), before: start > 0 ? start : undefined };
}

/** @throws GraphError INVALID_CONFIGURATION unless it is a whole number, 0 or more, or Infinity */
function requireCount(option: string, value: unknown): void {
  if (value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && (value as number) >= 0)) return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `${option} of a history must be a whole number, 0 or more, or Infinity; ${shown(value)} was given.`,
    { details: { option } },
  );
}

/** All that an archive ever held under some ids, oldest first. */
export async function readRevisions(
  place: Place,
  config: RunnableConfig,
  ids: readonly string[],
  key?: string,
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  if (!Array.isArray(ids)) {
    throw new GraphError("INVALID_CONFIGURATION", "revisions() takes a list of ids.");
  }
  const { program } = place.settings;
  const session = await openAt(place.saver, program, addressOf(config), {});
  const { snapshot } = viewState(program, session, false);
  return (await snapshot.slot(key ?? archiveOf(program))?.channel.revisions(ids)) ?? new Map();
}

const archiveOf = ({ stateKeys, channels }: Program): string =>
  onlyArchive(stateKeys.filter((name) => channels.get(name)?.lazy === true));

function onlyArchive(keys: readonly string[]): string {
  if (keys.length === 1) return keys[0] as string;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    keys.length === 0
      ? "The state keeps no history: it has no archive key, such as dualTrackMessages() brings."
      : `The state has several archives. Name one with {key}: ${keys.join(", ")}.`,
  );
}
