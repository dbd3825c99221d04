import { invalidConfiguration } from "./check.ts";
import type { Keep } from "./keep.ts";
import type { Alternative } from "./trigger.ts";

/** The fewest tokens at which some alternative can fire because of tokens; infinite if none looks at them. */
export function lowestTokenTrigger(alternatives: readonly Alternative[], window: number): number {
  return Math.min(
    ...alternatives.map(({ condition }) => tokensOf(condition, window) ?? Number.POSITIVE_INFINITY),
  );
}

function tokensOf(figure: { tokens?: number; fraction?: number }, window: number): number | undefined {
  if (figure.tokens === undefined && figure.fraction === undefined) return undefined;
  return Math.max(figure.tokens ?? 0, Math.floor((figure.fraction ?? 0) * window));
}

/** Tokens, of the window too. */
interface Marks {
  readonly target: number | undefined;
  readonly max: number;
  readonly fires: number;
  readonly window: number;
}

/** @throws GraphError INVALID_CONFIGURATION for marks between which nothing could ever be compacted, or everything always */
export function checkWatermarks(alternatives: readonly Alternative[], keep: Keep, marks: Marks): void {
  const { target, max, fires, window } = marks;
  if (target !== undefined && fires <= target) {
    throw invalidConfiguration(
      `the trigger fires at ${fires} tokens, which is not above the target of ${target}: it would fire again ` +
        "on every turn; raise the trigger or lower the target",
      { trigger: fires, target },
    );
  }
  if (target !== undefined && target > max) {
    throw invalidConfiguration(`the target of ${target} tokens is above the maximum of ${max}`, {
      target,
      max,
    });
  }
  if (Number.isFinite(fires) && max < fires) {
    throw invalidConfiguration(
      `the maximum of ${max} tokens is below the trigger at ${fires}, which could then never fire`,
      { trigger: fires, max },
    );
  }
  const kept = tokensOf(keep, window);
  if (target === undefined && kept !== undefined && kept >= fires) {
    throw invalidConfiguration(
      `the trigger fires at ${fires} tokens and ${kept} tokens are kept: nothing would be older than what is ` +
        "kept; keep less or raise the trigger",
      { trigger: fires, keep: kept },
    );
  }
  for (const { condition, predicates } of alternatives) {
    if (predicates.length > 0 || tokensOf(condition, window) !== undefined || target !== undefined) continue;
    for (const figure of ["messages", "turns"] as const) {
      const [fire, stay] = [condition[figure], keep[figure]];
      if (fire === undefined || stay === undefined || stay < fire) continue;
      throw invalidConfiguration(
        `the trigger fires at ${fire} ${figure} and the last ${stay} ${figure} are kept: nothing would be older ` +
          "than what is kept; keep less or raise the trigger",
        { trigger: fire, keep: stay, figure },
      );
    }
  }
}
