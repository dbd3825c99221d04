import type { Figures, Job, Params } from "./protocol.ts";
import { SIDES, type Side } from "./sides.ts";
import { median } from "./stats.ts";

/** How much to measure. */
export interface Scale {
  readonly quick: boolean;
  /** Also what takes the original minutes. */
  readonly full: boolean;
  /** Folder for database files; a benchmark names its files itself. */
  readonly folder: string;
}

/** Figures of one side by round. Undefined: this side is not measured here. */
export type Measured = Partial<Record<Side, readonly Figures[]>>;

export interface Context {
  readonly scale: Scale;
  /** Measures the sides in turn, one process each, `rounds` times. */
  sides(measure: string, params: Params, options?: SideOptions): Promise<Measured>;
  one(job: Job): Promise<Figures>;
  /** Of `count` processes that measure once, or more: those that the core was quick for. */
  several(job: Job, count: number): Promise<readonly Figures[]>;
}

export interface SideOptions {
  readonly sides?: readonly Side[];
  readonly rounds?: number;
}

export interface Benchmark {
  readonly name: string;
  readonly about: string;
  run(context: Context): Promise<Row[]>;
}

/** One line of the table. Smaller is better unless `larger` says otherwise. */
export interface Row {
  readonly name: string;
  readonly unit: string;
  readonly skein?: number;
  readonly langgraph?: number;
  readonly floor?: number;
  readonly larger?: boolean;
  /** Design section 7. */
  readonly budget?: number;
  readonly aim?: number;
  /** LangGraph's figure on the machine of the design's table, the slower end: how this one compares with it. */
  readonly langgraphThen?: number;
  /** What issue 2 says must hold already; `--check` fails when one of these does not. */
  readonly must?: Must;
  readonly note?: string;
}

export interface Must {
  readonly text: string;
  readonly holds: boolean;
}

/** The median of one figure over the rounds of each side. */
export function figureOf(measured: Measured, name: string): Pick<Row, Side> {
  const row: { -readonly [side in Side]?: number } = {};
  for (const side of SIDES) {
    const rounds = measured[side];
    if (rounds === undefined || rounds.length === 0) continue;
    row[side] = median(rounds.map((figures) => figures[name] ?? Number.NaN));
  }
  return row;
}
