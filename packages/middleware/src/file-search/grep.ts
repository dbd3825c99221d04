import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { RE2JS } from "re2js";
import { refused } from "../shared/checks.ts";

const LONGEST_LINE = 500;

export interface LineMatch {
  readonly line: number;
  readonly text: string;
}

/**
 * Makes a test of lines. The model writes the expression, so it runs in linear time: the language's
 * own expressions could be made to run for ever.
 */
export function lineTest(pattern: string): (line: string) => boolean {
  if (!/[\\^$.|?*+()[\]{}]/u.test(pattern)) return (line) => line.includes(pattern);
  try {
    const compiled = RE2JS.compile(pattern);
    return (line) => compiled.matcher(line).find();
  } catch (cause) {
    throw refused(
      `The expression "${pattern}" can't be used: ${(cause as Error).message}. It is RE2: no look-around, no back-references.`,
    );
  }
}

/** Lines of a file that pass; none of a file that is too large, not text, or not readable. */
export async function grepFile(
  file: string,
  passes: (line: string) => boolean,
  maxBytes: number,
): Promise<LineMatch[]> {
  const content = await readText(file, maxBytes);
  if (content === undefined) return [];
  return content.split(/\r?\n/u).flatMap((text, at) => {
    if (!passes(text)) return [];
    const shown = text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}...` : text;
    return [{ line: at + 1, text: shown }];
  });
}

async function readText(file: string, maxBytes: number): Promise<string | undefined> {
  try {
    // the last part of the path must not have become a link meanwhile
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const { size } = await handle.stat();
      if (size > maxBytes) return undefined;
      const bytes = await handle.readFile();
      return bytes.subarray(0, 8192).includes(0) ? undefined : bytes.toString("utf8");
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}
