import type { BaseMessage } from "@langchain/core/messages";
import { GraphError, shown } from "@skein/errors";

/** LangChain's messages of any copy and kind say what they are. */
function isMessage(value: unknown): boolean {
  return typeof (value as { readonly type?: unknown } | null | undefined)?.type === "string";
}

/** @throws GraphError INVALID_MESSAGE for what is no message */
export function requireMessage(of: string, message: unknown): asserts message is BaseMessage {
  if (isMessage(message)) return;
  throw new GraphError(
    "INVALID_MESSAGE",
    `${of} takes a message, as new HumanMessage() makes it, not ${shown(message)}.`,
  );
}

/** @throws GraphError INVALID_MESSAGE for what is no list; its elements are not looked at */
export function requireList(of: string, messages: unknown): asserts messages is readonly unknown[] {
  if (Array.isArray(messages)) return;
  throw new GraphError("INVALID_MESSAGE", `${of} takes a list of messages, not ${shown(messages)}.`);
}

/** @throws GraphError INVALID_MESSAGE for what is no list of messages; it names the first that is none */
export function requireMessages(of: string, messages: unknown): asserts messages is readonly BaseMessage[] {
  requireList(of, messages);
  const at = messages.findIndex((message) => !isMessage(message));
  if (at < 0) return;
  throw new GraphError(
    "INVALID_MESSAGE",
    `${of} takes messages, as new HumanMessage() makes them; at ${at} stands ${shown(messages[at])}.`,
    { details: { at } },
  );
}

/**
 * What is found out of messages; where that fails, they are looked at for what is none. Before it they
 * are not: of a list that grew only what is new may be read.
 *
 * @throws GraphError INVALID_MESSAGE
 */
export function reading<T>(of: string, messages: readonly BaseMessage[], read: () => T): T {
  requireList(of, messages);
  try {
    return read();
  } catch (error) {
    requireMessages(of, messages);
    throw error;
  }
}

/** @throws GraphError INVALID_INPUT for what is no text */
export function requireText(of: string, text: unknown): asserts text is string {
  if (typeof text === "string") return;
  throw new GraphError("INVALID_INPUT", `${of} takes a text, not ${shown(text)}.`);
}

/** @throws GraphError INVALID_INPUT for what is no object @param what - the argument, as in `a summary` */
export function requireObject(of: string, value: unknown, what: string): asserts value is object {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return;
  throw new GraphError("INVALID_INPUT", `${of} takes ${what}, not ${shown(value)}.`);
}

/** @throws GraphError INVALID_INPUT for what is no list, Set or other iterable of texts */
export function requireIds(of: string, ids: unknown): asserts ids is Iterable<string> {
  const isIterable = typeof ids === "object" && ids !== null && Symbol.iterator in ids;
  if (isIterable && [...(ids as Iterable<unknown>)].every((id) => typeof id === "string")) return;
  throw new GraphError(
    "INVALID_INPUT",
    `${of} takes ids of messages, as a list or a Set, not ${shown(ids)}.`,
  );
}

/** @throws GraphError INVALID_INPUT for a figure that is no number */
export function requireNumbers(of: string, figures: Readonly<Record<string, unknown>>): void {
  for (const name in figures) {
    const value = figures[name];
    if (typeof value === "number" && !Number.isNaN(value)) continue;
    throw new GraphError("INVALID_INPUT", `${name} of ${of} must be a number, not ${shown(value)}.`);
  }
}
