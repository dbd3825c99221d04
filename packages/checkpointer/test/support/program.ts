import { spawn, type ChildProcessByStdio } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, parse } from "node:path";
import type { Readable, Writable } from "node:stream";
import { bundleQuickStart } from "../../../bench/src/bundle.ts";

const folder = mkdtempSync(join(tmpdir(), "skein-programs-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const scripts = new Map<string, Promise<string>>();

/**
 * Starts a program of the tests in a process of its own, from its source as it is now.
 *
 * @param source - path of the program, without `await` at its top level
 */
export async function startProgram(
  source: string,
  ...args: string[]
): Promise<ChildProcessByStdio<Writable, Readable, null>> {
  const outdir = join(folder, parse(source).name);
  const script = scripts.get(source) ?? bundleQuickStart(source, outdir);
  scripts.set(source, script);
  return spawn(process.execPath, [await script, ...args], { stdio: ["pipe", "pipe", "inherit"] });
}
