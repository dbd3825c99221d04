import { fork, type ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { BadInput, EXIT } from "../errors.ts";
import { requireFolder } from "../input.ts";
import type { PresetName } from "@skein/middleware/presets";
import { DEFAULT_PRESET } from "../presets.ts";
import type { CommonOptions } from "../options.ts";
import { fileBytes, openStore, prepareStore } from "../database.ts";
import type { Check } from "../tour/check.ts";
import { readJournal } from "../tour/journal.ts";
import { type Kill, listen, taskEnvironment, type WorkerMessage, type WorkerTask } from "../tour/protocol.ts";
import { printReport, reportOf, type Report } from "../tour/report.ts";
import { chatCommand, commandLine } from "../ui/invocation.ts";
import { createOutput } from "../ui/output.ts";
import { createProgress, type Progress } from "../ui/progress.ts";
import { onStop } from "../ui/stop.ts";

export interface TourOptions extends CommonOptions {
  readonly messages: number;
  readonly dir: string;
  readonly preset?: PresetName;
}

const MOST_MESSAGES = 1_000_000;
/** Where in the tour the kill comes, as a share of its messages. */
const KILL_AT = 0.6;

/** Works, kills its own worker in the middle of a superstep, resumes, and settles the accounts. */
export async function tour(options: TourOptions): Promise<number> {
  const dir = await requireFolder(options.dir);
  if (options.messages < 20)
    throw new BadInput("--messages must be at least 20: the kill comes in the middle.");
  if (options.messages > MOST_MESSAGES)
    throw new BadInput(`--messages must be at most ${MOST_MESSAGES}: more would take days.`);
  const db = resolve(options.db);
  await prepareStore(db);
  // A database that cannot be used is told here, in one line, and not by a worker.
  await (await openStore(db, "write")).close();
  const thread = `tour-${new Date().toISOString().slice(0, 19).replace(/\D/g, "")}-${process.pid}`;
  const preset = options.preset ?? DEFAULT_PRESET;
  const journal = join(dirname(db), `${thread}.journal.jsonl`);
  const task: WorkerTask = { db, dir, thread, journal, preset, messages: options.messages };
  const progress = createProgress("messages", options.messages);
  const started = performance.now();
  const before = await fileBytes(db);
  // However it is stopped, the thread resumes; only the accounts are not settled.
  onStop(() => {
    progress.stop();
    const sentence = whatStays(thread, journal, options);
    rmSync(journal, { force: true });
    return sentence;
  });
  const kill = await workUntilKilled({ ...task, holdAt: Math.floor(KILL_AT * options.messages) }, progress);
  progress.say(`killed the worker (SIGKILL) while tool call ${kill.callId} was running; a new one resumes`);
  await work("tour-worker", task, (message) => {
    if (message.type === "progress") progress.update(message.messages);
  });
  progress.stop();
  const check = await checkFromDisk(task);
  const report = reportOf({
    options,
    thread,
    check,
    journal: readJournal(journal),
    kill,
    grown: (await fileBytes(db)) - before,
    seconds: (performance.now() - started) / 1_000,
  });
  if (report.ok) rmSync(journal);
  finish(report, options.json);
  return report.ok ? EXIT.ok : EXIT.failed;
}

/** What a worker has reported is stored; before that there may be no thread to go on with. */
export function whatStays(
  thread: string,
  journal: string,
  options: Pick<TourOptions, "db" | "dir" | "preset">,
): string {
  return readJournal(journal).some(({ type }) => type === "message")
    ? `stopped. What was done is saved; go on with: ${chatCommand(thread, options)}`
    : `stopped before anything was said; begin again with: ${commandLine(["tour"], options.db)}`;
}

function finish(report: Report, json: boolean): void {
  const output = createOutput(json);
  output.data(report);
  printReport(report, output);
}

async function workUntilKilled(task: WorkerTask, progress: Progress): Promise<Kill> {
  let kill: Omit<Kill, "signal"> | undefined;
  const signal = await work("tour-worker", task, (message, child) => {
    if (message.type === "progress") progress.update(message.messages);
    if (message.type !== "holding") return;
    kill = { callId: message.callId, finishedSiblings: message.finished.length };
    child.kill("SIGKILL");
  });
  if (!kill || signal === null) throw new Error("The worker ended before it could be killed in a superstep.");
  return { ...kill, signal };
}

async function checkFromDisk(task: WorkerTask): Promise<Check> {
  let check: Check | undefined;
  await work("tour-check", task, (message) => {
    if (message.type === "checked") check = message.check as Check;
  });
  if (!check) throw new Error("The check ended without a result.");
  return check;
}

/** Runs this program again, with a hidden command. Gives the signal that ended it, null for a clean end. */
function work(
  command: "tour-worker" | "tour-check",
  task: WorkerTask,
  onMessage: (message: WorkerMessage, child: ChildProcess) => void,
): Promise<NodeJS.Signals | null> {
  const child = fork(process.argv[1] as string, [command], {
    env: taskEnvironment(task),
    stdio: ["ignore", 2, 2, "ipc"],
  });
  const stop = (): void => {
    child.kill("SIGKILL");
  };
  process.once("exit", stop);
  listen(child, (message) => onMessage(message, child));
  return new Promise((fulfil, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      process.removeListener("exit", stop);
      if (code === null || code === 0) fulfil(signal);
      else reject(new Error(`The tour's worker failed with exit code ${code}; its message stands above.`));
    });
  });
}
