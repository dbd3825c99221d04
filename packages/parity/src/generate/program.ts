import * as fc from "fast-check";

/** A graph program as data: fast-check makes and shrinks it, `build` turns it into a graph. */
export interface Program {
  readonly nodes: readonly NodeSpec[];
  /** Nodes that run first. */
  readonly entries: readonly number[];
  readonly joins: readonly { readonly from: readonly number[]; readonly to: number }[];
  readonly recursionLimit: number;
}

export interface NodeSpec {
  /** How many elements it appends to `list`. */
  readonly appends: number;
  /** What it adds to `sum`; undefined: it does not write the key. */
  readonly adds: number | undefined;
  /** Whether it writes `last`, which has no reducer: two at once are an error. */
  readonly writesLast: boolean;
  /** Whether it asks a question first. */
  readonly asks: boolean;
  /** Ticks of the event loop before it returns; must not change any result. */
  readonly waits: number;
  readonly defer: boolean;
  readonly route: Route;
}

/** Targets are relative to the node. Sends lead onward only: in a loop they would multiply. */
export type Route =
  | { readonly kind: "end" }
  | { readonly kind: "edges"; readonly to: readonly number[] }
  /** Chooses one of the lists by `sum`. */
  | { readonly kind: "condition"; readonly choices: readonly (readonly number[])[] }
  | { readonly kind: "sends"; readonly to: number; readonly count: number; readonly also: readonly number[] }
  | {
      readonly kind: "command";
      readonly to: readonly number[];
      readonly sendTo: number;
      readonly sends: number;
    };

const MOST_NODES = 6;
/** A place in the list of nodes, taken modulo their number. */
const place = fc.nat({ max: MOST_NODES - 1 });
/** Counted from the node itself; where no node stands, there is no edge. Few lead backwards. */
const onward = fc.integer({ min: 1, max: 4 });
const target = fc.oneof(
  { weight: 7, arbitrary: onward },
  { weight: 1, arbitrary: fc.integer({ min: -3, max: 0 }) },
);
const targets = fc.uniqueArray(target, { minLength: 1, maxLength: 3 });

const route: fc.Arbitrary<Route> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Route>({ kind: "end" }) },
  { weight: 5, arbitrary: targets.map((to): Route => ({ kind: "edges", to })) },
  {
    weight: 4,
    arbitrary: fc
      .array(fc.uniqueArray(target, { maxLength: 2 }), { minLength: 1, maxLength: 3 })
      .map((choices): Route => ({ kind: "condition", choices })),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({ to: onward, count: fc.nat({ max: 3 }), also: fc.uniqueArray(target, { maxLength: 1 }) })
      .map((sends): Route => ({ kind: "sends", ...sends })),
  },
  {
    weight: 3,
    arbitrary: fc
      .record({ to: fc.uniqueArray(target, { maxLength: 2 }), sendTo: onward, sends: fc.nat({ max: 2 }) })
      .map((command): Route => ({ kind: "command", ...command })),
  },
);

const node: fc.Arbitrary<NodeSpec> = fc.record({
  appends: fc.nat({ max: 2 }),
  adds: fc.option(fc.integer({ min: -2, max: 3 }), { nil: undefined }),
  writesLast: fc.nat({ max: 5 }).map((dice) => dice === 0),
  asks: fc.nat({ max: 7 }).map((dice) => dice === 0),
  waits: fc.nat({ max: 2 }),
  defer: fc.nat({ max: 9 }).map((dice) => dice === 0),
  route,
});

const join = fc.record({ from: fc.uniqueArray(place, { minLength: 2, maxLength: 3 }), to: place });

/** Random graphs of up to six nodes: edges, joins, conditions, Sends, Commands, questions, loops. */
export const programs: fc.Arbitrary<Program> = fc.record({
  nodes: fc.array(node, { minLength: 1, maxLength: MOST_NODES }),
  entries: fc.uniqueArray(place, { minLength: 1, maxLength: 2 }),
  joins: fc.array(join, { maxLength: 2 }),
  recursionLimit: fc.integer({ min: 3, max: 10 }),
});
