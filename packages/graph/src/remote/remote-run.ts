import type { RunnableConfig } from "@langchain/core/runnables";
import type { Client, StreamMode as ServerMode } from "@langchain/langgraph-sdk";
import { IterableReadableStream } from "@langchain/core/utils/stream";
import type { StreamOptions } from "../compiled/options.ts";
import { shaped } from "../compiled/stream.ts";
import type { Interrupt } from "../errors/signals.ts";
import { segments } from "../ids/namespace.ts";
import { isCommand } from "../program/command.ts";
import type { LangGraphRunnableConfig } from "../task/config.ts";
import { Caller } from "./caller.ts";
import { chunkOf, Questions, type RemoteChunk, type RemoteEvent, requested, wantedBy } from "./chunks.ts";
import { remoteFailure } from "./failures.ts";
import { heeding } from "./heed.ts";
import { inputToJson } from "./json.ts";
import { remoteConfig, threadOf } from "./request.ts";

/** What a run on a server needs to know of its graph. */
export interface RemoteSettings {
  readonly client: Client;
  readonly graphId: string;
  readonly interruptBefore: readonly string[] | "*" | undefined;
  readonly interruptAfter: readonly string[] | "*" | undefined;
  readonly streamResumable: boolean | undefined;
}

export type RemoteCallConfig = LangGraphRunnableConfig &
  Pick<StreamOptions, "streamMode" | "subgraphs" | "interruptBefore" | "interruptAfter">;

/** One run on a server: what it is asked, and what it answers. */
export class RemoteRun {
  readonly #settings: RemoteSettings;
  readonly #config: RemoteCallConfig;
  readonly #caller: Caller | undefined;
  readonly #thread: string | undefined;
  readonly #stop = new AbortController();
  /** Known when the server has answered. */
  #created: { readonly run_id: string; readonly thread_id?: string } | undefined;
  #isOver = false;

  /** @param config - with all defaults in it */
  constructor(settings: RemoteSettings, config: RemoteCallConfig) {
    this.#settings = settings;
    this.#config = config;
    this.#caller = Caller.of(config);
    this.#thread = threadOf(config as RunnableConfig);
  }

  /** The run's chunks. Resolves when the first has come, so that a refusal is no matter of reading. */
  async stream(input: unknown): Promise<IterableReadableStream<unknown>> {
    const chunks = this.#chunks(input);
    let first: IteratorResult<unknown> | undefined = await heeding(this.#config.signal, chunks.next());
    return new IterableReadableStream<unknown>(
      {
        pull: async (controller) => {
          const { done, value } = first ?? (await heeding(this.#config.signal, chunks.next()));
          first = undefined;
          if (this.#stop.signal.aborted && done !== true) return;
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: async (reason) => {
          this.#leave(reason);
          await chunks.return(undefined);
        },
      },
      { highWaterMark: 0 },
    );
  }

  async *#chunks(input: unknown): AsyncGenerator<unknown, void> {
    const { signal } = this.#config;
    signal?.throwIfAborted();
    const abort = (): void => this.#leave(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      for await (const chunk of this.#shown(input)) {
        yield chunk;
        signal?.throwIfAborted();
      }
      signal?.throwIfAborted();
      this.#isOver = true;
    } catch (error) {
      signal?.throwIfAborted();
      this.#isOver = true;
      throw remoteFailure({ what: `The run of graph "${this.#settings.graphId}"` }, error);
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#leave(undefined);
    }
  }

  /** The chunks that the caller wants; then its signal, if the run waits. */
  async *#shown(input: unknown): AsyncGenerator<unknown> {
    const { streamMode, subgraphs, configurable } = this.#config;
    const wanted = wantedBy(streamMode, subgraphs === true);
    const here = segments(String(configurable?.["checkpoint_ns"] ?? ""));
    const shape = { modes: wanted.modes, single: !wanted.several, subgraphs: wanted.subgraphs };
    const questions = new Questions();
    for await (const event of await this.#events(input, wanted.modes)) {
      const chunk = chunkOf(event);
      // a run that waits ends by itself; until then its thread is busy, and others may ask, too
      if (questions.asked) questions.take(chunk);
      if (questions.asked) continue;
      this.#tell(chunk);
      if (questions.take(chunk)) continue;
      const { mode, namespace, data } = chunk;
      if (!wanted.modes.includes(mode as never)) continue;
      if (namespace.length > 0 && !wanted.subgraphs) continue;
      yield shaped([[...here, ...namespace], mode as never, data], shape);
    }
    if (!questions.asked) return;
    const waits = questions.signal();
    this.#caller?.waitsFor(waits);
    throw waits;
  }

  /** Shows a chunk to those who follow the caller's run. */
  #tell({ mode, namespace, data }: RemoteChunk): void {
    for (const sink of this.#caller?.sinks ?? []) {
      if (sink.modes.has(mode as never)) {
        sink.push([[...(this.#caller?.namespace ?? []), ...namespace], mode as never, data]);
      }
    }
  }

  async #events(input: unknown, modes: readonly string[]): Promise<AsyncIterable<RemoteEvent>> {
    const { client, graphId, interruptBefore, interruptAfter, streamResumable } = this.#settings;
    const config = this.#config;
    const given = await this.#given(input);
    const sinks = this.#caller?.sinks ?? [];
    const told = remoteConfig(config as RunnableConfig);
    const payload = {
      ...(isCommand(given)
        ? { command: inputToJson(given.toJSON()) as object }
        : { input: inputToJson(given) as Record<string, unknown> }),
      config: told,
      context: inputToJson(config.context, "context"),
      checkpointId: this.#checkpoint(),
      streamMode: requested([...modes, ...sinks.flatMap((sink) => [...sink.modes])] as never) as ServerMode[],
      streamSubgraphs: config.subgraphs ?? sinks.length > 0,
      streamResumable,
      interruptBefore: config.interruptBefore ?? interruptBefore,
      interruptAfter: config.interruptAfter ?? interruptAfter,
      ifNotExists: "create",
      signal: this.#stop.signal,
      onRunCreated: (run: { run_id: string; thread_id?: string }) => {
        this.#created = run;
      },
    } as never;
    return (
      this.#thread === undefined
        ? client.runs.stream(null, graphId, payload)
        : client.runs.stream(this.#thread, graphId, payload)
    ) as AsyncIterable<RemoteEvent>;
  }

  /** Where a caller's run was resumed: the answer to what this graph asked then, or that it is to ask again. */
  async #given(input: unknown): Promise<unknown> {
    const thread = this.#thread;
    if (thread === undefined || this.#caller?.goesOn !== true) return input;
    const { tasks } = await this.#settings.client.threads.getState(thread, undefined, {
      signal: this.#stop.signal,
    });
    const waiting = tasks.flatMap(({ interrupts }) => interrupts as Interrupt[]);
    return waiting.length === 0 ? input : (this.#caller.answerTo(waiting) ?? null);
  }

  /** An old state to start from. A caller's checkpoints are its own. */
  #checkpoint(): string | undefined {
    const { checkpoint_id: id, checkpoint_ns: namespace } = this.#config.configurable ?? {};
    return this.#caller === undefined && !namespace ? (id as string | undefined) : undefined;
  }

  /** Ends what is not over: nobody will read the rest. */
  #leave(reason: unknown): void {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort(reason);
    const { client, streamResumable } = this.#settings;
    const thread = this.#created?.thread_id ?? this.#thread;
    const run = this.#created?.run_id;
    const goesOn = streamResumable === true && this.#config.signal?.aborted !== true;
    if (this.#isOver || goesOn || run === undefined || thread === undefined) return;
    client.runs.cancel(thread, run).catch(() => undefined);
  }
}
