import { SystemMessage, type BaseMessage } from "@langchain/core/messages";
import { createMiddleware } from "@skein/agent";
import { isMarkedSummary, repair, textOf } from "@skein/context";
import { z } from "zod";
import { compact } from "./compact.ts";
import { setupOf, type SummarizationOptions } from "./options.ts";
import { summaryFields } from "./state.ts";

/** Providers whose LangChain packages refuse a system message that is not the first. */
const ONE_SYSTEM_MESSAGE = /anthropic|google|gemini|vertex|bedrock/iu;

const stateSchema = z.object(summaryFields);

/**
 * Keeps the model's context small: when a trigger fires, the oldest messages go under a rolling
 * summary. The complete history is untouched, no tool call loses its result, and a summary that
 * fails, is empty or is too long changes nothing.
 *
 * Every prompt is repaired on its way to the model: calls that were cancelled get a result, results
 * without a call are left out. Where a provider takes one system message only, the summary is added
 * to the system prompt.
 *
 * @throws GraphError INVALID_CONFIGURATION for options that can never work
 *
 * @example
 * createAgent({
 *   model,
 *   tools,
 *   middleware: [summarizationMiddleware({ model: small, trigger: { tokens: 50_000 }, target: { tokens: 30_000 } })],
 * });
 */
export function summarizationMiddleware(options: SummarizationOptions) {
  const setup = setupOf(options);
  return createMiddleware({
    name: "SummarizationMiddleware",
    stateSchema,
    beforeModel: async (state, runtime) => compact(state, runtime, await setup()),
    wrapModelCall: (request, handler) => {
      const { messages, changed } = repair(request.messages);
      const repaired = changed ? { ...request, messages: [...messages] } : request;
      if (!ONE_SYSTEM_MESSAGE.test(providerOf(request.model))) return handler(repaired);
      return handler(mergeSummary(repaired));
    },
  });
}

interface Prompt {
  readonly messages: BaseMessage[];
  readonly systemMessage: SystemMessage;
}

/** Moves a summary that stands in a system message of its own to the end of the system prompt. */
function mergeSummary<Request extends Prompt>(request: Request): Request {
  const at = request.messages.findIndex((message) => message.type === "system" && isMarkedSummary(message));
  const summary = request.messages[at];
  if (summary === undefined) return request;
  const text = [textOf(request.systemMessage), textOf(summary)].filter((part) => part !== "").join("\n\n");
  return {
    ...request,
    systemMessage: new SystemMessage(text),
    messages: request.messages.toSpliced(at, 1),
  };
}

function providerOf(model: unknown): string {
  const kind = (model as { _llmType?: () => unknown } | undefined)?._llmType;
  if (typeof kind !== "function") return "";
  return String(kind.call(model));
}
