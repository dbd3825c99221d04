import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemorySaver } from "@skein/checkpointer/memory";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { bundleProgram } from "../../packages/bench/src/bundle.ts";
import { CONFIG, crashProgram, runTo, visible } from "./program.ts";

/** Where a process is killed: at a boundary of a write, or after so many milliseconds of work. */
export type Moment = { readonly boundary: number } | { readonly ms: number };

/** What the killed process had said before it died. */
interface Testament {
  /** The greatest count that a task saw: what made it is on disk. */
  readonly count: number;
  /** Tasks that had been reported finished. */
  readonly finished: ReadonlySet<string>;
  readonly boundaries: number | undefined;
  readonly killed: boolean;
}

/**
 * Kills real processes that run a thread on a SQLite file, each at another moment. After each kill
 * this process opens the file and runs the thread to its end.
 */
export class CrashMatrix {
  readonly #turns: number;
  readonly #folder = mkdtempSync(join(tmpdir(), "skein-crash-"));
  #script = "";
  #expected: unknown;
  #cases = 0;
  /** Boundaries that a run without a crash passes. */
  boundaries = 0;

  constructor(turns: number) {
    this.#turns = turns;
  }

  async prepare(): Promise<void> {
    this.#script = await bundleProgram(join(import.meta.dirname, "worker.ts"), join(this.#folder, "bundle"));
    const graph = crashProgram(new MemorySaver(), { started: () => {} });
    await runTo(graph, this.#turns);
    this.#expected = await visible(graph);
    const { boundaries, killed } = await this.#run(this.#path(), undefined);
    assert(!killed);
    this.boundaries = boundaries as number;
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** @returns whether the process was still at work when it was to be killed */
  async kill(moment: Moment): Promise<boolean> {
    const path = this.#path();
    const { count, finished, killed } = await this.#run(path, moment);
    const saver = SqliteSaver.fromConnString(path);
    try {
      const again: string[] = [];
      const graph = crashProgram(saver, { started: (task) => void again.push(task) });
      const found = await graph.getState(CONFIG);
      // F9: whatever a task had seen was on disk before the task started
      assert((found.values.count ?? 0) >= count, `a task saw a count of ${count}, which is not on disk`);
      await runTo(graph, this.#turns);
      // I6: what was reported finished is not run again
      assert.deepEqual(
        again.filter((task) => finished.has(task)),
        [],
      );
      assert.deepEqual(await visible(graph), this.#expected);
    } finally {
      await saver.close();
      for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
    }
    return killed;
  }

  #path(): string {
    this.#cases += 1;
    return join(this.#folder, `${this.#cases}.db`);
  }

  async #run(path: string, moment: Moment | undefined): Promise<Testament> {
    const boundary = moment !== undefined && "boundary" in moment ? [String(moment.boundary)] : [];
    const child = spawn(process.execPath, [this.#script, path, String(this.#turns), ...boundary], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
    const closed = once(child, "close") as Promise<[number | null, string | null]>;
    if (moment !== undefined && "ms" in moment) {
      await Promise.race([once(child.stdout, "data"), closed]);
      await new Promise((resolve) => setTimeout(resolve, moment.ms));
      child.kill("SIGKILL");
    }
    const [, signal] = await closed;
    return testament(output, signal === "SIGKILL");
  }
}

function testament(output: string, killed: boolean): Testament {
  let count = 0;
  let boundaries: number | undefined;
  const finished = new Set<string>();
  // a last line without an end was not said
  for (const line of output.split("\n").slice(0, -1)) {
    const [verb, subject = "", number] = line.split(" ");
    if (verb === "started") count = Math.max(count, Number(number));
    else if (verb === "finished") finished.add(subject);
    else if (verb === "boundaries") boundaries = Number(subject);
  }
  return { count, finished, boundaries, killed };
}
