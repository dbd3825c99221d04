import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MemorySaver } from "@skein/checkpointer/memory";
import type { Durability } from "@skein/graph";
import { bundleQuickStart } from "../../packages/bench/src/bundle.ts";
import type { Ground, Place } from "./grounds.ts";
import { crashProgram, endedTurns, runTo, storedCount, visible } from "./program.ts";

/**
 * When to strike: at a boundary of the driver's calls, counted from the program's start (`empty`: on
 * a storage without tables), or at some part of the time that a whole run takes.
 */
export type Moment =
  | { readonly boundary: number; readonly empty?: boolean }
  | { readonly part: number; readonly durability: Durability };

/** What the worker had said before it ended. */
interface Testament {
  /** The greatest count that a task saw: what made it is on disk. */
  readonly count: number;
  /** Tasks that had been reported finished. */
  readonly finished: ReadonlySet<string>;
  /** Turns whose calls had ended. */
  readonly turns: number;
  /** Whether it ended before its time. */
  readonly isDead: boolean;
  /** Boundaries up to the tables being there, and in all if it came so far. */
  readonly ready: number;
  readonly boundaries: number | undefined;
  /** Milliseconds from then to its end. */
  readonly ms: number;
}

/**
 * Strikes real processes that run a thread on a real storage, each at another moment. After each
 * strike this process opens the storage and runs the thread to its end.
 */
export class CrashMatrix {
  readonly #turns: number;
  readonly #ground: Ground;
  readonly #folder = mkdtempSync(join(tmpdir(), "skein-crash-worker-"));
  #script = "";
  #expected: unknown;
  #ms = 0;
  /** Boundaries that a run without a crash passes where tables are, and those up to new tables. */
  boundaries = 0;
  setupBoundaries = 0;
  /** Strikes that came in time. */
  kills = 0;

  private constructor(ground: Ground, turns: number) {
    this.#ground = ground;
    this.#turns = turns;
  }

  static async prepare(ground: Ground, turns: number): Promise<CrashMatrix> {
    const matrix = new CrashMatrix(ground, turns);
    matrix.#script = await bundleQuickStart(join(import.meta.dirname, "worker.ts"), matrix.#folder);
    const graph = crashProgram(new MemorySaver(), { started: () => {} });
    await runTo(graph, "thread", turns);
    matrix.#expected = await visible(graph, "thread");
    matrix.setupBoundaries = (await matrix.#run(ground.place(true), undefined)).ready;
    // this one makes the tables that the others share
    await matrix.#run(ground.place(false), undefined);
    const whole = await matrix.#run(ground.place(false), undefined);
    assert(whole.boundaries !== undefined, "a run that nobody struck did not come to its end");
    matrix.boundaries = whole.boundaries;
    matrix.#ms = whole.ms;
    return matrix;
  }

  async close(): Promise<void> {
    rmSync(this.#folder, { recursive: true, force: true });
    await this.#ground.close();
  }

  /**
   * Strikes one run at every moment, in any order.
   *
   * @param lanes - runs at a time
   * @returns boundaries that a run did not come to: it was not the run that was counted
   */
  async strikeAll(moments: readonly Moment[], lanes: number): Promise<Moment[]> {
    const left = [...moments];
    const missed: Moment[] = [];
    const lane = async (): Promise<void> => {
      for (let moment = left.pop(); moment !== undefined; moment = left.pop()) {
        const passed = await inTime(this.#strike(moment), moment);
        if ("boundary" in moment && passed !== undefined && moment.boundary >= passed) missed.push(moment);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    return missed;
  }

  /** @returns the boundaries of a run that came to its end, as one does whose server dies at the last */
  async #strike(moment: Moment): Promise<number | undefined> {
    const place = this.#ground.place("empty" in moment && moment.empty === true);
    const said = await this.#run(place, moment);
    if (said.isDead) this.kills += 1;
    await place.settle();
    const saver = place.open();
    try {
      const again: string[] = [];
      const graph = crashProgram(saver, { started: (task) => void again.push(task) });
      const count = await storedCount(graph, place.thread);
      // F9: whatever a task had seen was on disk before the task started
      assert(count >= said.count, `a task saw a count of ${said.count}, which is not on disk`);
      const turns = await endedTurns(graph, place.thread);
      assert(turns >= said.turns, `${said.turns} turns had ended, and ${turns} are on disk`);
      await runTo(graph, place.thread, this.#turns);
      // I6: what was reported finished is not run again
      assert.deepEqual(
        again.filter((task) => said.finished.has(task)),
        [],
      );
      assert.deepEqual(await visible(graph, place.thread), this.#expected);
    } catch (error) {
      throw new Error(`struck at ${JSON.stringify(moment)} of ${this.boundaries}`, { cause: error });
    } finally {
      await saver.close();
      place.remove();
    }
    return said.boundaries;
  }

  async #run(place: Place, moment: Moment | undefined): Promise<Testament> {
    const durability = moment !== undefined && "durability" in moment ? moment.durability : "sync";
    const args = [this.#script, place.store, place.thread, String(this.#turns), durability];
    if (moment !== undefined && "boundary" in moment) args.push(String(moment.boundary));
    if (args.length === 6 && place.victim !== undefined) args.push(String(place.victim));
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    let start = 0;
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      start ||= performance.now();
      output += chunk;
    });
    const closed = once(child, "close") as Promise<[code: number | null, signal: string | null]>;
    if (moment !== undefined && "part" in moment) {
      await Promise.race([once(child.stdout, "data"), closed]);
      await sleep(moment.part * this.#ms);
      place.strike(child);
    }
    const [code, signal] = await closed;
    const isDead = signal === "SIGKILL" || code === 3;
    const said = { ...testament(output), ms: performance.now() - start, isDead };
    assert(
      moment === undefined ? code === 0 : isDead || code === 0,
      `the worker ended with ${code ?? signal}`,
    );
    assert(code !== 0 || said.boundaries !== undefined, "the worker ended early");
    return said;
  }
}

/** One takes two seconds where much else is at work. */
const STUCK = 120_000;

/** What hangs says where, instead of ending as a test that took too long. */
async function inTime<T>(strike: Promise<T>, moment: Moment): Promise<T> {
  const over = new AbortController();
  const stuck = sleep(STUCK, undefined, { signal: over.signal }).then(() => {
    throw new Error(`struck at ${JSON.stringify(moment)}, it hangs`);
  });
  // the timer ends in an error when it is called off, which nobody waits for
  stuck.catch(() => {});
  try {
    return await Promise.race([strike, stuck]);
  } finally {
    over.abort();
  }
}

function testament(output: string): Omit<Testament, "ms" | "isDead"> {
  let count = 0;
  let turns = 0;
  let ready = 0;
  let boundaries: number | undefined;
  const finished = new Set<string>();
  // a last line without an end was not said
  for (const line of output.split("\n").slice(0, -1)) {
    const [verb, subject = "", number] = line.split(" ");
    if (verb === "started") count = Math.max(count, Number(number));
    else if (verb === "finished") finished.add(subject);
    else if (verb === "ended") turns = Number(subject);
    else if (verb === "ready") ready = Number(subject);
    else if (verb === "boundaries") boundaries = Number(subject);
  }
  return { count, finished, turns, ready, boundaries };
}
