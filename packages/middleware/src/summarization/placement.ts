import { HumanMessage, SystemMessage, type BaseMessage } from "@langchain/core/messages";
import { isMarkedSummary, textOf } from "@skein/context";

/**
 * Where the model reads the summary: as a system message of its own behind the leading ones, at the
 * end of the system prompt, or as the user's first message.
 */
export type Placement = "system" | "prompt" | "user";

/** Providers whose LangChain packages refuse a system message that is not the first. */
const ONE_SYSTEM_MESSAGE = /anthropic|google|gemini|vertex|bedrock/iu;

interface Prompt {
  readonly model?: unknown;
  readonly messages: BaseMessage[];
  readonly systemMessage: SystemMessage;
}

/** The request as the placement and the provider want it. */
export function placed<Request extends Prompt>(request: Request, placement: Placement): Request {
  if (ONE_SYSTEM_MESSAGE.test(providerOf(request.model))) return oneSystemMessage(request);
  return placement === "prompt" ? intoPrompt(request) : request;
}

/** Moves the summary to the end of the system prompt. */
function intoPrompt<Request extends Prompt>(request: Request): Request {
  const { messages, systemMessage } = request;
  const at = messages.findIndex((message) => message.type !== "system" || isMarkedSummary(message));
  const summary = messages[at];
  if (summary === undefined || summary.type !== "system") return request;
  return {
    ...request,
    systemMessage: withText(systemMessage, summary),
    messages: messages.filter((_, index) => index !== at),
  };
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
