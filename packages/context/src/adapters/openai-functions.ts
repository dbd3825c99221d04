import type { OpenAIMessage } from "./openai-types.ts";
import { invalidMessage, isObject, type Json } from "./parts.ts";

/** Marks, while it is read, what was written in the form before `tool_calls`. */
export const FUNCTION: unique symbol = Symbol("function");

/**
 * OpenAI's form before `tool_calls`: an assistant's message has one `function_call`, and a message with
 * the role "function" and its name answers it. Neither has an id.
 */
export class FunctionCalls {
  /** Calls without an answer, the newest last. */
  readonly #open: { readonly id: string; readonly name: unknown }[] = [];

  /** The message with `tool_calls`, or as a tool's answer; any other as it is. */
  asTools(message: Json, index: number, at: string): Json {
    if (message["role"] === "function") return this.#answer(message, index, at);
    const { function_call: call, ...rest } = message;
    if (call === undefined || call === null) return message;
    if (message["role"] !== "assistant" || Array.isArray(message["tool_calls"]))
      throw invalidMessage("OpenAI's", `${at}.function_call`, "an assistant's, and its only call");
    if (!isObject(call)) throw invalidMessage("OpenAI's", `${at}.function_call`, "a name and arguments");
    const id = idAt(index);
    this.#open.push({ id, name: call["name"] });
    return { ...rest, tool_calls: [{ id, type: "function", function: call }], [FUNCTION]: true };
  }
  #answer(message: Json, index: number, at: string): Json {
    const { name } = message;
    if (typeof name !== "string") throw invalidMessage("OpenAI's", `${at}.name`, "the name of a function");
    const found = this.#open.findLastIndex((call) => call.name === name);
    const [call] = found < 0 ? [] : this.#open.splice(found, 1);
    // one whose call is not there is an orphan, as a tool's answer may be
    return { ...message, role: "tool", tool_call_id: call?.id ?? idAt(index), [FUNCTION]: true };
  }
}

const idAt = (index: number): string => `function_call_${index}`;

/** A message with one call, or a tool's answer, in that form. */
export function asFunction({ tool_calls: calls, tool_call_id, ...message }: OpenAIMessage): OpenAIMessage {
  if (tool_call_id !== undefined) return { ...message, role: "function" };
  const [call] = calls ?? [];
  return call === undefined ? message : { ...message, function_call: call.function };
}
