import { Annotation, MemorySaver, START, StateGraph } from "@skein/graph";
import { expect, it } from "vitest";

type Counts = Record<string, { n: number; of: string[] }>;

/** Merges in place, at every depth. */
function countInPlace(left: Counts, right: Counts): Counts {
  for (const [word, { n, of }] of Object.entries(right)) {
    const there = (left[word] ??= { n: 0, of: [] });
    there.n += n;
    there.of.push(...of);
  }
  return left;
}
/** The same without changing anything. */
const count = (left: Counts, right: Counts): Counts => countInPlace(structuredClone(left), right);

class Tally {
  by = new Map<string, number>();
  add(words: string[] | Tally): this {
    if (words instanceof Tally)
      for (const [word, n] of words.by) this.by.set(word, (this.by.get(word) ?? 0) + n);
    else for (const word of words) this.by.set(word, (this.by.get(word) ?? 0) + 1);
    return this;
  }
}

const graphOf = <State>(caller: State, inner: State, nodes: readonly object[]) => {
  let within = new StateGraph(inner as never) as StateGraph<never, never, never, string>;
  let last: string = START;
  for (const [i, update] of nodes.entries()) {
    within = within
      .addNode(`n${i}`, () => structuredClone(update) as never)
      .addEdge(last as never, `n${i}` as never) as never;
    last = `n${i}`;
  }
  return new StateGraph(caller as never)
    .addNode("sub", within.compile() as never)
    .addEdge(START, "sub" as never)
    .compile({ checkpointer: new MemorySaver() });
};

it("reducers are tried on copies: one that changes nested values in place counts once", async () => {
  const state = (reducer: typeof count) =>
    Annotation.Root({ words: Annotation<Counts>({ reducer, default: () => ({}) }) });
  const one = { words: { tea: { n: 1, of: ["b"] } } };
  const graph = graphOf(state(countInPlace), state(count), [one, one]);
  const before = { words: { tea: { n: 1, of: ["a"] }, milk: { n: 1, of: [] } } };
  const shown: unknown[] = [];
  const config = { configurable: { thread_id: "t" }, streamMode: "updates" as const };
  for await (const chunk of await graph.stream(before as never, config)) shown.push(chunk);
  expect((await graph.getState(config)).values).toEqual({
    words: { tea: { n: 3, of: ["a", "b", "b"] }, milk: { n: 1, of: [] } },
  });
  expect(shown).toEqual([{ sub: { words: { tea: { n: 2, of: ["b", "b"] } } } }]);
});

const tallying = (reducer: (left: Tally, right: string[] | Tally) => Tally) =>
  Annotation.Root({ tally: Annotation<Tally, string[] | Tally>({ reducer, default: () => new Tally() }) });

it("an instance of a class that its reducer changes is tried as one", async () => {
  const caller = tallying((left, right) => left.add(right));
  const inner = tallying((left, right) => Object.assign(new Tally(), { by: new Map(left.by) }).add(right));
  const graph = new StateGraph(caller)
    .addNode("before", () => ({ tally: ["tea"] }))
    .addNode(
      "sub",
      new StateGraph(inner)
        .addNode("n", () => ({ tally: ["tea"] }))
        .addEdge(START, "n")
        .compile(),
    )
    .addEdge(START, "before")
    .addEdge("before", "sub")
    .compile();
  const { tally } = await graph.invoke({});
  expect([...tally.by]).toEqual([["tea", 2]]);
});

/** A total that no other object can be made of. */
class Sealed {
  readonly #of: readonly string[];
  constructor(of: readonly string[] = []) {
    this.#of = of;
  }
  with(of: readonly string[]): Sealed {
    return new Sealed([...this.#of, ...of]);
  }
  toJSON(): readonly string[] {
    return this.#of;
  }
}

/** The same, which also shows something. */
class Shown extends Sealed {
  seen = 0;
  override with(of: readonly string[]): Shown {
    return Object.setPrototypeOf(super.with(of), Shown.prototype) as Shown;
  }
}

it.each<[string, unknown, unknown, () => (left: never, right: never) => unknown, unknown]>([
  [
    "an instance with private fields",
    new Sealed(["a"]),
    ["b"],
    () => (left: Sealed, right: string[]) => left.with(right),
    ["a", "b"],
  ],
  [
    "an instance with private and public fields",
    new Shown(["a"]),
    ["b"],
    () => (left: Shown, right: string[]) => left.with(right),
    ["a", "b"],
  ],
  [
    "a URL",
    new URL("http://h/a/"),
    "b/",
    () => (left: URL, right: string) => new URL(`${left.href}${right}`),
    "http://h/a/b/",
  ],
  [
    "a map of functions",
    new Map([["a", [() => 1]]]),
    ["a", () => 2],
    () =>
      (left: Map<string, (() => number)[]>, [key, one]: [string, () => number]) =>
        new Map(left).set(key, [...(left.get(key) ?? []), one]),
    2,
  ],
  [
    "a set of instances",
    new Set([new Sealed(["a"])]),
    ["b"],
    () => (left: Set<Sealed>, right: string[]) => new Set([...left].map((one) => one.with(right))),
    ["a", "b"],
  ],
])("%s is merged once, by two reducers that are alike", async (_, before, update, reducer, after) => {
  const state = () => Annotation.Root({ held: Annotation<unknown>({ reducer: reducer() as never }) });
  const within = new StateGraph(state())
    .addNode("n", () => ({ held: update }))
    .addEdge(START, "n")
    .compile();
  const graph = new StateGraph(state()).addNode("sub", within).addEdge(START, "sub").compile();
  const { held } = await graph.invoke({ held: before });
  const shown = held instanceof Map ? held.get("a").length : held instanceof Set ? [...held][0] : held;
  expect(JSON.parse(JSON.stringify(shown))).toEqual(after);
});
