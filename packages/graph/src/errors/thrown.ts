import { shown } from "@skein/errors";

/** The text of what was thrown, which may be anything: an object without a prototype has none. */
export function textOf(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return shown(thrown);
  }
}

/**
 * An error as it is stored. What only looks like one keeps its name and message: packages throw plain
 * objects, and an error of another realm (a `vm` context, a frame) is no `Error` of this one.
 */
export function plainError(thrown: unknown): { readonly message: string; readonly name: string } {
  if (thrown instanceof Error) return { message: thrown.message, name: thrown.name };
  const { message, name } = (thrown ?? {}) as { message?: unknown; name?: unknown };
  return {
    message: typeof message === "string" ? message : textOf(thrown),
    name: typeof message === "string" && typeof name === "string" ? name : "Error",
  };
}
