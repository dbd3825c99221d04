/**
 * Keeps failures in a fixed place: one at a time, and only when the step's other tasks are finished,
 * so that what stands after a failed step depends on the program and not on the clock.
 */
export class Pace {
  readonly #tick: () => Promise<unknown>;
  #busy = 0;
  #failing = false;
  readonly #candidates: number[] = [];
  /** Of two tasks of one rank, nothing but the clock tells which fails: then none of the step does. */
  #tied = false;
  readonly #failures = new Map<string, number>();

  /** @param saves - how the saver takes its time: within turns of the event loop, or over a network */
  constructor(saves: "at once" | "far away" = "at once") {
    this.#tick = saves === "at once" ? turn : pause;
  }

  /** Runs the body of a node that works. */
  async work<T>(body: () => Promise<T>): Promise<T> {
    this.#busy += 1;
    try {
      return await body();
    } finally {
      this.#busy -= 1;
    }
  }
  /**
   * Throws if it is the node's turn to fail. Of several that would fail in one step, the one of the
   * lowest rank does; the others work, and fail another time.
   */
  async trouble(name: string, rank: number, failures: number): Promise<void> {
    if ((this.#failures.get(name) ?? 0) >= failures || this.#failing) return;
    if (this.#candidates.includes(rank)) this.#tied = true;
    this.#candidates.push(rank);
    await this.#ticks(START_TICKS);
    const isFirst = !this.#failing && !this.#tied && Math.min(...this.#candidates) === rank;
    this.#candidates.splice(this.#candidates.indexOf(rank), 1);
    if (this.#candidates.length === 0) this.#tied = false;
    if (!isFirst) return;
    this.#failing = true;
    this.#failures.set(name, (this.#failures.get(name) ?? 0) + 1);
    for (let idle = 0; idle < QUIET_TICKS; idle = this.#busy > 0 ? 0 : idle + 1) await this.#ticks(1);
    this.#failing = false;
    throw new Error(`user: ${name} fails`);
  }

  async #ticks(count: number): Promise<void> {
    for (let tick = 0; tick < count; tick += 1) await this.#tick();
  }
}

const turn = (): Promise<unknown> => new Promise(setImmediate);
const pause = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 2));

/** Of the tasks of a node, by its place among the nodes: the one that an edge starts comes before those of Sends. */
export const rankOf = (place: number, item: number | undefined): number =>
  place * 4 + (item === undefined ? 0 : item + 1);

/** Turns of the event loop in which either engine starts all tasks of a step. */
const START_TICKS = 8;
/** Turns in which it gets from one node to the next, also in a graph that a node calls. */
const QUIET_TICKS = 25;
