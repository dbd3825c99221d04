import type { RunEvent } from "../run/events.ts";
import type { Run, RunListener } from "../run/run.ts";

/** Several followers of one run as one; the only one as it is; undefined when there is none. */
export function fan(listeners: readonly (RunListener | undefined)[]): RunListener | undefined {
  const present = listeners.filter((listener) => listener !== undefined);
  return present.length < 2 ? present[0] : new Fan(present);
}

class Fan implements RunListener {
  readonly #listeners: readonly RunListener[];

  constructor(listeners: readonly RunListener[]) {
    this.#listeners = listeners;
  }
  on(event: RunEvent, run: Run): void {
    for (const listener of this.#listeners) listener.on(event, run);
  }
  turn(asked: number): Promise<void> | undefined {
    const turns = this.#listeners
      .map((listener) => listener.turn?.(asked))
      .filter((turn) => turn !== undefined);
    return turns.length === 0 ? undefined : Promise.all(turns).then(() => undefined);
  }
}
