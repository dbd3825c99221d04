/**
 * Lets somebody outside stop a run between two steps: what is running is finished and stored, then
 * the run ends with `GraphDrained`, to be resumed later. Make a new one for each run: once asked, it
 * stays asked.
 *
 * @example
 * const control = new RunControl();
 * process.once("SIGTERM", () => control.requestDrain("sigterm"));
 * await graph.invoke(input, { ...config, control });
 */
export class RunControl {
  #reason: string | undefined;

  /** Asks the run to stop before its next step. Does not cancel anything. */
  requestDrain(reason = "shutdown"): void {
    this.#reason = reason;
  }
  get drainRequested(): boolean {
    return this.#reason !== undefined;
  }
  /** What the last `requestDrain` was given. */
  get drainReason(): string | undefined {
    return this.#reason;
  }
}
