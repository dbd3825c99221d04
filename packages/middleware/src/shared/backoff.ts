import { GraphError, LONGEST_TIMER, shown, type OptionKind } from "@skein/errors";
import { isGraphBubbleUp } from "@skein/graph";
import { asError } from "./as-error.ts";
import { invalidOption, isAsync, requireAmount, requireWhole, unawaited } from "./checks.ts";
import { isWorthIt, requireRetryOn, type RetryOn } from "./retry-on.ts";

/** When and how long to wait before another attempt. Names and defaults are LangChain's. */
export interface RetryOptions {
  /** Attempts after the first; `Infinity` for no end. Default: 2. */
  maxRetries?: number;
  /**
   * Which errors are worth another attempt: a class, several, or a test that says so at
   * once. Default: all but those that say of
   * themselves that they are not (LangChain's providers mark a wrong key or a bad request).
   */
  retryOn?: RetryOn;
  /** Every wait is so many times as long as the one before; 0 for waits of one length. Default: 2. */
  backoffFactor?: number;
  /** First wait, in milliseconds. Default: 1,000. */
  initialDelayMs?: number;
  /** Longest wait, in milliseconds, unless the provider asks for more; `Infinity` for none. Default: 60,000. */
  maxDelayMs?: number;
  /** Whether waits differ by up to 25 %, so that many clients do not come back at once. Default: true. */
  jitter?: boolean;
}

/** The kinds of these options, for the middleware that take them. */
export const RETRY_OPTIONS: Readonly<Record<keyof RetryOptions, OptionKind>> = {
  maxRetries: "number",
  retryOn: "any",
  backoffFactor: "number",
  initialDelayMs: "number",
  maxDelayMs: "number",
  jitter: "boolean",
};

export interface Failure {
  readonly error: Error;
  readonly attempts: number;
}

/**
 * Calls until it works, the error is not worth it or the attempts are used up.
 *
 * The end of the run and the engine's control flow are no failures: they are thrown at once.
 */
export async function withRetries<T>(
  call: () => Promise<T>,
  options: RetryOptions,
  signal: AbortSignal | undefined,
): Promise<{ readonly value: T } | Failure> {
  const { maxRetries = 2 } = options;
  for (let attempts = 1; ; attempts++) {
    try {
      return { value: await call() };
    } catch (thrown) {
      if (mustPropagate(thrown, signal)) throw thrown;
      const error = asError(thrown);
      if (attempts > maxRetries || !isWorthIt(error, options.retryOn)) return { error, attempts };
      await wait(Math.max(delayAfter(attempts, options), askedFor(thrown)), signal);
    }
  }
}

/** Whether an error must go on to the engine: control flow, the end of the run, or a question that found no run. */
export function mustPropagate(error: unknown, signal: AbortSignal | undefined): boolean {
  const isControlFlow = isGraphBubbleUp(error) || isOfLangGraph(error);
  return isControlFlow || signal?.aborted === true || GraphError.is(error, "OUTSIDE_RUN");
}

/** Whether it is control flow of LangGraph's engine, which marks it so: this middleware runs there, too. */
function isOfLangGraph(error: unknown): boolean {
  return (error as { readonly is_bubble_up?: unknown } | null | undefined)?.is_bubble_up === true;
}

/** What either middleware does when no attempt worked. */
export type OnFailure = "continue" | "error" | ((error: Error) => string);

/** The text of a message that takes a failure's place. @throws GraphError INVALID_CONFIGURATION for none */
export function failureText(onFailure: Exclude<OnFailure, string>, error: Error): string {
  const text: unknown = onFailure(error);
  if (typeof text === "string") return text;
  throw invalidOption(
    `onFailure must return a text, not ${unawaited(text)}. What failed said: ${error.message}`,
  );
}

/** @throws GraphError INVALID_CONFIGURATION */
export function requireRetryOptions(options: RetryOptions & { readonly onFailure?: OnFailure }): void {
  const { onFailure = "continue" } = options;
  if (onFailure !== "continue" && onFailure !== "error" && typeof onFailure !== "function") {
    throw invalidOption(`onFailure must be "continue", "error" or a function, not ${shown(onFailure)}.`);
  }
  if (isAsync(onFailure)) throw invalidOption("onFailure must return its text at once: it can't be async.");
  requireRetryOn(options.retryOn);
  if (options.maxRetries !== Infinity) requireWhole("maxRetries", options.maxRetries, 0);
  requireAmount("backoffFactor", options.backoffFactor ?? 2);
  requireAmount("initialDelayMs", options.initialDelayMs ?? 0);
  if (options.maxDelayMs !== Infinity) requireAmount("maxDelayMs", options.maxDelayMs ?? 0);
}

function delayAfter(attempts: number, options: RetryOptions): number {
  const { backoffFactor = 2, initialDelayMs = 1000, maxDelayMs = 60_000, jitter = true } = options;
  // 0 times Infinity is no number
  const isConstant = backoffFactor === 0 || initialDelayMs === 0;
  const grown = isConstant ? initialDelayMs : initialDelayMs * backoffFactor ** (attempts - 1);
  const delay = Math.min(grown, maxDelayMs);
  return jitter ? delay * (0.75 + Math.random() * 0.5) : delay;
}

/** What a provider asked for with `Retry-After`. */
function askedFor(error: unknown): number {
  const wanted = (error as { retryAfterMs?: unknown } | null | undefined)?.retryAfterMs;
  return typeof wanted === "number" && wanted >= 0 ? wanted : 0;
}

/**
 * Ends at once, with the run's reason, when the run is aborted. A timer in any case: endless attempts
 * must let others run, who may abort them.
 */
function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      },
      Math.min(milliseconds, LONGEST_TIMER),
    );
    signal?.addEventListener("abort", abort, { once: true });
  });
}
