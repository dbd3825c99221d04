import { open, stat } from "node:fs/promises";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { displayPath, locate, type Folder } from "./folder.ts";

/** What one call returns at most, in characters. */
const MAX_OUTPUT = 32_000;
const MAX_LINE = 2_000;
/** A larger file is not read at all: it would be held in memory whole to count its lines. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** `read_file`: a header line `PATH lines A-B of N`, then the lines. */
export function readFile(folder: Folder) {
  return tool(
    async ({ path, offset, limit }) => {
      const file = await locate(folder, path);
      const shown = displayPath(folder, file);
      const text = await readText(file, shown);
      const lines = text.split(/\r?\n/);
      if (lines.at(-1) === "") lines.pop();
      const page = cut(lines.slice(offset - 1, offset - 1 + limit));
      const last = offset - 1 + page.length;
      if (lines.length === 0) return `${shown} is empty`;
      if (page.length === 0) return `${shown} has ${lines.length} lines; there is no line ${offset}`;
      const header = `${shown} lines ${offset}-${last} of ${lines.length}`;
      const more = last < lines.length ? [`[more: read on with offset ${last + 1}]`] : [];
      return [header, ...page, ...more].join("\n");
    },
    {
      name: "read_file",
      description: "Reads lines of a text file of the folder.",
      schema: z.object({
        path: z.string().describe("file, relative to the folder"),
        offset: z.number().int().min(1).default(1).describe("first line, counted from 1"),
        limit: z.number().int().min(1).max(2_000).default(200).describe("most lines to read"),
      }),
    },
  );
}

/** The text of a regular file, or an error that says why there is none. */
export async function readText(file: string, shown: string): Promise<string> {
  const info = await stat(file);
  if (info.isDirectory()) throw new Error(`"${shown}" is a folder. list_files lists it.`);
  if (!info.isFile()) throw new Error(`"${shown}" is not a regular file.`);
  if (info.size > MAX_FILE_BYTES) {
    throw new Error(`"${shown}" is too large to read: ${info.size} bytes, the limit is ${MAX_FILE_BYTES}.`);
  }
  const handle = await open(file, "r");
  try {
    const bytes = await handle.readFile();
    if (bytes.subarray(0, 8_192).includes(0)) {
      throw new Error(`"${shown}" is a binary file of ${info.size} bytes, not text.`);
    }
    return bytes.toString("utf8");
  } finally {
    await handle.close();
  }
}

/** As many lines as fit; a long line is cut, so that at least one always fits. */
function cut(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let length = 0;
  for (const line of lines) {
    const text =
      line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)} [line cut at ${MAX_LINE} characters]` : line;
    length += text.length + 1;
    if (length > MAX_OUTPUT && kept.length > 0) break;
    kept.push(text);
  }
  return kept;
}
