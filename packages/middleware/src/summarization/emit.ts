import type { CompactionEvent } from "./events.ts";
import type { Setup } from "./options.ts";

export type Emit = (event: CompactionEvent) => void;

/** Sends events to `onEvent`, and to the run's stream where there is one. */
export function emitter(
  writer: ((chunk: unknown) => void) | undefined,
  { onEvent }: Pick<Setup, "onEvent">,
): Emit {
  return (event) => {
    writer?.(event);
    const report = (error: unknown): void =>
      console.warn(`onEvent of summarization threw on ${event.type}:`, error);
    try {
      const pending = onEvent?.(event);
      // nobody waits for a listener
      if (pending instanceof Promise) pending.catch(report);
    } catch (error) {
      report(error);
    }
  };
}
