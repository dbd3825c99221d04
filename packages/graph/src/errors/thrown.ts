import { thrownMessage } from "@skein/errors";

/** An error as it is stored. What only looks like one keeps its name and message. */
export function plainError(thrown: unknown): { readonly message: string; readonly name: string } {
  return { message: thrownMessage(thrown), name: nameOf(thrown) ?? "Error" };
}

function nameOf(thrown: unknown): string | undefined {
  try {
    const { message, name } = (thrown ?? {}) as { readonly message?: unknown; readonly name?: unknown };
    return typeof message === "string" && typeof name === "string" ? name : undefined;
  } catch {
    return undefined;
  }
}
