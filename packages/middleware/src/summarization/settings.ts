import type { ContextOptimization } from "../shared/user-settings.ts";
import type { SummarizationOptions } from "./options.ts";

/** The agent's options as a user wants them. */
export function withSettings(
  options: SummarizationOptions,
  { tokenCounting, targetUse, summaryShare, recentShare }: ContextOptimization,
): SummarizationOptions {
  const shares = {
    ...options.budgets,
    ...(targetUse === undefined ? {} : { use: targetUse }),
    ...(summaryShare === undefined ? {} : { summary: summaryShare }),
    ...(recentShare === undefined ? {} : { recent: recentShare }),
  };
  return {
    ...options,
    ...(Object.keys(shares).length === 0 ? {} : { budgets: shares }),
    ...(tokenCounting === undefined
      ? {}
      : { tokenCounter: tokenCounting, usage: tokenCounting === "actual" }),
  };
}

/** Whether settings change anything that a compaction is configured with. */
export function changesOptions(settings: ContextOptimization): boolean {
  const { tokenCounting, targetUse, summaryShare, recentShare } = settings;
  return [tokenCounting, targetUse, summaryShare, recentShare].some((value) => value !== undefined);
}
