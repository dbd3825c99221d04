import type { RunnableConfig } from "@langchain/core/runnables";
import { type BaseCheckpointSaver, type CheckpointTuple, MemorySaver } from "@langchain/langgraph-checkpoint";
import { plainCheckpoints } from "./saved.ts";
import { Ids, type Plain, plain, plainError, sortedBy } from "./normalise.ts";

/** What the recorder needs of a compiled graph; both engines' graphs have it. */
export interface Invocable {
  invoke(input: unknown, config?: object): Promise<unknown>;
  stream(input: unknown, config?: object): Promise<AsyncIterable<unknown>>;
}

export interface Stateful extends Invocable {
  getState(config: RunnableConfig, options?: object): Promise<unknown>;
  getStateHistory(config: RunnableConfig, options?: object): AsyncIterable<unknown>;
}

/**
 * Notes what a user of an engine sees while a program runs. A call that fails fails the scenario,
 * unless it is made through {@link Recorder.fails}: so no scenario passes because both engines
 * refused it.
 */
export class Recorder {
  readonly #seen: { readonly what: string; readonly saw: (ids: Ids) => Plain }[] = [];

  /** Everything seen, ids renamed: first those of tasks, in the order in which states list them. */
  recording(): Plain {
    const ids = new Ids();
    for (const { what, saw } of this.#seen) if (what === "state") ids.rename(saw(ids));
    return ids.rename(this.#seen.map(({ what, saw }) => ({ what, saw: saw(ids) })));
  }

  note(what: string, value: unknown): void {
    const saw = plain(value);
    this.#seen.push({ what, saw: () => saw });
  }

  /** Notes chunks of `["updates", "values"]`, those of one step in a fixed order. */
  noteSteps(what: string, chunks: readonly [string, unknown][]): void {
    const saw = chunks.map((chunk) => plain(chunk) as [string, Plain]);
    this.#seen.push({ what, saw: (ids) => inTaskOrder(saw, ids) });
  }

  /** LangGraph's own saver, for either engine. */
  saver(): MemorySaver {
    return new MemorySaver();
  }

  async invoke(graph: Invocable, input: unknown, config?: object): Promise<Record<string, unknown>> {
    const output = await graph.invoke(input, config);
    this.note("invoke", output);
    return output as Record<string, unknown>;
  }

  async stream(graph: Invocable, input: unknown, config: object): Promise<unknown[]> {
    const chunks: unknown[] = [];
    for await (const chunk of await graph.stream(input, config)) chunks.push(chunk);
    this.note("stream", chunks.map(orderedChunk));
    return chunks;
  }

  /** Updates and values of each step, where nothing decides which task of a step finishes first. */
  async steps(graph: Invocable, input: unknown, config: object = {}): Promise<void> {
    const chunks: [string, unknown][] = [];
    const modes = { ...config, streamMode: ["updates", "values"] };
    for await (const chunk of await graph.stream(input, modes)) chunks.push(chunk as [string, unknown]);
    this.noteSteps("steps", chunks);
  }

  /** Chunks up to an error, and the error. */
  async streamFails(graph: Invocable, input: unknown, config: object): Promise<void> {
    const chunks: unknown[] = [];
    await this.fails(async () => {
      for await (const chunk of await graph.stream(input, config)) chunks.push(chunk);
    });
    this.note("stream until it failed", chunks);
  }

  async fails(act: () => unknown): Promise<unknown> {
    let error: unknown;
    try {
      await act();
    } catch (caught) {
      error = caught ?? new Error("thrown: nothing");
    }
    if (error === undefined) throw new Error("the scenario expects a failure here, and nothing failed");
    this.note("error", plainError(error));
    return error;
  }

  async state(graph: Stateful, config: RunnableConfig, options?: object): Promise<Snapshot> {
    const snapshot = await graph.getState(config, options);
    this.note("state", snapshot);
    return snapshot as Snapshot;
  }

  async history(graph: Stateful, config: RunnableConfig, options?: object): Promise<Snapshot[]> {
    const snapshots: unknown[] = [];
    for await (const snapshot of graph.getStateHistory(config, options)) snapshots.push(snapshot);
    this.note("history", snapshots);
    return snapshots as Snapshot[];
  }

  /** Checkpoints and pending writes of all namespaces, as they stand in the saver. */
  async saved(saver: BaseCheckpointSaver, threadId: string): Promise<void> {
    const tuples: CheckpointTuple[] = [];
    for await (const tuple of saver.list({ configurable: { thread_id: threadId } })) tuples.push(tuple);
    this.#seen.push({ what: "saved", saw: (ids) => plainCheckpoints(tuples, ids) });
  }
}

/** The parts of a StateSnapshot that programs read. */
export interface Snapshot {
  readonly values: Record<string, unknown>;
  readonly next: readonly string[];
  readonly config: RunnableConfig;
  readonly parentConfig?: RunnableConfig;
  readonly tasks: readonly {
    readonly id: string;
    readonly name: string;
    readonly interrupts: readonly { id?: string; value?: unknown }[];
    readonly state?: unknown;
    readonly result?: unknown;
  }[];
}

/** Keys of an updates chunk have no order that a user may rely on; `plain` sorts all keys. */
function orderedChunk(chunk: unknown): unknown {
  return chunk instanceof Uint8Array ? new TextDecoder().decode(chunk) : chunk;
}

/**
 * Tasks of one step that return at once finish in no particular order: updates between two values
 * chunks are put in a fixed one.
 */
function inTaskOrder(chunks: readonly [string, Plain][], ids: Ids): Plain[] {
  const ordered: Plain[] = [];
  let step: Plain[] = [];
  const flush = (): void => {
    ordered.push(...sortedBy(step, (chunk) => ids.masked(chunk)));
    step = [];
  };
  for (const chunk of chunks) {
    // a question is shown in both modes when its task stops
    const isTasks = chunk[0] === "updates" || (chunk[0] === "values" && isInterrupt(chunk[1]));
    if (!isTasks) flush();
    (isTasks ? step : ordered).push(chunk);
  }
  flush();
  return ordered;
}

/** A values chunk of a question, which comes when its task stops. */
export const isInterrupt = (chunk: unknown): boolean =>
  typeof chunk === "object" && chunk !== null && Object.keys(chunk).join() === "__interrupt__";
