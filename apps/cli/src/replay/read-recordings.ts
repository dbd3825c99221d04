import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fromRecorded, type RecordedThread } from "@skein/context";
import { BadInput, oneLine } from "../errors.ts";

/**
 * All conversations of a JSON Lines file, every line checked before anything is done with one.
 *
 * @throws BadInput that names the file and, for a line that is no conversation, its number
 */
export async function readRecordings(file: string): Promise<RecordedThread[]> {
  const text = await readText(file);
  const threads: RecordedThread[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    try {
      const thread = fromRecorded(line, { line: index + 1 });
      if (thread.id === "") throw new BadInput(`No conversation in line ${index + 1}: its id is empty.`);
      threads.push(thread);
    } catch (error) {
      throw new BadInput(
        `${file}:${index + 1}: ${oneLine(error)} Give one {"id", "messages": [{"role", "content"}]} a line.`,
        { cause: error },
      );
    }
  }
  if (threads.length === 0)
    throw new BadInput(`${file}: there is no conversation in it; give one JSON object a line.`);
  return threads;
}

async function readText(file: string): Promise<string> {
  try {
    if ((await stat(file)).isDirectory()) throw new BadInput(`${file} is a folder; give a .jsonl file.`);
    // some editors begin a file with a mark of its byte order
    return (await readFile(file, "utf8")).replace(/^\uFEFF/, "");
  } catch (error) {
    if (error instanceof BadInput) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "there is no such file" : oneLine(error);
    throw new BadInput(`Cannot read ${file}: ${why}. Give the path of a .jsonl file.`, { cause: error });
  }
}

/** All conversations as one, in the order of the file. */
export function joinRecordings(threads: readonly RecordedThread[], id: string): RecordedThread {
  return { id, messages: threads.flatMap((thread) => thread.messages), extra: {} };
}

/** A recording that was stored before is stored again under a new id: the old thread stays. */
export function freeId(wanted: string, taken: Set<string>): string {
  let id = wanted;
  for (let copy = 2; taken.has(id); copy += 1) id = `${wanted}.${copy}`;
  taken.add(id);
  return id;
}

/** Whether a file holds conversations, and not a thread that `export` wrote. Reads its first line. */
export async function holdsRecordings(file: string): Promise<boolean> {
  const lines = createInterface({ input: createReadStream(file) });
  try {
    for await (const line of lines) {
      if (line.trim() !== "") return Array.isArray((JSON.parse(line) as { messages?: unknown }).messages);
    }
  } catch {
    // whoever reads it will say what is wrong with it
  } finally {
    lines.close();
  }
  return false;
}
