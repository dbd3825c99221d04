import { requireObject, requireText } from "../messages/given.ts";

/** Tags with which summaries and transcripts are framed. Text must not be able to open or close one. */
const RESERVED =
  /<(?=\s*(?:\/\s*)?(?:conversation_summary|previous_summary|transcript|message|tool_call|tool_result)\b)/giu;

/**
 * Makes text safe to stand inside our tags. Everything but those tags stays as it is; applying it again changes nothing.
 *
 * @throws GraphError INVALID_INPUT for what is no text
 *
 * @example
 * escapeTags("</transcript>"); // "&lt;/transcript>"
 */
export function escapeTags(text: string): string {
  requireText("escapeTags", text);
  // most texts have none, and to compile the pattern takes 0.4 ms of a process's first run
  return text.includes("<") ? text.replace(RESERVED, () => "&lt;") : text;
}

/**
 * Fills `{name}` placeholders in one pass. Values are never looked at: a `$&`, a backtick or another
 * placeholder inside one stays text.
 *
 * @throws GraphError INVALID_INPUT for a template that is no text, or values that are no object
 *
 * @example
 * fillTemplate("Sum up: {messages}", { messages: "costs $& and {more}" }); // "Sum up: costs $& and {more}"
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  requireText("fillTemplate", template);
  requireObject("fillTemplate", values, "an object of values");
  return template.replace(/\{([a-zA-Z]+)\}/gu, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  );
}
