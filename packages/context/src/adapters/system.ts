import type { BaseMessage } from "@langchain/core/messages";
import { GraphError, shown } from "@skein/errors";
import { requireMessages } from "../messages/given.ts";
import { isSystem } from "../messages/kinds.ts";
import { textOf } from "../messages/text.ts";

/**
 * What becomes of the system messages of a conversation that comes from elsewhere:
 *
 * - `"external"`: they leave the conversation. The system prompt stands outside of it and is sent with
 *   every call of the model.
 * - `"keep-first"`: the one that it begins with stays in it, all others leave.
 * - `"keep-in-place"`: they stay where they are.
 */
export type SystemPolicy = "external" | "keep-first" | "keep-in-place";

/** Every policy that there is. */
export const SYSTEM_POLICIES: readonly SystemPolicy[] = ["external", "keep-first", "keep-in-place"];

/** A system prompt that left a conversation. */
export interface ExternalPrompt {
  /** Where it stood: before the message at this place of those that stay. */
  readonly before: number;
  readonly text: string;
}

/** A conversation, and the system prompts that left it. */
export interface SeparatedSystem {
  /** What stays, in its order; the very objects that were given. */
  readonly messages: BaseMessage[];
  /** What left, in its order; those that stood side by side are one. */
  readonly prompts: readonly ExternalPrompt[];
  /** The prompt in force at the end; undefined where there is none, or an empty one. */
  readonly systemPrompt: string | undefined;
}

/**
 * Takes system messages out of an imported conversation, as a policy says. Nothing is lost: what
 * leaves is in `prompts`.
 *
 * @param policy - default: "external"
 * @throws GraphError INVALID_CONFIGURATION for a policy that there is not; INVALID_MESSAGE for what is no
 *   list of messages
 *
 * @example
 * const { messages, systemPrompt } = separateSystem(fromOpenAI(body.messages));
 * const agent = createAgent({ model, ...(systemPrompt === undefined ? {} : { systemPrompt }) });
 */
export function separateSystem(
  messages: readonly BaseMessage[],
  policy: SystemPolicy = "external",
): SeparatedSystem {
  if (!SYSTEM_POLICIES.includes(policy)) {
    throw new GraphError(
      "INVALID_CONFIGURATION",
      `System messages are handled by one of ${SYSTEM_POLICIES.join(", ")}, not ${shown(policy)}.`,
    );
  }
  requireMessages("separateSystem", messages);
  const kept: BaseMessage[] = [];
  const prompts: { before: number; text: string }[] = [];
  for (const [at, message] of messages.entries()) {
    if (!isSystem(message) || policy === "keep-in-place" || (policy === "keep-first" && at === 0)) {
      kept.push(message);
      continue;
    }
    const last = prompts.at(-1);
    const isBeside = last?.before === kept.length;
    if (isBeside) last.text = [last.text, textOf(message)].filter((text) => text !== "").join("\n\n");
    else prompts.push({ before: kept.length, text: textOf(message) });
  }
  const systemPrompt = prompts.at(-1)?.text;
  return { messages: kept, prompts, systemPrompt: systemPrompt === "" ? undefined : systemPrompt };
}
