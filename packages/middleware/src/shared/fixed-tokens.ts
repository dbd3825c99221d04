import type { AgentPrompt } from "@skein/agent";
import type { TokenCounter } from "@skein/context";

/** Tokens of what the agent sends beside the messages. The counter remembers them: this costs a look-up per tool. */
export function fixedTokens({ systemMessage, tools }: AgentPrompt, counter: TokenCounter): number {
  return (systemMessage === undefined ? 0 : counter.message(systemMessage)) + counter.tools(tools);
}
