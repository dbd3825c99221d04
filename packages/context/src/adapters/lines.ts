import { fromRecorded, toRecorded, type RecordedThread } from "./recorded.ts";

/**
 * Reads a JSON Lines file of conversations, one a line; empty lines are passed over.
 *
 * @throws GraphError INVALID_MESSAGE that names the line and the field
 *
 * @example
 * for (const { id, messages } of fromJsonLines(await readFile("threads.jsonl", "utf8"))) await put(id, messages);
 */
export function fromJsonLines(text: string): RecordedThread[] {
  return text.split("\n").flatMap((line, index) => {
    return line.trim() === "" ? [] : [fromRecorded(line, { line: index + 1 })];
  });
}

/**
 * Conversations as JSON Lines; the inverse of {@link fromJsonLines}.
 *
 * @example
 * await writeFile("threads.jsonl", toJsonLines([{ id: "t1", messages, extra: {} }]));
 */
export function toJsonLines(threads: Iterable<RecordedThread>): string {
  let text = "";
  for (const { id, messages, extra } of threads)
    text += `${JSON.stringify({ id, ...extra, messages: messages.map(toRecorded) })}\n`;
  return text;
}
