import type { Json } from "./parts.ts";

/** A message as OpenAI's chat completions take it. */
export interface OpenAIMessage {
  readonly role: "system" | "developer" | "user" | "assistant" | "tool" | "function";
  readonly content?: string | readonly Json[] | null;
  readonly name?: string;
  readonly tool_calls?: readonly OpenAICall[];
  readonly tool_call_id?: string;
  /** The one call of the form before `tool_calls`; a message with the role "function" answers it. */
  readonly function_call?: OpenAICall["function"];
  readonly [field: string]: unknown;
}

export interface OpenAICall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}
