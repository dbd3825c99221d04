import { setImmediate } from "node:timers/promises";
import { tool } from "@langchain/core/tools";
import type { RunnableConfig } from "@langchain/core/runnables";
import { createMiddleware } from "@skein/agent";
import { z } from "zod";
import { LONGEST_TIMER, requireKnownOptions, type OptionKind } from "@skein/errors";
import { invalidOption, requireAmount, requireWhole } from "../shared/checks.ts";
import { findFiles } from "./find.ts";
import { grepFile, lineTest, type LineMatch } from "./grep.ts";
import { Root } from "./root.ts";

export interface FileSearchOptions {
  /** The folder that can be searched; nothing outside of it can, through links neither. */
  rootPath: string;
  /** Larger files are not searched by `grep_search`. Default: 10. */
  maxFileSizeMb?: number;
  /** Most files or lines that one call returns. Default: 200. */
  maxResults?: number;
  /**
   * Milliseconds that one call may take. Then `grep_search` returns what it has; one that was still looking
   * for files says so. Default: 10,000.
   */
  timeout?: number;
  /** Patterns of what is left out. Default: `node_modules` and `.git` folders. */
  ignore?: readonly string[];
  /** Whether files and folders whose names begin with a dot are searched. Default: false. */
  dot?: boolean;
}

const IGNORED = ["**/node_modules/**", "**/.git/**"];
const path = z.string().default("/").describe("Folder to search in, / for all");

const OPTIONS: Readonly<Record<keyof FileSearchOptions, OptionKind>> = {
  rootPath: "text",
  maxFileSizeMb: "number",
  maxResults: "number",
  timeout: "number",
  ignore: "texts",
  dot: "boolean",
};

/**
 * Gives the model two tools: `glob_search` finds files by name, `grep_search` finds lines by a regular
 * expression. Patterns become RE2 expressions too, so nothing that the model writes can hang the process.
 *
 * @throws GraphError INVALID_CONFIGURATION
 *
 * @example
 * createAgent({ model, middleware: [fileSearchMiddleware({ rootPath: "./docs" })] });
 */
export function fileSearchMiddleware(options: FileSearchOptions) {
  requireKnownOptions("fileSearchMiddleware", options, OPTIONS);
  const {
    rootPath,
    maxFileSizeMb = 10,
    maxResults = 200,
    timeout = 10_000,
    ignore = IGNORED,
    dot = false,
  } = options;
  if (typeof rootPath !== "string" || rootPath === "")
    throw invalidOption("fileSearchMiddleware needs a rootPath.");
  requireAmount("maxFileSizeMb", maxFileSizeMb);
  requireAmount("timeout", timeout);
  requireWhole("maxResults", maxResults, 1);
  const settings: Settings = {
    root: new Root(rootPath),
    maxBytes: maxFileSizeMb * 1024 * 1024,
    maxResults,
    timeout,
    find: { dot, ignore },
  };
  return createMiddleware({
    name: "FilesystemFileSearchMiddleware",
    tools: [globTool(settings), grepTool(settings)],
  });
}

interface Settings {
  readonly root: Root;
  readonly maxBytes: number;
  readonly maxResults: number;
  readonly timeout: number;
  readonly find: { readonly dot: boolean; readonly ignore: readonly string[] };
}

/** The files of a call, and when it has to end; undefined when the time was up before all were looked at. */
async function filesOf(
  { root, timeout, find }: Settings,
  {
    pattern,
    path,
    named = false,
  }: { readonly pattern: string; readonly path: string; readonly named?: boolean },
  signal: AbortSignal | undefined,
): Promise<{ readonly files: readonly string[]; readonly end: number } | undefined> {
  const end = Date.now() + timeout;
  const late = AbortSignal.timeout(Math.ceil(Math.min(timeout, LONGEST_TIMER)));
  try {
    const within = signal === undefined ? late : AbortSignal.any([signal, late]);
    return { files: await findFiles(root, pattern, path, { ...find, named }, within), end };
  } catch (error) {
    signal?.throwIfAborted();
    if (late.aborted) return undefined;
    throw error;
  }
}

const TOO_MANY = "The time is up: there are more files than could be looked at. Search in a smaller folder.";

function globTool(settings: Settings) {
  const { root, maxResults } = settings;
  return tool(
    async (input: { pattern: string; path: string }, { signal }: RunnableConfig) => {
      const { files } = (await filesOf(settings, input, signal)) ?? {};
      if (files === undefined) return TOO_MANY;
      if (files.length === 0) return "No file matches.";
      const shown = await Promise.all(files.slice(0, maxResults).map((file) => root.shown(file)));
      return withRest(shown, files.length - shown.length, "files");
    },
    {
      name: "glob_search",
      description:
        "Finds files by a glob pattern such as **/*.ts. Returns paths, the file that changed last first.",
      schema: z.object({
        pattern: z.string().describe("Glob pattern, below path: *, **, ?, [...], {a,b}"),
        path,
      }),
    },
  );
}

const MODES = ["files_with_matches", "content", "count"] as const;

interface GrepInput {
  pattern: string;
  path: string;
  include: string;
  output_mode: (typeof MODES)[number];
}

function grepTool(settings: Settings) {
  return tool((input: GrepInput, { signal }: RunnableConfig) => grep(input, settings, signal), {
    name: "grep_search",
    description: "Finds lines of files by a regular expression (RE2 syntax).",
    schema: z.object({
      pattern: z.string().describe("Regular expression, for one line"),
      path,
      include: z
        .string()
        .default("**/*")
        .describe("Glob pattern of the files to search; without a slash, of their names in any folder"),
      output_mode: z
        .enum(MODES)
        .default("files_with_matches")
        .describe("Paths only, path:line:text, or path:number of lines"),
    }),
  });
}

async function grep(input: GrepInput, settings: Settings, signal: AbortSignal | undefined): Promise<string> {
  const { root, maxBytes, maxResults } = settings;
  const passes = lineTest(input.pattern);
  const found = await filesOf(settings, { pattern: input.include, path: input.path, named: true }, signal);
  if (found === undefined) return TOO_MANY;
  const { files, end } = found;
  const lines: string[] = [];
  for (const [at, file] of files.entries()) {
    signal?.throwIfAborted();
    const isLate = Date.now() >= end;
    if (isLate || lines.length > maxResults) {
      const why = isLate ? "The time is up" : "There is more";
      const left = `${why}: ${files.length - at} files were not searched. Narrow the search.`;
      return [...lines.slice(0, maxResults), left].join("\n");
    }
    const matches = await grepFile(file, passes, maxBytes);
    if (matches.length > 0) lines.push(...linesOf(await root.shown(file), matches, input.output_mode));
    // the expression runs on this thread; others must get their turn
    await setImmediate();
  }
  if (lines.length === 0) return "No line matches.";
  return withRest(lines.slice(0, maxResults), lines.length - maxResults, "lines");
}

function linesOf(file: string, matches: readonly LineMatch[], mode: GrepInput["output_mode"]): string[] {
  if (mode === "files_with_matches") return [file];
  if (mode === "count") return [`${file}:${matches.length}`];
  return matches.map(({ line, text }) => `${file}:${line}:${text}`);
}

function withRest(lines: readonly string[], rest: number, what: string): string {
  return rest > 0 ? [...lines, `${rest} more ${what}. Narrow the search.`].join("\n") : lines.join("\n");
}
