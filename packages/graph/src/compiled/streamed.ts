import { INTERRUPT } from "../ids/names.ts";
import { withQuestions } from "../stream/collector.ts";
import { isInterrupted } from "../task/interrupt.ts";

/** All chunks of a stream. */
export async function chunksOf(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const chunks: unknown[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

/** What a call returns of a run whose states are streamed: the last of them, and what the run waits for. */
export async function resultOf(states: AsyncIterable<unknown>): Promise<unknown> {
  let output: unknown;
  let interrupts: unknown[] | undefined;
  for await (const chunk of states) {
    if (isInterrupted(chunk)) interrupts = [...(interrupts ?? []), ...chunk[INTERRUPT]];
    else output = chunk;
  }
  return interrupts === undefined ? output : withQuestions(output, interrupts);
}
