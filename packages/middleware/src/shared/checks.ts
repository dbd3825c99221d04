import { GraphError, shown } from "@skein/errors";

/** @throws GraphError INVALID_CONFIGURATION unless it is a whole number of at least `least`, or undefined. */
export function requireWhole(option: string, value: number | undefined, least: number): void {
  if (value === undefined || (Number.isInteger(value) && value >= least)) return;
  throw invalidOption(`${option} must be a whole number of at least ${least}, not ${shown(value)}.`);
}

/** @throws GraphError INVALID_CONFIGURATION unless it is a number of at least 0. */
export function requireAmount(option: string, value: number): void {
  if (Number.isFinite(value) && value >= 0) return;
  throw invalidOption(`${option} must be a number of at least 0, not ${shown(value)}.`);
}

/** @throws GraphError INVALID_CONFIGURATION unless it is one of the choices. */
export function requireChoice(option: string, value: unknown, choices: readonly string[]): void {
  if (choices.includes(value as string)) return;
  throw invalidOption(`${option} must be one of ${choices.join(", ")}, not ${shown(value)}.`);
}

/** @throws GraphError INVALID_CONFIGURATION unless it is a chat model, the name of one, or undefined. */
export function requireModel(option: string, model: unknown): void {
  if (model === undefined || (typeof model === "string" && model !== "")) return;
  if (typeof (model as { readonly invoke?: unknown } | null)?.invoke === "function") return;
  throw invalidOption(`${option} must be a chat model or the name of one, not ${shown(model)}.`);
}

/** An error that the model can put right: tools throw it for what they were called with. */
export function refused(message: string): GraphError {
  return new GraphError("INVALID_INPUT", message);
}

export function invalidOption(message: string): GraphError {
  return new GraphError("INVALID_CONFIGURATION", message);
}

/** Whether a function is known to return a promise before it is called. */
export function isAsync(value: unknown): boolean {
  return Object.prototype.toString.call(value) === "[object AsyncFunction]";
}

/** What a function returned that should have returned something else; nobody waits for a promise. */
export function unawaited(returned: unknown): string {
  const isPromise = typeof (returned as { readonly then?: unknown } | null | undefined)?.then === "function";
  if (!isPromise) return shown(returned);
  // what it fails with is told nowhere else, and must not end the process
  Promise.resolve(returned).catch(() => undefined);
  return "a promise";
}
