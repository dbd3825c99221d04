import { HumanMessage, SystemMessage, type BaseMessage } from "@langchain/core/messages";
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
 * without a call are left out. Where a provider takes one system message only, leading system
 * messages and the summary are added to the system prompt.
 *
 * System prompt and tool schemas count, because `createAgent` says what it sends.
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
      return handler(oneSystemMessage(repaired));
    },
  });
}

interface Prompt {
  readonly messages: BaseMessage[];
  readonly systemMessage: SystemMessage;
}

/**
 * Moves leading system messages, the summary's among them, to the end of the system prompt. Where an
 * assistant message would then come first, which such providers refuse as well, the summary becomes a
 * user message instead.
 */
function oneSystemMessage<Request extends Prompt>(request: Request): Request {
  const { messages } = request;
  const end = messages.findIndex((message) => message.type !== "system");
  const leading = messages.slice(0, end < 0 ? messages.length : end);
  if (leading.length === 0) return request;
  const summary = leading.find(isMarkedSummary);
  const rest = messages.slice(leading.length);
  const opensWithUser = rest.length === 0 || rest[0]?.type === "human";
  const asUser = opensWithUser ? undefined : summary;
  return {
    ...request,
    systemMessage: leading.filter((message) => message !== asUser).reduce(withText, request.systemMessage),
    messages: asUser === undefined ? rest : [userMessage(asUser), ...rest],
  };
}

/** Blocks stay blocks: a provider's cache marks stand on them. */
function withText(prompt: SystemMessage, message: BaseMessage): SystemMessage {
  const text = textOf(message);
  const { content } = prompt;
  if (typeof content !== "string")
    return new SystemMessage({ content: [...content, { type: "text", text }] });
  return new SystemMessage(content === "" ? text : `${content}\n\n${text}`);
}

function userMessage({ id, content, additional_kwargs }: BaseMessage): HumanMessage {
  return new HumanMessage({ content, additional_kwargs, ...(id === undefined ? {} : { id }) });
}

function providerOf(model: unknown): string {
  const kind = (model as { _llmType?: () => unknown } | undefined)?._llmType;
  if (typeof kind !== "function") return "";
  return String(kind.call(model));
}
