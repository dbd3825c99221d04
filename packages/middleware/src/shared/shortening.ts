import type { BaseMessage } from "@langchain/core/messages";
import type { AgentPrompt } from "@skein/agent";
import { createTokenCounter, loadTiktoken, type Shortened, type TokenCounter } from "@skein/context";
import { z } from "zod";
import { invalidOption, requireChoice } from "./checks.ts";
import { fixedTokens } from "./fixed-tokens.ts";
import { loadedOnce } from "./loaded-once.ts";
import { contextWrite, historyFields, type ContextState, type ContextUpdate } from "./context-write.ts";

export const shorteningSchema = z.object(historyFields);

/** `"estimate"`; `"tiktoken"`, which loads js-tiktoken at the first use; or a counter. */
export type CounterOption = "estimate" | "tiktoken" | TokenCounter;

/** A counter, loaded once when it is needed. */
export function counterReader(
  option: CounterOption = "estimate",
): () => TokenCounter | Promise<TokenCounter> {
  if (typeof option === "object" && option !== null) {
    if (typeof (option as Partial<TokenCounter>).totals === "function") return () => option;
    throw invalidOption('tokenCounter must be "estimate", "tiktoken" or what createTokenCounter returns.');
  }
  requireChoice("tokenCounter", option, ["estimate", "tiktoken"]);
  if (option === "estimate") {
    const counter = createTokenCounter();
    return () => counter;
  }
  return loadedOnce(async () => createTokenCounter({ tokenizer: await loadTiktoken() }));
}

/** Sent to the custom stream when messages of the context were shortened. */
export interface ShorteningEvent {
  readonly type: "context-shortened";
  readonly by: "compression" | "offloading" | "clearing";
  /** How many messages. */
  readonly messages: number;
  readonly savedTokens: number;
  readonly ids: readonly string[];
}

interface ShorteningRuntime {
  readonly writer?: ((chunk: unknown) => void) | undefined;
}

/** The write for what a plan shortened, if it shortened anything, and its event. */
export function shorteningWrite(
  state: ContextState,
  { replace, savedTokens }: Shortened,
  by: ShorteningEvent["by"],
  runtime: ShorteningRuntime,
): ContextUpdate | undefined {
  if (replace.length === 0) return undefined;
  const ids = replace.map((message) => message.id as string);
  const event: ShorteningEvent = {
    type: "context-shortened",
    by,
    messages: replace.length,
    savedTokens,
    ids,
  };
  runtime.writer?.(event);
  return contextWrite(state, { replace });
}

/** Tokens of a prompt as far as they are known: system prompt and tools only where the agent says what it sends. */
export function promptTokens(
  messages: readonly BaseMessage[],
  prompt: AgentPrompt | undefined,
  counter: TokenCounter,
): number {
  return counter.messages(messages) + (prompt === undefined ? 0 : fixedTokens(prompt, counter));
}
