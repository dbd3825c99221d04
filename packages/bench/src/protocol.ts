import type { PaceSeen } from "./pace.ts";
import type { Side } from "./sides.ts";

/** What the parent asks a child process to measure. One job, one process. */
export interface Job {
  readonly measure: string;
  readonly side: Side;
  readonly params: Params;
  /** Milliseconds of the quickest probe of this machine so far. */
  readonly quickest?: number;
}

export type Params = Readonly<Record<string, string | number | boolean>>;

/** What the child answers: named numbers; the benchmark that asked knows their units. */
export type Figures = Readonly<Record<string, number>>;

export interface Answer {
  readonly figures: Figures;
  readonly pace: PaceSeen;
  /** It is measured once in a process, and is one sample as a whole. */
  readonly whole: boolean;
}

/** Opens the line of a child's output that carries its answer. */
export const ANSWER = "@@figures ";

export type Measure = (side: Side, params: Params) => Promise<Figures>;

export function numberOf(params: Params, name: string): number {
  const value = params[name];
  if (typeof value !== "number") throw new TypeError(`the job lacks the number "${name}"`);
  return value;
}

export function textOf(params: Params, name: string): string {
  const value = params[name];
  if (typeof value !== "string") throw new TypeError(`the job lacks the text "${name}"`);
  return value;
}
