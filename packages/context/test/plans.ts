import type { BaseMessage } from "@langchain/core/messages";
import {
  compactionPolicy,
  createTokenCounter,
  nextSummary,
  planCompaction,
  type Compaction,
  type CompactionOptions,
  type CompactionState,
  type NoCompaction,
  type Plan,
  type RollingSummary,
} from "../src/index.ts";
import { assistant, user } from "./threads.ts";

/** Ten tokens a message. */
export const counter = createTokenCounter({ countMessage: () => 10 });
export const plan = (
  messages: BaseMessage[],
  options: CompactionOptions,
  state: CompactionState = {},
): Plan => planCompaction(messages, state, compactionPolicy({ counter, now: () => 1_000_000, ...options }));
export const compacted = (given: Plan): Compaction => {
  if (given.action !== "compact") throw new Error(`no compaction: ${JSON.stringify(given)}`);
  return given;
};
export const idle = (given: Plan): NoCompaction => {
  if (given.action !== "none") throw new Error(given.action);
  return given;
};
export const talk = (turns: number): BaseMessage[] =>
  Array.from({ length: turns }, (_, turn) => [user(`q${turn}`), assistant(`a${turn}`)]).flat();
export const summaryOf = (over: Partial<RollingSummary> = {}): RollingSummary => ({
  ...nextSummary(undefined, {
    text: "so far",
    tokens: 100,
    covered: [{ id: "x" }],
    originalTokens: 900,
    coveredUntil: null,
    madeAfter: null,
    now: 5,
    by: "test",
  }),
  ...over,
});
