import type { BaseMessage } from "@langchain/core/messages";
import { deepCompareStrict } from "@langchain/core/utils/json_schema";
import { beside, said } from "./same-message.ts";

/** What a saver's `eraseMessage` puts in the place of a text. */
const ERASED = "[erased]";

/** Whether something of a message was erased. */
export function isErased(message: BaseMessage): boolean {
  return holds(said(message)) || holds(beside(message));
}

/**
 * Whether a message that came from outside would bring back what was erased. A whole message that was
 * erased takes nothing from outside; where parts of one were, it is known by what stands around them.
 *
 * @param there - an erased one with the same id
 */
export function bringsBack(posted: BaseMessage, there: BaseMessage): boolean {
  if (there.content === ERASED) return true;
  if (!fits(said(posted), said(there))) return false;
  // with a text of its own erased, whatever stands beside it is no reason to take it
  if (holds(said(there))) return true;
  const known = beside(there);
  return Object.entries(beside(posted)).every(
    ([key, value]) => value === undefined || fits(value, known[key]),
  );
}

const holds = (value: unknown): boolean => (JSON.stringify(value) ?? "").includes(ERASED);

/** Whether a value is another one in which anything may have stood where something was erased. */
function fits(value: unknown, redacted: unknown): boolean {
  if (typeof redacted === "string")
    return typeof value === "string" && textFits(value, redacted.split(ERASED));
  if (typeof redacted !== "object" || redacted === null) return deepCompareStrict(value, redacted);
  if (typeof value !== "object" || value === null || Array.isArray(value) !== Array.isArray(redacted))
    return false;
  const parts = Object.entries(value);
  const known = redacted as Readonly<Record<string, unknown>>;
  return (
    parts.length === Object.keys(known).length &&
    parts.every(([key, part]) => Object.hasOwn(known, key) && fits(part, known[key]))
  );
}

/** Whether a text has these parts in order, the first at its start and the last at its end. */
function textFits(text: string, parts: readonly string[]): boolean {
  const first = parts[0] as string;
  const last = parts.at(-1) as string;
  if (parts.length === 1) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let from = first.length;
  for (const part of parts.slice(1, -1)) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return from <= end;
}
