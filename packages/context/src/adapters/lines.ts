import { GraphError, shown } from "@skein/errors";
import { requireMessages, requireObject, requireText } from "../messages/given.ts";
import { fromRecorded, toRecorded, type RecordedThread } from "./recorded.ts";

/**
 * Reads a JSON Lines file of conversations, one a line; empty lines are passed over.
 *
 * @throws GraphError INVALID_MESSAGE that names the line and the field; INVALID_INPUT for what is no text
 *
 * @example
 * for (const { id, messages } of fromJsonLines(await readFile("threads.jsonl", "utf8"))) await put(id, messages);
 */
export function fromJsonLines(text: string): RecordedThread[] {
  requireText("fromJsonLines", text);
  return text.split("\n").flatMap((line, index) => {
    return line.trim() === "" ? [] : [fromRecorded(line, { line: index + 1 })];
  });
}

/**
 * Conversations as JSON Lines; the inverse of {@link fromJsonLines}.
 *
 * @throws GraphError INVALID_INPUT for what is no list of conversations; INVALID_MESSAGE for messages that are none
 *
 * @example
 * await writeFile("threads.jsonl", toJsonLines([{ id: "t1", messages, extra: {} }]));
 */
export function toJsonLines(threads: Iterable<RecordedThread>): string {
  if (typeof threads !== "object" || (threads as unknown) === null || !(Symbol.iterator in threads)) {
    throw new GraphError(
      "INVALID_INPUT",
      `toJsonLines takes a list of conversations, not ${shown(threads)}.`,
    );
  }
  let text = "";
  for (const thread of threads) {
    requireObject("toJsonLines", thread, "conversations as {id, messages, extra}");
    const { id, messages, extra } = thread;
    requireMessages("toJsonLines", messages);
    text += `${JSON.stringify({ id, ...extra, messages: messages.map(toRecorded) })}\n`;
  }
  return text;
}
