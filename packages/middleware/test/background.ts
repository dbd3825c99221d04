import type { SummaryAhead } from "../src/summarization/index.ts";
import { newThread } from "./harness.ts";

/** A window of 6 messages that is compacted at 12, prepared for at 10. */
export const base = { trigger: { messages: 12 }, keep: { messages: 6 }, background: true } as const;

export const macrotask = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 2));

/** A thread with a place for what was prepared. */
export type Held = ReturnType<typeof newThread> & { _summaryAhead?: SummaryAhead | null | undefined };
export const newHeld = (): Held => ({ ...newThread(), _summaryAhead: null });
