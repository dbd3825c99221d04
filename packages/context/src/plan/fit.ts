import type { BaseMessage } from "@langchain/core/messages";
import { structureOf } from "../chains/units.ts";
import { isToolResult } from "../messages/kinds.ts";
import { shortenedNow } from "../outputs/mark.ts";
import { planCompression } from "../outputs/shorten.ts";
import type { Shortened } from "../outputs/steps.ts";
import type { TokenCounter } from "../tokens/counter.ts";

/** Outputs of up to so many tokens stay whole, whatever the limit. */
const SMALL_OUTPUT = 200;

export const NOTHING_SHORTER: Shortened = { replace: [], savedTokens: 0 };

/**
 * Which tool outputs of a conversation are to be shown shorter, so that a hard limit holds (C2): all of
 * the older units at once, so that the prompt's beginning changes once; if that is not enough, those of
 * the newest unit too, each down to its share of what is left.
 *
 * @param excess - tokens of the counter that must go
 */
export function fitOutputs(
  conversation: readonly BaseMessage[],
  excess: number,
  counter: TokenCounter,
): Shortened {
  const newest = structureOf(conversation).units.at(-1)?.start ?? 0;
  const older = fitOlderOutputs(conversation, counter);
  if (older.savedTokens >= excess) return older;
  const unit = conversation.slice(newest);
  const outputs = unit.map((message) => (isToolResult(message) ? counter.message(message) : 0));
  const long = outputs.filter((tokens) => tokens > SMALL_OUTPUT);
  const room = long.reduce((sum, tokens) => sum + tokens, 0) - (excess - older.savedTokens);
  const share = Math.max(SMALL_OUTPUT, Math.floor(room / Math.max(1, long.length)));
  const late = long.length === 0 ? NOTHING_SHORTER : compression(unit, share, counter);
  return {
    replace: [...older.replace, ...late.replace],
    savedTokens: older.savedTokens + late.savedTokens,
  };
}

/** The outputs of all units but the newest. */
export function fitOlderOutputs(conversation: readonly BaseMessage[], counter: TokenCounter): Shortened {
  const newest = structureOf(conversation).units.at(-1)?.start ?? 0;
  const shorter = compression(conversation.slice(0, newest), SMALL_OUTPUT, counter);
  const last = conversation.at(-1)?.id;
  return { ...shorter, replace: shorter.replace.map((message) => shortenedNow(message, last)) };
}

function compression(messages: readonly BaseMessage[], limit: number, counter: TokenCounter): Shortened {
  return planCompression(messages, { limit, keepTurns: 0, saveAtLeast: 1, counter });
}
