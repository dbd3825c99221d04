import type { Candidate, CoveredPrefix } from "@skein/context";
import { z } from "zod";

/**
 * A summary that is prepared before it is needed, as the state knows it:
 *
 * - `running`: somebody writes it. A lease: past its deadline nobody does, whatever became of them.
 * - `ready`: it waits to be put in force.
 * - `void`: its text was erased.
 */
export type SummaryAhead =
  | {
      readonly kind: "running";
      readonly id: string;
      readonly deadline: number;
      readonly prefix: CoveredPrefix;
    }
  | {
      readonly kind: "ready";
      readonly text: string;
      readonly tokens: number;
      readonly prefix: CoveredPrefix;
      readonly by: string;
      readonly tries: number;
    }
  | { readonly kind: "void"; readonly prefix: CoveredPrefix };

export type ReadySummary = Extract<SummaryAhead, { kind: "ready" }>;

/** Whether a value is one: stored state can hold anything. */
export function isSummaryAhead(value: unknown): value is SummaryAhead {
  if (typeof value !== "object" || value === null) return false;
  const { kind, prefix, text, deadline } = value as { [key: string]: unknown };
  if (typeof (prefix as CoveredPrefix | undefined)?.hash !== "string") return false;
  if (kind === "ready") return typeof text === "string";
  return kind === "void" || (kind === "running" && typeof deadline === "number");
}

export const aheadField = z
  .custom<SummaryAhead | null>((value) => value === null || isSummaryAhead(value))
  .default(null);

export const candidateOf = ({ text, tokens, prefix }: ReadySummary): Candidate => ({ text, tokens, prefix });

/**
 * Whether a summary is being prepared in the background, as far as the state says.
 *
 * @param now - milliseconds since 1970
 *
 * @example
 * isSummarizing((await agent.getState(config)).values);
 */
export function isSummarizing(
  state: { readonly _summaryAhead?: SummaryAhead | null | undefined },
  now: number = Date.now(),
): boolean {
  // what is no state says nothing
  const ahead = (state as typeof state | null | undefined)?._summaryAhead;
  return ahead?.kind === "running" && now < ahead.deadline;
}
