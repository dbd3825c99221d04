import type { ChildProcess } from "node:child_process";
import type { PresetName } from "@skein/middleware/presets";

/** What a worker is told when it starts, through its environment. */
export interface WorkerTask {
  readonly db: string;
  readonly dir: string;
  readonly thread: string;
  readonly journal: string;
  readonly preset: PresetName;
  /** Messages at which the thread is long enough. */
  readonly messages: number;
  /**
   * Messages from which on the worker, in a superstep whose other tool calls are finished, reports a
   * running one and holds it, so that the parent can kill it there and nowhere else. Undefined: never.
   */
  readonly holdAt?: number;
}

/** What a worker tells its parent. */
export type WorkerMessage =
  | { readonly type: "progress"; readonly messages: number }
  /** A tool call has done its work but not returned; the others of its superstep are on disk. */
  | { readonly type: "holding"; readonly callId: string; readonly finished: readonly string[] }
  | { readonly type: "done"; readonly messages: number }
  | { readonly type: "checked"; readonly check: unknown };

/** How the first worker ended. */
export interface Kill {
  readonly callId: string;
  /** Tool calls of the same superstep that were finished. */
  readonly finishedSiblings: number;
  readonly signal: string;
}

const VARIABLE = "SKEIN_TOUR_TASK";

export function taskEnvironment(task: WorkerTask): NodeJS.ProcessEnv {
  return { ...process.env, [VARIABLE]: JSON.stringify(task) };
}

export function readTask(): WorkerTask {
  const text = process.env[VARIABLE];
  if (text === undefined) throw new Error("This command is part of `skein tour`; run that instead.");
  return JSON.parse(text) as WorkerTask;
}

export function tell(message: WorkerMessage): Promise<void> {
  return new Promise((resolve, reject) => {
    if (!process.send) return reject(new Error("This process has no parent to report to."));
    process.send(message, undefined, {}, (error) => (error ? reject(error) : resolve()));
  });
}

export function listen(child: ChildProcess, listener: (message: WorkerMessage) => void): void {
  child.on("message", (message) => listener(message as WorkerMessage));
}
