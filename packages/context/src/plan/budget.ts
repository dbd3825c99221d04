import { shown } from "@skein/errors";
import { invalidConfiguration, requireFraction, requireWhole } from "./check.ts";

/** How the model's window is divided, as shares. What none of them takes is a buffer. */
export interface BudgetShares {
  /** Of the window: most of it that a prompt may use. Default: 0.6. */
  readonly use?: number;
  /** Of what the system prompt and the tools leave of that: the summary. Default: 0.26. */
  readonly summary?: number;
  /** Of the same: the messages. Default: 0.65. */
  readonly recent?: number;
}

export type CheckedShares = Required<BudgetShares>;

/** The parts of one prompt, in tokens. */
export interface Budget {
  /** All that may be used of the window. */
  readonly total: number;
  /** What system prompt, tools and leading system messages leave of it. */
  readonly available: number;
  readonly summary: number;
  readonly recent: number;
  readonly buffer: number;
}

const DEFAULT_SHARES: CheckedShares = { use: 0.6, summary: 0.26, recent: 0.65 };

/** @throws GraphError INVALID_CONFIGURATION for shares that are none, or that add up to more than the whole */
export function checkShares(given: BudgetShares): CheckedShares {
  if (typeof given !== "object" || (given as unknown) === null) {
    throw invalidConfiguration(`budgets must be an object of shares, not ${shown(given)}`);
  }
  const unknown = Object.keys(given).find((name) => !(name in DEFAULT_SHARES));
  if (unknown !== undefined) {
    throw invalidConfiguration(`budgets has no share "${unknown}"; there are use, summary and recent`);
  }
  const shares = {
    use: given.use ?? DEFAULT_SHARES.use,
    summary: given.summary ?? DEFAULT_SHARES.summary,
    recent: given.recent ?? DEFAULT_SHARES.recent,
  };
  for (const [name, share] of Object.entries(shares)) requireFraction(`budgets.${name}`, share);
  if (shares.summary + shares.recent > 1) {
    throw invalidConfiguration(
      `budgets.summary (${shares.summary}) and budgets.recent (${shares.recent}) are more than the whole`,
      { ...shares },
    );
  }
  return shares;
}

/**
 * Divides a window (C11): the system prompt comes first, summary and messages share what it leaves.
 *
 * @param systemTokens - tokens of system prompt, tools and leading system messages
 * @throws GraphError INVALID_CONFIGURATION for shares, a window or tokens that are none
 *
 * @example
 * budgetOf({ use: 0.6, summary: 0.26, recent: 0.65 }, 128_000, 2_000).recent; // 48,620
 */
export function budgetOf(shares: BudgetShares, window: number, systemTokens: number): Budget {
  const { use, summary: forSummary, recent: forRecent } = checkShares(shares);
  requireWhole("window", window);
  if (!(typeof systemTokens === "number" && systemTokens >= 0)) {
    throw invalidConfiguration(`systemTokens must be a number of at least 0, not ${shown(systemTokens)}`);
  }
  const total = Math.floor(use * window);
  const available = Math.max(0, total - systemTokens);
  const summary = Math.round(forSummary * available);
  const recent = Math.round(forRecent * available);
  return { total, available, summary, recent, buffer: available - summary - recent };
}
