import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { argumentsText } from "@skein/context";
import { MultipleStructuredOutputsError, StructuredOutputParsingError } from "../errors.ts";
import type { ReadFormat } from "./format.ts";
import type { ProviderStrategy, ToolStrategy, ToolStrategyError } from "./strategies.ts";

/** What a reply means for an agent with a response format. */
export interface Answer {
  /** Results of the calls that gave the response, to stand behind the reply. */
  readonly messages: readonly BaseMessage[];
  /** Present when the reply holds the response. */
  readonly response?: { readonly value: unknown };
}

const NO_ANSWER: Answer = { messages: [] };

/** Told to a model that gives its response before it knows what its other calls return. */
const TOO_EARLY =
  "Not taken yet: other tools were called in the same reply. Answer again with their results.";

/**
 * Reads the structured response out of a reply. A response that does not fit is answered, so that
 * the model tries again, or thrown, as its strategy says.
 *
 * @param lenient - text that is no response is no error: a wrap put it in the model's place
 * @throws StructuredOutputParsingError, MultipleStructuredOutputsError
 */
export async function answerOf(
  reply: AIMessage,
  format: ReadFormat | undefined,
  lenient = false,
): Promise<Answer> {
  if (format === undefined) return NO_ANSWER;
  return format.kind === "tool" ? byTool(reply, format.tools) : byProvider(reply, format.strategy, lenient);
}

async function byProvider(reply: AIMessage, strategy: ProviderStrategy, lenient: boolean): Promise<Answer> {
  // a reply that calls tools is not the last one
  if ((reply.tool_calls?.length ?? 0) > 0) return NO_ANSWER;
  const checked = await strategy.check(reply);
  if ("value" in checked) return { messages: [], response: checked };
  if (lenient) return NO_ANSWER;
  throw new StructuredOutputParsingError(strategy.name, checked.errors);
}

async function byTool(reply: AIMessage, tools: ReadonlyMap<string, ToolStrategy>): Promise<Answer> {
  const all = reply.tool_calls ?? [];
  const given = all.filter((call) => tools.has(call.name));
  const [call] = given;
  if (call === undefined) return NO_ANSWER;
  if (given.length < all.length) return { messages: given.map((one) => refusal(one, TOO_EARLY)) };
  const strategy = tools.get(call.name) as ToolStrategy;
  if (given.length > 1) {
    const names = given.map(({ name }) => name);
    return refused(given, strategy, new MultipleStructuredOutputsError(names));
  }
  const checked = await strategy.check(call.args);
  if ("errors" in checked) {
    return refused(given, strategy, new StructuredOutputParsingError(call.name, checked.errors));
  }
  const text = textOf(checked.value, call);
  const closing = strategy.options?.toolMessageContent ?? `Returning structured response: ${text}`;
  return { messages: [result(call, text), new AIMessage(closing)], response: checked };
}

/** A response as the thread says it; the arguments where its schema made of them what JSON has no words for. */
function textOf(value: unknown, { args }: ToolCall): string {
  try {
    return value === null ? "null" : argumentsText(value);
  } catch {
    return argumentsText(args);
  }
}

/** Every call that gave a response is told what is wrong, so that none is left without a result. */
async function refused(
  given: readonly ToolCall[],
  { options }: ToolStrategy,
  error: ToolStrategyError,
): Promise<Answer> {
  const handle = options?.handleError ?? true;
  if (handle === false) throw error;
  const said = typeof handle === "function" ? await handle(error) : handle;
  const text = typeof said === "string" ? said : error.message;
  return { messages: given.map((call) => refusal(call, text)) };
}

function result(call: ToolCall, content: string): ToolMessage {
  return new ToolMessage({ content, tool_call_id: call.id as string, name: call.name });
}

function refusal(call: ToolCall, content: string): ToolMessage {
  return new ToolMessage({ content, tool_call_id: call.id as string, name: call.name, status: "error" });
}
