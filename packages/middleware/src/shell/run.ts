import { spawn, type ChildProcess } from "node:child_process";
import { LONGEST_TIMER } from "@skein/errors";
import { Output } from "./output.ts";

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

export interface RunOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeout: number;
  readonly maxOutputChars: number;
  readonly maxOutputLines: number;
}

export interface Ran {
  readonly output: string;
  /** Null when it was stopped. */
  readonly code: number | null;
  readonly why: "exit" | "timeout" | "signal";
}

/** From the first signal to the one that nothing survives, in milliseconds. */
const GRACE = 1000;
/** Milliseconds from the end of a command until its output is taken for whole, whoever else may still write there. */
const DRAIN = 100;

/**
 * Runs a command in a process group of its own. When it ends, is aborted or takes too long, the whole
 * group is killed: nothing that it started in the background goes on, unless it left the group. Nobody waits
 * for what did.
 */
export function runCommand(
  { file, args }: Command,
  options: RunOptions,
  signal: AbortSignal | undefined,
): Promise<Ran> {
  signal?.throwIfAborted();
  const output = new Output(options.maxOutputChars);
  const child = spawn(file, args, {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout.on("data", output.sink());
  child.stderr.on("data", output.sink());
  return new Promise((resolve, reject) => {
    let stopped: "timeout" | "abort" | undefined;
    let hard: NodeJS.Timeout | undefined;
    let drain: NodeJS.Timeout | undefined;
    const stop = (why: "timeout" | "abort"): void => {
      stopped ??= why;
      killGroup(child, "SIGTERM");
      hard ??= setTimeout(() => killGroup(child, "SIGKILL"), GRACE);
    };
    const onAbort = (): void => stop("abort");
    const timer = setTimeout(() => stop("timeout"), Math.min(options.timeout, LONGEST_TIMER));
    const clear = (): void => {
      clearTimeout(timer);
      clearTimeout(hard);
      clearTimeout(drain);
      signal?.removeEventListener("abort", onAbort);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    child.once("error", (error) => {
      clear();
      reject(error);
    });
    // background processes keep the pipes open: the group must go before "close" can come
    child.once("exit", () => {
      killGroup(child, "SIGKILL");
      drain = setTimeout(() => setImmediate(letGo, child), DRAIN);
    });
    child.once("close", (code, killedBy) => {
      clear();
      if (stopped === "abort") return reject(signal?.reason as Error);
      const why = stopped ?? (killedBy === null ? "exit" : "signal");
      return resolve({ output: output.text(options.maxOutputLines), code, why });
    });
  });
}

/** What left the group holds the pipes as long as it likes. An immediate comes behind what stood in them. */
function letGo({ stdout, stderr }: ChildProcess): void {
  stdout?.destroy();
  stderr?.destroy();
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // nothing of the group is left
  }
}
