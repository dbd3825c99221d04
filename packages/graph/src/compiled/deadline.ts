import { LONGEST_TIMER } from "@skein/errors";
import { BaseLangGraphError } from "../errors/base.ts";
import { GraphValueError } from "../errors/errors.ts";
import type { RunEvent } from "../run/events.ts";
import type { Run, RunListener } from "../run/run.ts";

/** How long things may take, in milliseconds; undefined: for ever. */
export interface Limits {
  /** The call: its `timeout`. */
  readonly timeout: number | undefined;
  /** One superstep: the graph's `stepTimeout`. */
  readonly stepTimeout: number | undefined;
}

/** Aborts a run when it, or one of its steps, takes too long. */
export class Deadline implements RunListener {
  readonly #limits: Limits;
  readonly #stop = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #forward: () => void;
  readonly #run: ReturnType<typeof setTimeout> | undefined;
  #step: ReturnType<typeof setTimeout> | undefined;

  /** @param outer - also aborts the run */
  constructor(limits: Limits, outer: AbortSignal | undefined) {
    this.#limits = limits;
    this.#outer = outer;
    this.#forward = () => this.#stop.abort(outer?.reason);
    if (outer?.aborted) this.#forward();
    outer?.addEventListener("abort", this.#forward, { once: true });
    this.#run = this.#after("timeout", () => "The run");
  }
  /** Undefined for a run without limits. @throws GraphValueError for a limit that is none */
  static of(limits: Limits, outer: AbortSignal | undefined): Deadline | undefined {
    if (limits.timeout === undefined && limits.stepTimeout === undefined) return undefined;
    const given = Object.entries(limits).filter(([, limit]) => limit !== undefined);
    for (const [name, limit] of given) {
      if (typeof limit !== "number" || !(limit > 0))
        throw new GraphValueError(`"${name}" is a number of milliseconds above 0.`);
    }
    return new Deadline(limits, outer);
  }
  get signal(): AbortSignal {
    return this.#stop.signal;
  }
  on(event: RunEvent, run: Run): void {
    if (event.type !== "state" && event.type !== "tasks-start") return;
    clearTimeout(this.#step);
    if (event.type === "state") return;
    this.#step = this.#after("stepTimeout", () => `Superstep ${run.snapshot.step}`);
  }
  end(): void {
    clearTimeout(this.#run);
    clearTimeout(this.#step);
    this.#outer?.removeEventListener("abort", this.#forward);
  }
  #after(name: keyof Limits, what: () => string): ReturnType<typeof setTimeout> | undefined {
    const limit = this.#limits[name];
    if (limit === undefined || limit > LONGEST_TIMER) return undefined;
    return setTimeout(() => this.#stop.abort(tookTooLong(what(), name, limit)), limit);
  }
}

function tookTooLong(what: string, name: keyof Limits, limit: number): BaseLangGraphError {
  const error = new BaseLangGraphError(
    "TIMEOUT",
    `${what} took longer than its ${name} of ${limit} ms and was aborted. Finished tasks are kept: go on from there, or raise it.`,
    { details: { [name]: limit } },
  );
  error.name = "TimeoutError";
  return error;
}
