import { stat } from "node:fs/promises";
import { createContext, Script } from "node:vm";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { displayPath, findFiles, type Folder } from "./folder.ts";
import { MAX_FILE_BYTES, readText } from "./read-file.ts";

const MAX_LINE = 240;
/** A search looks at no more than this, and says so when it stops. */
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;
const MAX_REGEX_MS = 2_000;

interface Hits {
  readonly lines: string[];
  total: number;
  files: number;
}

/** `search_files`: a line that counts the hits, then `PATH:LINE: text` for each. */
export function searchFiles(folder: Folder) {
  return tool(
    async ({ query, regex, ignoreCase, path, pattern, limit }, config) => {
      const matching = matcher(query, regex, ignoreCase);
      const hits: Hits = { lines: [], total: 0, files: 0 };
      let bytes = 0;
      let unread = 0;
      for (const file of await findFiles(folder, path, pattern)) {
        config?.signal?.throwIfAborted();
        const size = await stat(file).then(
          (info) => info.size,
          () => Number.POSITIVE_INFINITY,
        );
        if (size > MAX_FILE_BYTES || bytes + size > MAX_TOTAL_BYTES) {
          unread += 1;
          continue;
        }
        bytes += size;
        const shown = displayPath(folder, file);
        const text = await readText(file, shown).catch(() => undefined);
        if (text !== undefined) searchText(shown, text, matching, hits, limit);
      }
      const head = `${hits.total} matches in ${hits.files} files for ${regex ? `/${query}/` : JSON.stringify(query)}`;
      const notes: string[] = [];
      if (hits.total > hits.lines.length)
        notes.push(`[${hits.total - hits.lines.length} more matches not shown]`);
      if (unread > 0) notes.push(`[${unread} files were too large to search]`);
      return [head, ...hits.lines, ...notes].join("\n");
    },
    {
      name: "search_files",
      description:
        "Finds the lines of the folder's text files that hold a text or match a regular expression.",
      schema: z.object({
        query: z.string().min(1).max(1_000).describe("text to find, or a regular expression"),
        regex: z.boolean().default(false).describe("the query is a JavaScript regular expression"),
        ignoreCase: z.boolean().default(true),
        path: z.string().default(".").describe("subfolder or file, relative to the folder"),
        pattern: z.string().default("**/*").describe("glob that files must match, such as **/*.ts"),
        limit: z.number().int().min(1).max(200).default(40).describe("most matches to show"),
      }),
    },
  );
}

type Matcher = (lines: readonly string[]) => readonly number[];

/**
 * Indices of matching lines. A regular expression runs under a time limit of its own: one that
 * backtracks for ever would otherwise hold the whole program, and no signal could end it.
 */
function matcher(query: string, regex: boolean, ignoreCase: boolean): Matcher {
  if (!regex) {
    const wanted = ignoreCase ? query.toLowerCase() : query;
    return (lines) =>
      lines.flatMap((line, index) =>
        (ignoreCase ? line.toLowerCase() : line).includes(wanted) ? [index] : [],
      );
  }
  let expression: RegExp;
  try {
    expression = new RegExp(query, ignoreCase ? "iu" : "u");
  } catch (error) {
    throw new Error(`"${query}" is no regular expression: ${(error as Error).message}`, { cause: error });
  }
  const script = new Script("lines.flatMap((line, index) => (expression.test(line) ? [index] : []))");
  const context = createContext({ expression });
  return (lines) => {
    try {
      context["lines"] = lines;
      return script.runInContext(context, { timeout: MAX_REGEX_MS }) as number[];
    } catch (error) {
      throw new Error(`/${query}/ takes too long on a line of this folder. Use a simpler expression.`, {
        cause: error,
      });
    }
  };
}

function searchText(shown: string, text: string, matching: Matcher, hits: Hits, limit: number): void {
  const lines = text.split(/\r?\n/);
  const found = matching(lines);
  if (found.length === 0) return;
  hits.files += 1;
  hits.total += found.length;
  for (const index of found.slice(0, Math.max(0, limit - hits.lines.length))) {
    const line = (lines[index] ?? "").trim();
    hits.lines.push(
      `${shown}:${index + 1}: ${line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)} ...` : line}`,
    );
  }
}
