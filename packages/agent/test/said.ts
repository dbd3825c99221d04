import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { expect } from "vitest";

/** Texts of messages; of results with the calls that they are of. */
export const said = (messages: readonly BaseMessage[]) =>
  messages.map((one) => (ToolMessage.isInstance(one) ? `${one.tool_call_id}: ${one.text}` : one.text));

/** What a model is told of the call "a" when nobody answers it any more. */
export const cancelled = expect.stringMatching(/^a: Cancelled/u) as unknown;
