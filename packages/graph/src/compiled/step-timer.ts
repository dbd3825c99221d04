import { BaseLangGraphError } from "../errors/base.ts";
import { GraphValueError } from "../errors/errors.ts";
import type { RunEvent } from "../run/events.ts";
import type { Run, RunListener } from "../run/run.ts";

/** Aborts a run when one of its steps takes too long. */
export class StepTimer implements RunListener {
  readonly #limit: number;
  readonly #stop = new AbortController();
  readonly #outer: AbortSignal | undefined;
  readonly #forward: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param limit - milliseconds @param outer - also aborts the run */
  constructor(limit: number, outer: AbortSignal | undefined) {
    if (!(limit > 0)) throw new GraphValueError('"stepTimeout" is a number of milliseconds above 0.');
    this.#limit = limit;
    this.#outer = outer;
    this.#forward = () => this.#stop.abort(outer?.reason);
    if (outer?.aborted === true) this.#forward();
    outer?.addEventListener("abort", this.#forward, { once: true });
  }
  get signal(): AbortSignal {
    return this.#stop.signal;
  }
  on(event: RunEvent, run: Run): void {
    if (event.type === "state") clearTimeout(this.#timer);
    if (event.type !== "tasks-start") return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => this.#stop.abort(tookTooLong(run.snapshot.step, this.#limit)),
      this.#limit,
    );
  }
  end(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener("abort", this.#forward);
  }
}

function tookTooLong(step: number, limit: number): BaseLangGraphError {
  const error = new BaseLangGraphError(
    "TIMEOUT",
    `Superstep ${step} took longer than the graph's stepTimeout of ${limit} ms. Its finished tasks are kept; raise the limit, or resume.`,
    { details: { step, stepTimeout: limit } },
  );
  error.name = "TimeoutError";
  return error;
}
