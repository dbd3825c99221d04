import { HumanMessage, isBaseMessage, type BaseMessage } from "@langchain/core/messages";
import { modelResolver } from "@skein/agent";
import { finishReason, isCutOff } from "@skein/context";
import { GraphError } from "@skein/errors";
import { internalCall } from "../shared/internal.ts";

/** What is asked of a chat model: LangChain's models have it. */
export interface SummaryModel {
  invoke(
    input: BaseMessage[],
    options?: { tags?: string[]; metadata?: Record<string, unknown>; signal?: AbortSignal },
  ): Promise<unknown>;
}

/** An answer with tool calls says that the model took the transcript for instructions. */
export const TOOL_CALLS = "the summary model answered with tool calls";

/** Asks a model, or the one of a name, for a text, marked as internal. */
export function askModel(
  given: string | SummaryModel,
): (prompt: string, signal?: AbortSignal) => Promise<string> {
  const resolve = typeof given === "string" ? modelResolver(given) : () => given;
  return async (prompt, signal) => {
    const model = await resolve();
    const answer: unknown = await model.invoke(
      [new HumanMessage(prompt)],
      internalCall("summarization", signal),
    );
    if (typeof answer === "string") return answer;
    if (!isBaseMessage(answer)) {
      throw new GraphError("INVALID_MESSAGE", "The summary model's answer is no message and no text.");
    }
    const { tool_calls: calls } = answer as { tool_calls?: readonly unknown[] };
    if (calls !== undefined && calls.length > 0) throw new GraphError("INVALID_MESSAGE", TOOL_CALLS);
    if (isCutOff(answer)) {
      throw new GraphError(
        "INVALID_MESSAGE",
        `The summary model's answer is not whole (${finishReason(answer)}). If it was cut off, let the model write more tokens or lower summaryTokens.`,
      );
    }
    // what the model wrote, without its reasoning
    return answer.text;
  };
}
