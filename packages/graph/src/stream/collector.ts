import type { Interrupt } from "../errors/signals.ts";
import { INTERRUPT } from "../ids/names.ts";
import type { RunEvent } from "../run/events.ts";
import type { Run, RunListener } from "../run/run.ts";
import { interruptsOf, outputOf, wroteAny } from "./payloads.ts";

/** Follows a run for its result only: the last state, read once, and what the run waits for. */
export class ResultCollector implements RunListener {
  readonly onlyResult = true;
  #hasState = false;
  #waits = false;
  readonly #interrupts: Interrupt[] = [];

  on(event: RunEvent, run: Run): void {
    if (event.type === "state") {
      if (this.#hasState) return;
      this.#hasState = event.tasks === "all" || wroteAny(event.tasks, run.options.outputKeys);
    } else if (event.type === "breakpoint") this.#waits = true;
    else if (event.type === "task-end" && event.writes[0]?.[0] === INTERRUPT) {
      this.#waits = true;
      this.#interrupts.push(...interruptsOf(event.writes));
    }
  }
  result(run: Run): unknown {
    const output = this.#hasState ? outputOf(run) : undefined;
    return this.#waits ? withQuestions(output, this.#interrupts) : output;
  }
}

/** What a call returns of a run that waits. */
export function withQuestions(output: unknown, interrupts: readonly unknown[]): unknown {
  // a bare value that is no object has no place for what the run waits for; getState tells it
  if (typeof output !== "object" && output !== undefined) return output;
  return { ...output, [INTERRUPT]: interrupts };
}
