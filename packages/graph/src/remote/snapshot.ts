import type { RunnableConfig } from "@langchain/core/runnables";
import type { Checkpoint, ThreadState, ThreadTask } from "@langchain/langgraph-sdk";
import type { StateSnapshot } from "../compiled/state-snapshot.ts";

const PLACE = ["thread_id", "checkpoint_ns", "checkpoint_id", "checkpoint_map"] as const;

/** The checkpoint that a config names; undefined when it names not even a thread. */
export function checkpointOf(config: RunnableConfig | undefined): Checkpoint | undefined {
  const configurable: Record<string, unknown> = config?.configurable ?? {};
  const named = PLACE.filter((key) => configurable[key] !== undefined);
  if (named.length === 0) return undefined;
  return Object.fromEntries(named.map((key) => [key, configurable[key]])) as unknown as Checkpoint;
}

/** A config that names a checkpoint. Servers leave out the map where there is none. */
export function configOf(checkpoint: Partial<Checkpoint> | null | undefined): RunnableConfig {
  const configurable: Record<string, unknown> = { ...checkpointOf({ configurable: checkpoint ?? {} }) };
  const { checkpoint_ns: namespace, checkpoint_id: id, checkpoint_map: map } = configurable;
  if (namespace !== undefined || id !== undefined || map !== undefined) {
    configurable["checkpoint_map"] = map ?? {};
  }
  return { configurable };
}

/** A state as the server gives it, as one of a local graph. @param asked - the config of the question */
export function snapshotOf(state: ThreadState, asked: RunnableConfig | undefined): StateSnapshot<unknown> {
  return {
    values: state.values,
    next: [...(state.next ?? [])],
    config: configOf(state.checkpoint ?? checkpointOf(asked)),
    metadata: (state.metadata ?? undefined) as StateSnapshot["metadata"],
    createdAt: state.created_at ?? undefined,
    parentConfig: state.parent_checkpoint ? configOf(state.parent_checkpoint) : undefined,
    tasks: (state.tasks ?? []).map((task) => taskOf(task, asked)) as never,
  };
}

function taskOf(task: ThreadTask, asked: RunnableConfig | undefined): object {
  const { checkpoint, state, error } = task;
  return {
    id: task.id,
    name: task.name,
    error: error ? { message: error } : undefined,
    // `interrupt_id` is what LangGraph's own class calls it here
    interrupts: task.interrupts.map((interrupt) => ({ ...interrupt, interrupt_id: interrupt.id })),
    state: stateOf(state, checkpoint, asked),
    result: task.result,
  };
}

function stateOf(
  state: ThreadTask["state"],
  checkpoint: ThreadTask["checkpoint"],
  asked: RunnableConfig | undefined,
): unknown {
  if (state) return snapshotOf(state, checkpoint ? configOf(checkpoint) : asked);
  return checkpoint ? { configurable: checkpoint } : undefined;
}
