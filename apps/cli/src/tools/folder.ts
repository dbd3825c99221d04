import { realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { globby } from "globby";

/** Folders that no tool looks into: what they hold was made by machines, or is ours. */
const IGNORED = ["**/.git", "**/node_modules", "**/.skein"] as const;

/** The part of the file system that tools may see: one folder, and nothing that leads out of it. */
export interface Folder {
  /** Absolute, symbolic links resolved. */
  readonly root: string;
}

/** A path as tools print it: relative to the folder, with `/` on every system. */
export function displayPath(folder: Folder, absolute: string): string {
  return relative(folder.root, absolute).split(sep).join("/") || ".";
}

export async function openFolder(path: string): Promise<Folder> {
  return { root: await realpath(resolve(path)) };
}

/**
 * The real, absolute path of something in the folder. Links are resolved before the check, so that a
 * link inside the folder cannot lead out of it.
 *
 * @throws Error, with a sentence for the model, if it does not exist or is outside.
 */
export async function locate(folder: Folder, path: string): Promise<string> {
  const wanted = resolve(folder.root, path);
  if (!isInside(folder.root, wanted)) throw outside(path);
  const real = await realpath(wanted).catch(() => {
    throw new Error(`There is no "${path}" in this folder. list_files shows what is there.`);
  });
  if (!isInside(folder.root, real)) throw outside(path);
  if (displayPath(folder, real).split("/").some(isIgnored)) {
    throw new Error(`"${path}" is in a folder that the tools leave alone (.git, node_modules, .skein).`);
  }
  return real;
}

function isIgnored(name: string): boolean {
  return name === ".git" || name === "node_modules" || name === ".skein";
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function outside(path: string): Error {
  return new Error(`"${path}" is outside the folder that the tools may see. Use a path inside it.`);
}

/** Files below `at`, sorted, .gitignore honoured; symbolic links are not followed. */
export async function findFiles(folder: Folder, at: string, pattern = "**/*"): Promise<string[]> {
  const cwd = await locate(folder, at);
  if (!(await stat(cwd)).isDirectory()) return [cwd];
  const found = await globby(safePattern(pattern), {
    cwd,
    absolute: true,
    dot: true,
    gitignore: true,
    onlyFiles: true,
    followSymbolicLinks: false,
    ignore: [...IGNORED],
    suppressErrors: true,
  });
  return found.sort();
}

/** Refuses patterns that climb out of the folder: globbing would follow them. */
function safePattern(pattern: string): string {
  if (isAbsolute(pattern) || pattern.split(/[/\\{},]/).includes("..")) throw outside(pattern);
  return pattern;
}
