import { LONGEST_TIMER } from "@skein/errors";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { mergeConfigs } from "@langchain/core/runnables";
import { NodeTimeoutError } from "../errors/errors.ts";
import type { TimeoutPolicy } from "../program/timeout-policy.ts";
import { abortAndTell, abortSource } from "./abort.ts";
import { type LangGraphRunnableConfig, ownWriter } from "./config.ts";
import type { Limits, TaskRuntime } from "./runtime.ts";

/**
 * Runs an attempt under limits. When one is passed, the attempt's own signal is aborted and the
 * attempt fails; what the node does afterwards is ignored.
 */
export async function limited<T>(
  runtime: TaskRuntime,
  policy: TimeoutPolicy,
  config: LangGraphRunnableConfig,
  run: (config: LangGraphRunnableConfig) => T | Promise<T>,
): Promise<T> {
  const source = abortSource();
  const outer = config.signal;
  const forward = (): void => abortAndTell(source, outer?.reason);
  outer?.addEventListener("abort", forward, { once: true });
  const watch = new Watch(runtime.task.node.name, policy);
  runtime.limits = watch;
  try {
    const attempt = Promise.resolve().then(() => run(scoped(config, watch, source.signal)));
    const result = await Promise.race([attempt, watch.passed]);
    // a node that kept the event loop busy has given no timer a chance
    watch.check();
    return result;
  } catch (error) {
    if (error === watch.error) abortAndTell(source, error);
    throw error;
  } finally {
    watch.end();
    outer?.removeEventListener("abort", forward);
  }
}

/** The node's config, with what reports its progress. */
function scoped(config: LangGraphRunnableConfig, watch: Watch, signal: AbortSignal): LangGraphRunnableConfig {
  const { writer } = config;
  const own: LangGraphRunnableConfig = { ...config, signal, heartbeat: () => watch.touch() };
  if (writer !== undefined) {
    own.writer = ownWriter((chunk) => {
      if (watch.isOver) return;
      if (watch.isAutomatic) watch.touch();
      writer(chunk);
    });
  }
  return heard(own, watch);
}

/** The config, with callbacks that take what models, tools and chains do for progress, where that counts. */
export function heard(config: LangGraphRunnableConfig, limits: Limits): LangGraphRunnableConfig {
  if (!limits.isAutomatic) return config;
  const { callbacks } = config;
  const listening = mergeConfigs(callbacks === undefined ? {} : { callbacks }, {
    callbacks: [progressHandler(() => limits.touch())],
  });
  return { ...config, callbacks: listening.callbacks } as LangGraphRunnableConfig;
}

/** Follows the models, tools and chains that a node calls. */
function progressHandler(touch: () => void): BaseCallbackHandler {
  return BaseCallbackHandler.fromMethods({
    handleLLMStart: touch,
    handleChatModelStart: touch,
    handleLLMNewToken: touch,
    handleLLMEnd: touch,
    handleLLMError: touch,
    handleChainStart: touch,
    handleChainEnd: touch,
    handleChainError: touch,
    handleToolStart: touch,
    handleToolEnd: touch,
    handleToolError: touch,
    handleText: touch,
    handleRetrieverStart: touch,
    handleRetrieverEnd: touch,
    handleRetrieverError: touch,
    handleCustomEvent: touch,
  });
}

/** The limits of one attempt, and how it stands with them. */
class Watch implements Limits {
  /** Rejects when a limit is passed. */
  readonly passed: Promise<never>;
  /** Anything that the node does is progress, not only `heartbeat()`. */
  readonly isAutomatic: boolean;
  error: NodeTimeoutError | undefined;
  isOver = false;
  readonly #node: string;
  readonly #policy: TimeoutPolicy;
  readonly #began = Date.now();
  #progress = Date.now();
  #runTimer: ReturnType<typeof setTimeout> | undefined;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #reject: ((error: NodeTimeoutError) => void) | undefined;

  constructor(node: string, policy: TimeoutPolicy) {
    this.#node = node;
    this.#policy = policy;
    const { runTimeout = Infinity, idleTimeout = Infinity, refreshOn = "auto" } = policy;
    this.isAutomatic = refreshOn === "auto" && idleTimeout < Infinity;
    this.passed = new Promise((_, reject) => (this.#reject = reject));
    if (runTimeout <= LONGEST_TIMER) this.#runTimer = setTimeout(() => this.#fail("run"), runTimeout);
    this.#waitIdle(idleTimeout, idleTimeout);
  }
  touch(): void {
    this.#progress = Date.now();
  }
  /** @throws NodeTimeoutError when a limit was passed without a timer */
  check(): void {
    const { runTimeout = Infinity, idleTimeout = Infinity } = this.#policy;
    const now = Date.now();
    if (now - this.#began >= runTimeout) throw this.#made("run");
    if (now - this.#progress >= idleTimeout) throw this.#made("idle");
  }
  end(): void {
    this.isOver = true;
    clearTimeout(this.#runTimer);
    clearTimeout(this.#idleTimer);
  }
  #waitIdle(limit: number, ms: number): void {
    if (limit > LONGEST_TIMER) return;
    this.#idleTimer = setTimeout(() => {
      const left = this.#progress + limit - Date.now();
      if (left <= 0) this.#fail("idle");
      else this.#waitIdle(limit, left);
    }, ms);
  }
  #fail(kind: "run" | "idle"): void {
    this.#reject?.(this.#made(kind));
  }
  #made(kind: "run" | "idle"): NodeTimeoutError {
    const { runTimeout, idleTimeout } = this.#policy;
    const elapsed = Date.now() - this.#began;
    this.error = new NodeTimeoutError({ node: this.#node, kind, elapsed, runTimeout, idleTimeout });
    return this.error;
  }
}
