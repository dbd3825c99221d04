import type { Runnable, RunnableConfig } from "@langchain/core/runnables";
import type { StreamEvent } from "@langchain/core/tracers/log_stream";
import type { IterableReadableStream } from "@langchain/core/utils/stream";
import { GraphError, shown } from "@skein/errors";
import { type GraphRunStream, isCommand, readerMayLeave, withAdmission } from "@skein/graph";
import { RunProgress, withProgress } from "../model/run-progress.ts";
import { BareAnswer } from "./bare-answer.ts";
import { begun, refusal } from "./beginnings.ts";
import { isHeld, ON_BUSY, QUEUE_MS, seize, SEIZED_MS, type OnBusy } from "./busy.ts";
import { healQuietly, type OnStop } from "./heal.ts";
import { requireConcurrency } from "./concurrency.ts";
import { requireInput } from "./input.ts";
import type { AgentGraph } from "./agent-graph.ts";
import { eitherSignal, threadOf } from "./bound.ts";
import { ThreadQueue } from "./turns.ts";
import { type OwnConfig, within } from "./within.ts";

/** What a call of an agent takes beside what its graph takes. */
export interface BusyOptions {
  /** What to do when another run holds the thread. Default: the agent's `onBusy`, else "error". */
  readonly onBusy?: OnBusy;
}

/** What an agent does unless a call says otherwise. */
export interface CallPolicies {
  readonly onBusy: OnBusy;
  readonly onStop: OnStop;
  readonly openTurnTimeoutMs: number | undefined;
  readonly now: () => number;
  /** What its nodes know the agent by. */
  readonly agent: object;
  /** Of the agent, in place of what the run around a call has. */
  readonly own: OwnConfig;
  /** Asked before a run begins on a stored thread. */
  readonly admit: ((threadId: string) => Promise<void>) | undefined;
}

/** Which of LangChain's events are told. */
export type EventFilter = Parameters<Runnable["streamEvents"]>[2];

/** Begins a run, with the options of an attempt. */
type Opening<T> = (input: unknown, options: Options) => AsyncIterable<T> | Promise<AsyncIterable<T>>;

/** A call whose turn it is. */
interface Turn {
  readonly leave?: (() => void) | undefined;
  /** Its input, as it is to be understood. */
  readonly given: unknown;
}

type Options = RunnableConfig & BusyOptions & { readonly onConflict?: unknown };

/** How often a thread is taken that others take too. */
const ATTEMPTS = 10;

/**
 * Calls of an agent's graph on threads that are stored: takes the thread from whoever runs it, as the
 * policy says, and leaves no call open when the run is stopped. Owns the order of queued calls.
 */
export class AgentCalls {
  readonly #graph: AgentGraph;
  readonly #policies: CallPolicies;
  readonly #queue: ThreadQueue;

  constructor(graph: AgentGraph, policies: CallPolicies, queue: ThreadQueue) {
    this.#graph = graph;
    this.#policies = policies;
    this.#queue = queue;
  }

  async invoke(input: unknown, asked: Options = {}): Promise<unknown> {
    requireInput(input, this.#graph);
    const options = within(this.#policies.own, asked);
    const call = this.#call(options);
    if (call === undefined) return await this.#graph.invoke(input as never, withoutPolicy(options) as never);
    const entering = this.#enter(input, call);
    const { leave, given } = entering === undefined ? { leave: undefined, given: input } : await entering;
    try {
      const ready = this.#ready(given, call);
      if (ready !== undefined) await ready;
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await this.#graph.invoke(given as never, call.options as never);
        } catch (error) {
          await this.#failed(call, error, attempt);
        }
      }
    } finally {
      leave?.();
    }
  }

  async stream(input: unknown, asked: Options = {}): Promise<IterableReadableStream<unknown>> {
    const options = within(this.#policies.own, asked);
    const call = this.#call(options);
    const open = (given: unknown, own: Options) => this.#open(given, own);
    return call === undefined ? open(input, withoutPolicy(options)) : this.#leavable(input, call, open);
  }

  /** What LangChain's callbacks tell of a run and of all that it calls; with `encoding`, events of any version. */
  events(input: unknown, asked: Options, filter: EventFilter): IterableReadableStream<StreamEvent> {
    const options = within(this.#policies.own, asked);
    const call = this.#call(options);
    const open = (given: unknown, own: Options) =>
      this.#graph.streamEvents(given as never, own as never, filter);
    if (call === undefined) return open(input, withoutPolicy(options));
    return this.#leavable(input, call, (given, own) => begun(open(given, own)));
  }

  /** Resolves when the run holds its thread; what the policies do at its end, they do by themselves. */
  async streamEvents(input: unknown, asked: Options): Promise<GraphRunStream> {
    const options = within(this.#policies.own, asked);
    const call = this.#call(options);
    if (call === undefined) return this.#follow(input, withoutPolicy(options));
    const { leave, given } = (await this.#enter(input, call)) ?? { given: input };
    try {
      await this.#ready(given, call);
      for (let attempt = 1; ; attempt += 1) {
        const run = await this.#follow(given, call.options);
        const refused = await refusal(run, call);
        if (refused === undefined) {
          void this.#watched(run, call).then(leave);
          return run;
        }
        await this.#failed(call, refused, attempt);
      }
    } catch (error) {
      leave?.();
      throw error;
    }
  }
  #follow(input: unknown, options: Options): Promise<GraphRunStream> {
    const run: unknown = this.#graph.streamEvents(input as never, options as never);
    return run as Promise<GraphRunStream>;
  }
  async #watched(run: GraphRunStream, call: Call): Promise<void> {
    try {
      await run.output;
    } catch {
      // its readers learn why; the turn is put right for those who call next
      if (run.signal.aborted) await this.#stopped(call);
    }
  }

  /** A reader that goes away stops the run, and is let go when it has ended. */
  #leavable<T>(input: unknown, call: Call, open: Opening<T>): IterableReadableStream<T> {
    return readerMayLeave(call.signal, (signal) =>
      this.#chunks(input, { ...call, signal, options: { ...call.options, signal } }, open),
    );
  }
  async *#chunks<T>(input: unknown, call: Call, open: Opening<T>): AsyncGenerator<T> {
    const { leave, given } = (await this.#enter(input, call)) ?? { given: input };
    try {
      await this.#ready(given, call);
      for (let attempt = 1; ; attempt += 1) {
        try {
          for await (const chunk of await open(given, call.options)) yield chunk;
          // events as text end like any other when their run was stopped
          if (call.signal?.aborted === true) await this.#stopped(call);
          return;
        } catch (error) {
          await this.#failed(call, error, attempt);
        }
      }
    } finally {
      leave?.();
    }
  }
  #open(input: unknown, options: Options): Promise<IterableReadableStream<unknown>> {
    return this.#graph.stream(input as never, options as never) as Promise<IterableReadableStream<unknown>>;
  }

  /** Undefined for a call whose thread is not stored: nobody else can run it, nothing of it is left. */
  #call(options: Options): Call | undefined {
    const { checkpointer, settings } = this.#graph;
    const bound = settings.config;
    const threadId = threadOf(options, bound);
    const isStored = typeof checkpointer === "object" && threadId !== undefined && threadId !== null;
    const { onBusy = this.#policies.onBusy, ...rest } = options;
    requirePolicy(onBusy);
    requireConcurrency(options.maxConcurrency);
    if (!isStored) {
      if (onBusy === "error" || options.onBusy === undefined) return undefined;
      throw new GraphError(
        "INVALID_CONFIGURATION",
        `onBusy: "${onBusy}" needs a checkpointer and a thread_id: only a stored thread can be busy.`,
      );
    }
    const progress = new RunProgress(this.#policies.agent, checkpointer);
    const conflict = onBusy === "queue" ? { onConflict: { waitMs: QUEUE_MS } } : {};
    const call: Call = {
      onBusy,
      threadId: String(threadId),
      progress,
      signal: eitherSignal(bound?.signal, options.signal),
      thread: { configurable: { thread_id: threadId } },
      options: withProgress({ ...conflict, ...rest }, progress),
    };
    return this.#policies.admit === undefined ? call : this.#admitted(call, this.#policies.admit);
  }
  /**
   * Whether a run may begin is asked once it holds its thread, so that who closes the thread meanwhile waits
   * for it. A call that may stop another run, or close an open turn, is asked before it does.
   */
  #admitted(call: Call, admit: NonNullable<CallPolicies["admit"]>): Call {
    const { onBusy, threadId } = call;
    if (this.#asksFirst(onBusy)) return call;
    const ask = async (): Promise<void> => {
      try {
        await admit(threadId);
      } catch (error) {
        call.refusal = error;
        throw error;
      }
    };
    call.options = withAdmission(call.options, { threadId, ask });
    return call;
  }
  #asksFirst(onBusy: OnBusy): boolean {
    return mayTake(onBusy) || this.#policies.openTurnTimeoutMs !== undefined;
  }
  #enter(input: unknown, call: Call): Promise<Turn> | undefined {
    return call.onBusy === "queue" ? this.#queued(input, call) : undefined;
  }
  async #queued(input: unknown, { threadId, signal, options }: Call): Promise<Turn> {
    // nobody before it can answer, and it may name an older checkpoint
    const isFirst = !this.#queue.isBusy(threadId) || options.configurable?.["checkpoint_id"] !== undefined;
    const answer = isFirst ? undefined : BareAnswer.of(this.#graph, threadId, input);
    const leave = await this.#queue.enter(threadId, signal);
    try {
      return { leave, given: answer === undefined ? input : await answer.addressed() };
    } catch (error) {
      leave();
      throw error;
    }
  }
  /** What comes before a run and before anything of it is stored. */
  #ready(input: unknown, call: Call): Promise<void> | undefined {
    const admitted = this.#asksFirst(call.onBusy) ? this.#policies.admit?.(call.threadId) : undefined;
    return admitted === undefined
      ? this.#closeOpenTurn(input, call)
      : admitted.then(() => this.#closeOpenTurn(input, call));
  }
  /** A turn that was left open for too long is over when the next message comes (E10). */
  #closeOpenTurn(input: unknown, { thread }: Call): Promise<void> | undefined {
    const { openTurnTimeoutMs } = this.#policies;
    if (openTurnTimeoutMs === undefined || input === null || isCommand(input)) return undefined;
    return this.#closeAfter(openTurnTimeoutMs, thread);
  }
  async #closeAfter(openTurnTimeoutMs: number, thread: RunnableConfig): Promise<void> {
    const { next, createdAt } = await this.#graph.getState(thread, { archive: false });
    if (next.length === 0 || createdAt === undefined) return;
    // a run that is on is not open for too long: it holds the thread, and is not healed
    if (this.#policies.now() - Date.parse(createdAt) >= openTurnTimeoutMs)
      await healQuietly(this.#graph, thread);
  }
  /** Makes the thread free for another attempt, or puts it right and throws. */
  async #failed(call: Call, error: unknown, attempt: number): Promise<void> {
    const { onBusy, options, signal, thread } = call;
    const isStopped = signal?.aborted === true;
    if (mayTake(onBusy) && attempt < ATTEMPTS && !isStopped && isHeld(error)) {
      await seize(this.#graph, thread, onBusy);
      call.options = { ...options, onConflict: { waitMs: SEIZED_MS } };
      return;
    }
    if (isStopped) await this.#stopped(call);
    throw error;
  }
  async #stopped({ thread, progress }: Call): Promise<void> {
    if (this.#policies.onStop === "heal") await healQuietly(this.#graph, thread, progress);
  }
}

/** Whether a policy takes the thread from another run. */
function mayTake(onBusy: OnBusy): onBusy is "interrupt" | "rollback" | "cancel-and-heal" {
  return onBusy !== "error" && onBusy !== "queue";
}

/** What is left for the graph, which has no policy. */
function withoutPolicy(options: Options): Options {
  if (options.onBusy === undefined) return options;
  const { onBusy: _policy, ...rest } = options;
  return rest;
}

interface Call {
  readonly onBusy: OnBusy;
  readonly threadId: string;
  readonly progress: RunProgress;
  readonly signal: AbortSignal | undefined;
  /** Names the thread and nothing else. */
  readonly thread: RunnableConfig;
  options: Options;
  /** What whoever was asked threw. */
  refusal?: unknown;
}

/** @throws GraphError INVALID_CONFIGURATION for what is no policy */
export function requirePolicy(onBusy: OnBusy | undefined): void {
  if (onBusy === undefined || ON_BUSY.includes(onBusy)) return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `onBusy must be one of ${ON_BUSY.join(", ")}, not ${shown(onBusy)}.`,
  );
}
