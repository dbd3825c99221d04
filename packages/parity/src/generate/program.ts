import * as fc from "fast-check";

/** A graph program as data: fast-check makes and shrinks it, `build` turns it into a graph. */
export interface Program {
  readonly nodes: readonly NodeSpec[];
  /** Nodes that run first. */
  readonly entries: readonly number[];
  readonly joins: readonly { readonly from: readonly number[]; readonly to: number }[];
  readonly recursionLimit: number;
  /** What is done with the thread once its first run has stopped. */
  readonly turns: readonly Turn[];
}

export type Turn =
  /** Goes on: answers what is open (all of it, or the first only), or continues, or begins anew. */
  | { readonly kind: "go"; readonly answers: "all" | "first" }
  /** Answers what is open; if nothing is, the program is over. */
  | { readonly kind: "answer" }
  /** Edits the state as a node, or as whoever wrote last. */
  | { readonly kind: "update"; readonly as: number | undefined; readonly adds: number }
  /** Runs again from an older checkpoint. */
  | { readonly kind: "back"; readonly steps: number };

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
  /** Whether its list goes around the reducer. */
  readonly overwrites: boolean;
  readonly trouble: Trouble;
  /** A graph in the node's place. */
  readonly inner: Inner | undefined;
  readonly route: Route;
}

/** How often it fails before it works, and whether it is tried again at once. */
export interface Trouble {
  readonly failures: number;
  readonly retries: boolean;
}

/** A chain of its own keys that leaves a note in the parent's state. */
export interface Inner {
  readonly steps: number;
  /** The step that asks, if there is one of that number. */
  readonly asks: number;
  readonly trouble: Trouble;
  readonly store: "inherited" | "own" | "none";
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

const troubles = (oneIn: number): fc.Arbitrary<Trouble> =>
  fc
    .record({
      dice: fc.nat({ max: oneIn - 1 }),
      failures: fc.integer({ min: 1, max: 3 }),
      retries: fc.boolean(),
    })
    .map(({ dice, failures, retries }) => ({ failures: dice === 0 ? failures : 0, retries }));

const inner: fc.Arbitrary<Inner> = fc.record({
  steps: fc.integer({ min: 1, max: 2 }),
  asks: fc.nat({ max: 5 }),
  trouble: troubles(6),
  store: fc.constantFrom("inherited", "inherited", "own", "none"),
});

const node: fc.Arbitrary<NodeSpec> = fc.record({
  appends: fc.nat({ max: 2 }),
  adds: fc.option(fc.integer({ min: -2, max: 3 }), { nil: undefined }),
  writesLast: fc.nat({ max: 5 }).map((dice) => dice === 0),
  asks: fc.nat({ max: 7 }).map((dice) => dice === 0),
  waits: fc.nat({ max: 2 }),
  defer: fc.nat({ max: 9 }).map((dice) => dice === 0),
  overwrites: fc.nat({ max: 11 }).map((dice) => dice === 0),
  trouble: troubles(9),
  inner: fc.option(inner, { nil: undefined, freq: 5 }),
  route,
});

const join = fc.record({ from: fc.uniqueArray(place, { minLength: 2, maxLength: 3 }), to: place });

const turn: fc.Arbitrary<Turn> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant("go" as const), answers: fc.constantFrom("all", "first") }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("update" as const),
      as: fc.option(place, { nil: undefined }),
      adds: fc.integer({ min: -2, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("back" as const), steps: fc.nat({ max: 6 }) }) },
);

/**
 * Random graphs of up to six nodes: edges, joins, conditions, Sends, Commands, loops,
 * subgraphs, questions, failures; and what is done with the thread afterwards.
 */
export const programs: fc.Arbitrary<Program> = fc.record({
  nodes: fc.array(node, { minLength: 1, maxLength: MOST_NODES }),
  entries: fc.uniqueArray(place, { minLength: 1, maxLength: 2 }),
  joins: fc.array(join, { maxLength: 2 }),
  recursionLimit: fc.integer({ min: 3, max: 10 }),
  turns: fc.array(turn, { maxLength: 4 }),
});
