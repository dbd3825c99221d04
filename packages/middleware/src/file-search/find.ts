import { stat } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { escapePath, glob } from "tinyglobby";
import { type PatternOptions, readPattern } from "./pattern.ts";
import type { Root } from "./root.ts";

export interface FindOptions extends PatternOptions {
  readonly ignore: readonly string[];
}

/** Milliseconds that names are matched in one go. */
const LONGEST_TURN = 20;

/** Files below a folder that match a glob pattern, the newest first. Links are not followed. Rejects once aborted. */
export async function findFiles(
  root: Root,
  pattern: string,
  path: string,
  { dot, ignore, named = false }: FindOptions,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const { folder, depth, namesDot, matches } = readPattern(pattern, { dot, named });
  const cwd = await root.inside(path);
  // by folder only: the matcher of globs becomes slow, or worse, by what a model can write
  const below = await glob(folder === "" ? "**" : `${escapePath(folder)}/**`, {
    cwd,
    dot: dot || namesDot,
    ignore: [...ignore],
    expandDirectories: false,
    followSymbolicLinks: false,
    ...(depth === undefined ? {} : { deep: depth }),
    ...(signal === undefined ? {} : { signal }),
  });
  // aborted, it answers with what it had found
  signal?.throwIfAborted();
  const found = (await matching(below, matches, signal)).map((file) => join(cwd, file));
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

/** The files that match. Others get their turn meanwhile, who may end the run. */
async function matching(
  files: readonly string[],
  matches: (path: string) => boolean,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const kept: string[] = [];
  let turn = Date.now();
  for (const file of files) {
    if (matches(file)) kept.push(file);
    if (Date.now() - turn < LONGEST_TURN) continue;
    await setImmediate();
    signal?.throwIfAborted();
    turn = Date.now();
  }
  return kept;
}

/** Undefined for what is gone by now. */
async function changedAt(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mtimeMs;
  } catch {
    return undefined;
  }
}
