import type { BaseMessage } from "@langchain/core/messages";
import { createMiddleware } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { countOrphans, fromRecordedMessage, repair, toRecorded, type RecordedThread } from "@skein/context";
import { ClearToolUsesEdit, contextEditingMiddleware } from "@skein/middleware/context-editing";
import { recallMiddleware } from "@skein/middleware/recall";
import { runLoopsMiddleware } from "@skein/middleware/run-loops";
import { summarizationMiddleware } from "@skein/middleware/summarization";
import { toolOutputCompressionMiddleware } from "@skein/middleware/tool-output-compression";
import { toolOutputOffloadingMiddleware } from "@skein/middleware/tool-output-offloading";
import { expect } from "vitest";
import { playThread, type Played, type ReplayContext } from "../src/replay/run-thread.ts";

const now = () => 0;

/** Whatever shapes tool outputs, at limits that even short threads reach. */
const outputs = () => [
  toolOutputOffloadingMiddleware({ limit: 120, keep: 40 }),
  toolOutputCompressionMiddleware({ limit: 30, keepTurns: 1, saveAtLeast: 1 }),
  contextEditingMiddleware({
    edits: [
      new ClearToolUsesEdit({
        trigger: { tokens: 500 },
        keep: { messages: 2 },
        saveAtLeast: 1,
        clearToolInputs: true,
      }),
    ],
  }),
];

/** Several middleware at once, with small windows. Those that summarize must cover what they take. */
export const SHAPES: Readonly<Record<string, { readonly max: number; readonly context: ReplayContext }>> = {
  "offloading, compression, clearing, summaries with a maximum, recall": {
    max: 900,
    context: (onEvent) => [
      ...outputs(),
      recallMiddleware(),
      summarizationMiddleware({
        summarizer: "extractive",
        trigger: [{ messages: 10 }, { tokens: 800 }],
        keep: { messages: 4 },
        max: { tokens: 900 },
        summaryTokens: 100,
        now,
        onEvent,
      }),
    ],
  },
  "compression, summaries by turns and within budgets, as a user message": {
    max: 720,
    context: (onEvent) => [
      toolOutputCompressionMiddleware({ limit: 30, keepTurns: 1, saveAtLeast: 1 }),
      summarizationMiddleware({
        summarizer: "extractive",
        trigger: { turns: 4 },
        keep: { turns: 1 },
        budgets: {},
        window: 1_200,
        summaryTokens: 120,
        placement: "user",
        now,
        onEvent,
      }),
    ],
  },
  "run loops above summaries, offloading, recall": {
    max: Number.POSITIVE_INFINITY,
    context: (onEvent) => [
      ...outputs(),
      runLoopsMiddleware({ loops: 1_000, characters: 80, maxAge: 1e15, now }),
      summarizationMiddleware({
        summarizer: "extractive",
        trigger: { messages: 8 },
        keep: { messages: 5 },
        now,
        onEvent,
      }),
      recallMiddleware(),
    ],
  },
};

/** What a provider is sent of a message. Ids that the agent makes up, for calls without one, are random. */
function asSent(message: BaseMessage): string {
  const { tool_calls: calls, tool_call_id: answers } = message as {
    tool_calls?: unknown;
    tool_call_id?: unknown;
  };
  const sent = JSON.stringify([message.type, message.content, calls ?? [], answers ?? ""]);
  return sent.replaceAll(/call_[0-9a-f]{8}-[0-9a-f-]{27}/gu, "call_?");
}

/** A copy: a play gives its messages ids. */
export const recordingOf = (messages: readonly BaseMessage[]): RecordedThread => ({
  id: "t",
  messages: messages.map((message) => fromRecordedMessage(toRecorded(message))),
  extra: {},
});

interface Watched {
  readonly played: Played;
  readonly prompts: readonly string[][];
}

async function play(
  thread: RecordedThread,
  shape: keyof typeof SHAPES,
  saver: MemorySaver,
): Promise<Watched> {
  const { context, max } = SHAPES[shape] as (typeof SHAPES)[string];
  const prompts: string[][] = [];
  const watch = createMiddleware({
    name: "Watch",
    wrapModelCall: (request, handler) => {
      const { messages } = request;
      expect(countOrphans(messages)).toBe(0);
      expect(repair(messages).messages).toBe(messages);
      prompts.push(messages.map(asSent));
      return handler(request);
    },
  });
  const toolNames = [
    ...new Set(
      thread.messages.flatMap((message) => (toRecorded(message).tool_calls ?? []).map(({ name }) => name)),
    ),
  ];
  const played = await playThread(thread, "t", {
    saver,
    max,
    toolNames,
    context: (onEvent) => [...context(onEvent), watch],
  });
  return { played, prompts };
}

const bare = (message: object): object => ({ ...message, id: undefined });

/**
 * Plays a thread through an agent with several middleware and holds it, at every model call, to what
 * is promised: no orphan is sent, every message is in the window, covered or said to be left out, the full track equals
 * what was appended, repair changes nothing twice, a maximum holds or somebody says so.
 *
 * @param make - the thread, made anew for each play: a play gives its messages ids
 */
export async function holds(
  make: () => RecordedThread,
  shape: keyof typeof SHAPES,
  again: boolean,
): Promise<Played> {
  const saver = new MemorySaver();
  const { played, prompts } = await play(make(), shape, saver);
  expect([played.orphans, played.unsaid]).toEqual([0, 0]);
  // run loops leave out without a summary, and say so
  expect(played.uncovered).toBeLessThanOrEqual(played.loops.removed);
  const stored = await saver.getTuple({ configurable: { thread_id: "t" } });
  const history = (stored?.checkpoint.channel_values["full_messages"] ?? []) as BaseMessage[];
  expect(history.map((message) => bare(toRecorded(message)))).toEqual(played.expected.map(bare));
  if (again) expect((await play(make(), shape, new MemorySaver())).prompts).toEqual(prompts);
  return played;
}
