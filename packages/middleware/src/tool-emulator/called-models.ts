import type { AgentLanguageModelLike, Runtime } from "@skein/agent";

/** How many threads are remembered, of which some may be forgotten by everybody else. */
const THREADS = 1_000;

/**
 * The models that agents were called with last. One middleware may be part of several agents, and runs of
 * one go on in later runs; no hook is told of which agent it is.
 */
export class CalledModels {
  readonly #ofRuns = new WeakMap<AbortSignal, AgentLanguageModelLike>();
  readonly #ofThreads = new Map<string, AgentLanguageModelLike>();
  #last: AgentLanguageModelLike | undefined;

  note(runtime: Runtime, model: AgentLanguageModelLike): void {
    if (runtime.signal !== undefined) this.#ofRuns.set(runtime.signal, model);
    const thread = threadOf(runtime);
    if (thread === undefined) {
      this.#last = model;
      return;
    }
    this.#ofThreads.delete(thread);
    this.#ofThreads.set(thread, model);
    const [oldest] = this.#ofThreads.keys();
    if (this.#ofThreads.size > THREADS && oldest !== undefined) this.#ofThreads.delete(oldest);
  }

  /** Undefined when the model was not called in this process. */
  of(runtime: Runtime): AgentLanguageModelLike | undefined {
    const ofRun = runtime.signal && this.#ofRuns.get(runtime.signal);
    if (ofRun !== undefined) return ofRun;
    const thread = threadOf(runtime);
    // nothing else tells runs of LangChain's agent apart, which have a signal for each of their steps
    return thread === undefined ? this.#last : this.#ofThreads.get(thread);
  }
}

/** An agent's place in a thread: its nodes have namespaces of their own in it. */
function threadOf({ configurable }: Runtime): string | undefined {
  const { thread_id: thread, checkpoint_ns: namespace } = configurable ?? {};
  if (thread === undefined) return undefined;
  const around = typeof namespace === "string" ? namespace.split("|").slice(0, -1) : [];
  return JSON.stringify([thread, ...around]);
}
