import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { bundlePrograms } from "../../../packages/bench/src/bundle.ts";

const MAIN = join(import.meta.dirname, "../src/main.ts");
// beside the packages that the program loads by name when it needs them
const folder = mkdtempSync(join(import.meta.dirname, "../node_modules/.bundle-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
/** What `node` is told to run: the program as its source is now, bundled once so that it starts fast. */
export const NODE_ARGS = await bundlePrograms([MAIN], folder);

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** `--json` output: one value a line. */
  readonly json: readonly Record<string, unknown>[];
}

export interface RunOptions {
  readonly cwd: string;
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs the real program in a process of its own, without keys and without a terminal. */
export function skein(args: readonly string[], { cwd, input = "", env = {} }: RunOptions): Promise<Ended> {
  const { OPENAI_API_KEY: _openai, ANTHROPIC_API_KEY: _anthropic, ...inherited } = process.env;
  const child = spawn(process.execPath, [...NODE_ARGS, ...args], {
    cwd,
    env: { ...inherited, NO_COLOR: "1", ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      const lines = args.includes("--json") ? stdout.split("\n").filter(Boolean) : [];
      resolve({
        code,
        stdout,
        stderr,
        json: lines.map((line) => JSON.parse(line) as Record<string, unknown>),
      });
    });
  });
}
