import type { BaseMessage, SystemMessage } from "@langchain/core/messages";
import { asError } from "../shared/as-error.ts";
import type { Emit } from "./emit.ts";
import type { Setup } from "./options.ts";

/** What goes to the model, as far as a wrap sees it. */
interface Prompt {
  readonly messages: readonly BaseMessage[];
  readonly systemMessage: SystemMessage;
  readonly tools?: readonly unknown[] | undefined;
}

/**
 * Says that a prompt is above the maximum. Hooks plan for what they know of the prompt; a wrap knows
 * what other wraps made of it, and what no plan could help.
 */
export function reportOverBudget(
  { messages, systemMessage, tools = [] }: Prompt,
  { policy }: Setup,
  emit: Emit,
): void {
  const { max, counter } = policy;
  if (!Number.isFinite(max)) return;
  try {
    const system = systemMessage.text === "" ? 0 : counter.message(systemMessage);
    const tokens = counter.messages(messages) + system + counter.tools(tools);
    if (tokens > max) emit({ type: "prompt-over-budget", tokens, max, overBudget: tokens - max });
  } catch (error) {
    // a counter of the caller's; the call is none of its business (E3)
    emit({ type: "compaction-error", message: asError(error).message });
  }
}
