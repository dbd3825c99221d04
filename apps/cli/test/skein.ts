import { spawn } from "node:child_process";
import { join } from "node:path";

const MAIN = join(import.meta.dirname, "../src/main.ts");
/** As `node` is told to run the program from source. */
export const NODE_ARGS = ["--import", import.meta.resolve("tsx"), "--conditions=@skein/source", MAIN];

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
