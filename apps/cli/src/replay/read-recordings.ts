import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { basename, extname } from "node:path";
import type { RecordedThread } from "@skein/context";
import { BadInput, oneLine } from "../errors.ts";
import { commandLine } from "../ui/invocation.ts";
import { BARE_LIST, type ConversationFormat, readConversation, SHAPES } from "./formats.ts";

/**
 * All conversations of a JSON Lines file, every line checked before anything is done with one.
 *
 * @param format - how all of them are written. Default: each as it looks
 * @throws BadInput that names the file and, for a line that is no conversation, its number
 */
export async function readRecordings(file: string, format?: ConversationFormat): Promise<RecordedThread[]> {
  const name = basename(file, extname(file));
  const text = await readText(file);
  const threads: RecordedThread[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    try {
      const of = { line: index + 1, name: `${name}-${index + 1}`, format };
      const thread = readConversation(line, of);
      if (thread.id === "") throw new BadInput(`No conversation in line ${index + 1}: its id is empty.`);
      threads.push(thread);
    } catch (error) {
      throw new BadInput(`${file}:${index + 1}: ${oneLine(error)}`, { cause: error });
    }
  }
  if (threads.length === 0)
    throw new BadInput(`${file}: there is no conversation in it; give one JSON object a line.`);
  return threads;
}

async function readText(file: string): Promise<string> {
  try {
    if ((await stat(file)).isDirectory()) throw new BadInput(`${file} is a folder; give a .jsonl file.`);
    return textOf(await readFile(file), file);
  } catch (error) {
    if (error instanceof BadInput) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "there is no such file" : oneLine(error);
    throw new BadInput(`Cannot read ${file}: ${why}. Give the path of a .jsonl file.`, { cause: error });
  }
}

/** Without the mark of its byte order, with which some editors begin a file. @throws BadInput for what is no UTF-8 */
function textOf(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new BadInput(`${file} is no text in UTF-8: what it says would be changed. Convert it first.`, {
      cause,
    });
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

/**
 * What the first line of a file begins: a thread that `export` wrote, or conversations. Whether the
 * rest is as it should be, those say who read it.
 *
 * @throws BadInput that says what the file is, if it is neither
 */
export async function kindOf(file: string): Promise<"thread" | "conversations"> {
  const first = await firstLine(file);
  if (first === undefined) throw new BadInput(`"${file}" is empty. Give ${WANTED}.`);
  if (/^> (\S+ )?start\b/.test(first.text)) throw new BadInput(withBanner(file, first.text));
  let head: unknown;
  try {
    head = JSON.parse(first.text);
  } catch (error) {
    throw new BadInput(
      `Line ${first.number} of "${file}" is no JSON, or cut off (${oneLine(error)}). Give ${WANTED}.`,
      { cause: error },
    );
  }
  if (Array.isArray(head)) throw new BadInput(`Line ${first.number} of "${file}" ${BARE_LIST}`);
  const fields: object = typeof head === "object" && head !== null ? head : {};
  if (Object.hasOwn(fields, "skein")) return "thread";
  if (Object.hasOwn(fields, "messages")) return "conversations";
  throw new BadInput(
    `Line ${first.number} of "${file}" is neither the head of an exported thread nor a conversation. Give ${WANTED}.`,
  );
}

const WANTED = `what skein export wrote, or conversations, one ${SHAPES.recorded} a line`;

/** What npm says of the script that it runs stands before what that writes. */
function withBanner(file: string, banner: string): string {
  const again = commandLine(["export", "THREAD", "NEW.jsonl"]);
  return `"${file}" begins with what npm wrote ("${banner}"). Delete the lines above the first one that begins with "{", or let export write the file: ${again}`;
}

/** The first line that is not blank, without the mark of its byte order. */
async function firstLine(file: string): Promise<{ text: string; number: number } | undefined> {
  const lines = createInterface({ input: createReadStream(file) });
  let number = 0;
  try {
    for await (const line of lines) {
      number += 1;
      const text = line.trim();
      if (text !== "") return { text, number };
    }
    return undefined;
  } catch (error) {
    throw new BadInput(`Cannot read "${file}": ${oneLine(error)}. Give another file.`, { cause: error });
  } finally {
    lines.close();
  }
}
