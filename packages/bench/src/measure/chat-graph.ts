import type { BaseMessage } from "@langchain/core/messages";

/** A chat program: one turn in, one turn out. */
export interface ChatGraph {
  invoke(input: { messages: BaseMessage[] }, config: object): Promise<unknown>;
  /** @param options - `archive: false`: without the complete history; only one engine knows it */
  getState(config: object, options?: { archive?: boolean }): Promise<{ values: Record<string, unknown> }>;
}

/** Answers a turn, called by its node: everything before it is our time. It has the answer ready. */
export type Model = () => BaseMessage;
