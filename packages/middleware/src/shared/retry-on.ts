import { getRetryable } from "@langchain/core/errors";
import { shown } from "@skein/errors";
import { invalidOption, isAsync, unawaited } from "./checks.ts";

/** A class of errors: those of classes below it are meant, too. */
export type ErrorClass = new (...args: never[]) => Error;

/** An error's class, several, or a test. */
export type RetryOn = ((error: Error) => boolean) | ErrorClass | readonly ErrorClass[];

/** @throws GraphError INVALID_CONFIGURATION */
export function requireRetryOn(retryOn: unknown): void {
  if (retryOn === undefined || isErrorClass(retryOn)) return;
  if (Array.isArray(retryOn)) {
    const other = retryOn.findIndex((one) => !isErrorClass(one));
    if (other < 0) return;
    throw invalidOption(`retryOn is a list of classes of errors, and holds ${shown(retryOn[other])}.`);
  }
  if (isAsync(retryOn)) throw invalidOption("retryOn must say true or false at once: it can't be async.");
  if (typeof retryOn === "function" && !/^class\b/u.test(Function.prototype.toString.call(retryOn))) return;
  throw invalidOption(
    `retryOn must be a test, a class of errors or a list of classes, not ${typeof retryOn === "function" ? "another class" : shown(retryOn)}.`,
  );
}

/** @throws GraphError INVALID_CONFIGURATION for a test that says neither true nor false */
export function isWorthIt(error: Error, retryOn: RetryOn | undefined): boolean {
  if (retryOn === undefined) return getRetryable(error) ?? true;
  if (typeof retryOn !== "function") return retryOn.some((kind) => error instanceof kind);
  if (isErrorClass(retryOn)) return error instanceof retryOn;
  const answer: unknown = (retryOn as (error: Error) => unknown)(error);
  if (typeof answer === "boolean") return answer;
  // not as its cause: a tool's error is told to the model, also within another, and the run goes on
  throw invalidOption(
    `retryOn must say true or false, not ${unawaited(answer)}. It was asked about: ${error.message}`,
  );
}

/** By what errors have of their prototype: classes of another realm pass, too. */
function isErrorClass(value: unknown): value is ErrorClass {
  if (typeof value !== "function") return false;
  if (value === Error || value.prototype instanceof Error) return true;
  return typeof (value.prototype as { readonly message?: unknown } | undefined)?.message === "string";
}
