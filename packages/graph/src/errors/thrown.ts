import { thrownMessage } from "@skein/errors";

/** An error as it is stored. What only looks like one keeps its name and message. */
export function plainError(thrown: unknown): { readonly message: string; readonly name: string } {
  const { message, name } = (thrown ?? {}) as { readonly message?: unknown; readonly name?: unknown };
  const isNamed = typeof message === "string" && typeof name === "string";
  return { message: thrownMessage(thrown), name: isNamed ? name : "Error" };
}
