import { stat } from "node:fs/promises";
import { glob } from "tinyglobby";
import { refused } from "../shared/checks.ts";
import type { Root } from "./root.ts";

export interface FindOptions {
  readonly dot: boolean;
  readonly ignore: readonly string[];
}

/** Files below a folder that match a glob pattern, the newest first. Links are not followed. */
export async function findFiles(
  root: Root,
  pattern: string,
  path: string,
  { dot, ignore }: FindOptions,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  if (pattern.includes("..")) throw refused('A pattern must not hold "..": it is searched below `path`.');
  const cwd = await root.inside(path);
  const found = await glob(pattern.replace(/^\/+/u, ""), {
    cwd,
    dot,
    ignore: [...ignore],
    absolute: true,
    expandDirectories: false,
    followSymbolicLinks: false,
    ...(signal === undefined ? {} : { signal }),
  });
  const files = await Promise.all(
    found.map(async (file) => ({
      file,
      time: (await root.holds(file)) ? await changedAt(file) : undefined,
    })),
  );
  return files
    .filter((one): one is { file: string; time: number } => one.time !== undefined)
    .sort((a, b) => b.time - a.time || (a.file < b.file ? -1 : 1))
    .map(({ file }) => file);
}

/** Undefined for what is gone by now. */
async function changedAt(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mtimeMs;
  } catch {
    return undefined;
  }
}
