import { invalidConfiguration } from "./check.ts";
import type { Alternative, Condition } from "./trigger.ts";

const SHARE = 0.75;
const COUNTED = ["messages", "newMessages", "turns"] as const;
const MEASURED = ["tokens", "fraction"] as const;

/**
 * When a summary is begun that the trigger will want later: at the target, or without one at three
 * quarters of every figure of the trigger.
 *
 * @throws GraphError INVALID_CONFIGURATION if the trigger has no figure that grows with the thread
 */
export function lowerMark(
  alternatives: readonly Alternative[],
  target: number | undefined,
): readonly Alternative[] {
  const early: Alternative[] =
    target === undefined ? [] : [{ condition: { tokens: target }, predicates: [] }];
  for (const { condition } of alternatives) {
    const { tokens, fraction } = condition;
    if (target !== undefined && (tokens !== undefined || fraction !== undefined)) continue;
    const lowered = threeQuarters(condition);
    if (lowered !== undefined) early.push({ condition: lowered, predicates: [] });
  }
  if (early.length > 0) return early;
  throw invalidConfiguration(
    "background needs a trigger in messages, turns or tokens to know when to start; say it with background: {start}",
  );
}

function threeQuarters(condition: Condition): Condition | undefined {
  const lowered: Record<string, number | boolean> = {};
  for (const name of COUNTED) {
    const value = condition[name];
    if (value !== undefined) lowered[name] = Math.ceil(SHARE * value);
  }
  for (const name of MEASURED) {
    const value = condition[name];
    if (value !== undefined) lowered[name] = SHARE * value;
  }
  if (Object.keys(lowered).length === 0) return undefined;
  return { ...lowered, ...(condition.first === undefined ? {} : { first: condition.first }) };
}
