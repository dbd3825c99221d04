/**
 * Names that stand in stored checkpoints and pending writes. They follow LangGraph's checkpoint
 * format v4, so that a thread begun there continues here and the other way round.
 */

/** Start of a graph: the virtual node that hands the input to the state. */
export const START = "__start__";
/** End of a graph. */
export const END = "__end__";
/** Writer name of an input, and the `asNode` that updates a thread as if by input. */
export const INPUT = "__input__";
/** The `asNode` that copies a checkpoint. */
export const COPY = "__copy__";
/** Pending write of a task that failed. */
export const ERROR = "__error__";
/** Key of interrupts in outputs, pending writes and `versions_seen`. */
export const INTERRUPT = "__interrupt__";
/** Pending write of a failed task whose error handler takes over: the name of the failed node. */
export const ERROR_SOURCE = "__error_source_node__";
/** Pending write that answers an interrupt. */
export const RESUME = "__resume__";
/** Pending write of a task that finished without writing anything. */
export const NO_WRITES = "__no_writes__";
/** Pending write that carries the return value of a functional task. */
export const RETURN = "__return__";
/** Channel with the previous return value of an entrypoint. */
export const PREVIOUS = "__previous__";
/** Channel of pending `Send`s. */
export const TASKS = "__pregel_tasks";
/** First element of the path of a task made by a `Send`. */
export const PUSH = "__pregel_push";
/** First element of the path of a task triggered by a channel. */
export const PULL = "__pregel_pull";
/** A state that is one value instead of an object of keys. */
export const ROOT = "__root__";
/** Task id of writes that belong to no task: resume values and updates of a Command input. */
export const NULL_TASK_ID = "00000000-0000-0000-0000-000000000000";
/** Tag of runs that streams and traces leave out. */
export const TAG_HIDDEN = "langsmith:hidden";
/** Tag of chat models whose tokens are not streamed. */
export const TAG_NOSTREAM = "langsmith:nostream";

/** The channel that triggers a node by an edge. */
export const branchChannel = (node: string): string => `branch:to:${node}`;

/** The channel that triggers a node when all of several nodes are done. */
export const joinChannel = (starts: readonly string[], end: string): string =>
  `join:${starts.join("+")}:${end}`;

/** Of LangGraph's scheduler; this engine stores none. */
export const SCHEDULED = "__scheduled__";
/** Pending writes that are signals of the engine and never reach a channel. */
export const SIGNALS: ReadonlySet<string> = new Set([
  NO_WRITES,
  PUSH,
  RESUME,
  INTERRUPT,
  RETURN,
  ERROR,
  ERROR_SOURCE,
  SCHEDULED,
]);
