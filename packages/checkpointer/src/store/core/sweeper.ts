import { LONGEST_TIMER } from "@skein/errors";

/** Sweeps now and then; never two at a time; never keeps the process alive. */
export class Sweeper {
  readonly #sweep: () => Promise<unknown>;
  readonly #onError: (error: unknown) => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #sweeping: Promise<void> | undefined;

  constructor(sweep: () => Promise<unknown>, onError: (error: unknown) => void) {
    this.#sweep = sweep;
    this.#onError = onError;
  }

  start(milliseconds: number): void {
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(
      () => {
        this.#sweeping ??= this.#sweepOnce();
      },
      Math.min(milliseconds, LONGEST_TIMER),
    );
    // only Node keeps a process alive for a timer
    if (typeof this.#timer === "object") this.#timer.unref();
  }

  /** Resolves when nothing is being swept any more. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#sweeping;
  }

  async #sweepOnce(): Promise<void> {
    try {
      await this.#sweep();
    } catch (error) {
      this.#onError(error);
    } finally {
      this.#sweeping = undefined;
    }
  }
}
