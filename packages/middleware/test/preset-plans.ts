import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import {
  type CompactionOptions,
  compactionPolicy,
  createTokenCounter,
  type Plan,
  planCompaction,
} from "@skein/context";

let serial = 0;
const user = (): HumanMessage => new HumanMessage({ id: `u${serial++}`, content: "q" });
const reply = (): AIMessage => new AIMessage({ id: `a${serial++}`, content: "a" });
export const talk = (messages: number): BaseMessage[] =>
  Array.from({ length: messages }, (_, index) => (index % 2 === 0 ? user() : reply()));

/** Every message has so many tokens; the conversation adds 3. */
const each = (tokens: number) => createTokenCounter({ countMessage: () => tokens });

export const plan = (numbers: CompactionOptions, messages: BaseMessage[], tokens: number, state = {}): Plan =>
  planCompaction(messages, state, compactionPolicy({ ...numbers, counter: each(tokens), now: () => 0 }));

export const fired = (given: Plan): string | undefined =>
  given.action === "none" ? given.reason : given.report.fired;

export const kept = (given: Plan): number => (given.action === "compact" ? given.keep.length : Number.NaN);
