import type { Unit } from "../chains/units.ts";
import { frameOverhead } from "../summary/frame.ts";
import type { Totals } from "../tokens/counter.ts";
import type { CompactionPolicy } from "./policy.ts";
import type { View } from "./view.ts";

/** What will have been added to a conversation by the time that a cut is made. Nothing, for a cut made now. */
export interface Growth {
  readonly messages: number;
  readonly turns: number;
  readonly tokens: number;
}
const NO_GROWTH: Growth = { messages: 0, turns: 0, tokens: 0 };

export interface Cut {
  /** The first unit that stays. */
  readonly cut: number;
  readonly belowMinimum: boolean;
}

/**
 * Where a conversation is cut (C2): limits in tokens go before what `keep` names, and the newest unit
 * always stays.
 */
export function chooseCut(
  units: readonly Unit[],
  view: View,
  policy: CompactionPolicy,
  byTokens: boolean,
  growth: Growth = NO_GROWTH,
): Cut {
  const keepCut = cutForKeep(units, view, policy, growth);
  const reserve = summaryLimit(view, policy) + (policy.summarize ? frameOverhead(policy.counter) : 0);
  const room = Math.min(
    policy.ceiling - view.base - reserve * view.scale,
    view.budget?.recent ?? Number.POSITIVE_INFINITY,
  );
  const fitCut = Number.isFinite(room) ? cutForTokens(units, view, room, growth) : 0;
  // A target keeps all that fits; a trigger that counts something else needs `keep` to fall below it.
  const extend = policy.target !== undefined && byTokens && fitCut > 0;
  const cut = extend ? fitCut : Math.max(keepCut, fitCut);
  return { cut, belowMinimum: cut > keepCut };
}

/** Most tokens that a new summary should have. */
export function summaryLimit(view: View, policy: CompactionPolicy): number {
  if (!policy.summarize) return 0;
  return Math.max(1, Math.min(policy.summaryTokens, view.budget?.summary ?? Number.POSITIVE_INFINITY));
}

function cutForKeep(units: readonly Unit[], view: View, policy: CompactionPolicy, growth: Growth): number {
  const { keep, window } = policy;
  const { list, totals, start } = view;
  const last = Math.max(0, units.length - 1);
  const tokens = Math.min(keep.tokens ?? Infinity, Math.floor((keep.fraction ?? Infinity) * window));
  let cut = Number.isFinite(tokens) ? cutForTokens(units, view, tokens, growth) : 0;
  if (keep.messages !== undefined) {
    const most = keep.messages - growth.messages;
    cut = Math.max(
      cut,
      firstWhere(units, (unit) => list.length - unit.start <= most),
    );
  }
  if (keep.turns !== undefined) {
    const most = keep.turns - growth.turns;
    const turns = (unit: Unit): number => totals.turnsBetween(unit.start, list.length);
    // A turn begins with its user message: what an older turn left before it does not stay.
    if (turns({ start, end: start }) > most) {
      cut = Math.max(
        cut,
        firstWhere(units, (unit) => turns(unit) <= most && opensTurn(unit, totals)),
      );
    }
  }
  return Math.min(cut, last);
}

const opensTurn = (unit: Unit, totals: Totals): boolean =>
  totals.turnsBetween(unit.start, unit.start + 1) === 1;

/** The earliest unit from which on the tokens fit, but at most the last unit: something always stays. */
function cutForTokens(
  units: readonly Unit[],
  { totals, scale }: View,
  budget: number,
  growth: Growth,
): number {
  const end = units.at(-1)?.end ?? 0;
  const most = (budget - growth.tokens) / scale;
  const cut = firstWhere(units, (unit) => totals.between(unit.start, end) <= most);
  return Math.min(cut, Math.max(0, units.length - 1));
}

/** The first unit that fits; the number of units if none does. */
function firstWhere(units: readonly Unit[], fits: (unit: Unit) => boolean): number {
  const index = units.findIndex(fits);
  return index === -1 ? units.length : index;
}
