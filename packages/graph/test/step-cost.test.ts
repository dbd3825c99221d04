import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { CallbackManager } from "@langchain/core/callbacks/manager";
import { Annotation, END, START, StateGraph } from "@skein/graph";
import { afterEach, describe, expect, it, vi } from "vitest";

/** Two nodes that hand to each other until `steps` supersteps are done, among others that never run. */
function pingPong({ nodes, keys }: { readonly nodes: number; readonly keys: number }) {
  const idle = Array.from({ length: nodes }, (_, index) => `idle${index}`);
  const unused = Array.from({ length: keys }, (_, index) => [`key${index}`, Annotation<string>()] as const);
  const State = Annotation.Root({
    steps: Annotation<number>(),
    count: Annotation<number>({ reducer: (left, right) => left + right, default: () => 0 }),
    ...(Object.fromEntries(unused) as Record<never, never>),
  });
  const graph = new StateGraph(State)
    .addNode("ping", () => ({ count: 1 }))
    .addNode("pong", () => ({ count: 1 }))
    .addEdge("ping", "pong");
  for (const name of idle) graph.addNode(name, () => ({}));
  return graph
    .addConditionalEdges(START, () => "ping", ["ping", ...idle] as "ping"[])
    .addConditionalEdges("pong", (state) => (state.count < state.steps ? "ping" : END), ["ping", END])
    .compile();
}

const LOOKS = ["get", "has", "keys", "values", "entries", "forEach", Symbol.iterator] as const;

/** How often a superstep looks at something in a graph; a list that is gone through counts as a whole. */
async function looksPerStep(size: { readonly nodes: number; readonly keys: number }): Promise<number> {
  const graph = pingPong(size);
  const { channels, nodes, triggers } = graph.program;
  let looks = 0;
  for (const map of [channels, nodes, triggers] as Map<unknown, unknown>[]) {
    for (const look of LOOKS) {
      const original = (map[look] as (...args: unknown[]) => unknown).bind(map);
      const cost = look === "get" || look === "has" ? 1 : map.size;
      Object.defineProperty(map, look, {
        value: (...args: unknown[]) => {
          looks += cost;
          return original(...args);
        },
      });
    }
  }
  const looksOf = async (steps: number): Promise<number> => {
    looks = 0;
    await graph.invoke({ steps }, { recursionLimit: steps + 5 });
    return looks;
  };
  const short = await looksOf(20);
  return ((await looksOf(40)) - short) / 20;
}

describe("a superstep looks at what it touches, not at the graph (I7)", () => {
  it("with 1,000 nodes as often as with 10", async () => {
    const few = await looksPerStep({ nodes: 10, keys: 10 });
    expect(few).toBeGreaterThan(0);
    expect(await looksPerStep({ nodes: 1_000, keys: 10 })).toBe(few);
  });

  it("with 1,000 keys as often as with 100", async () => {
    expect(await looksPerStep({ nodes: 10, keys: 1_000 })).toBe(await looksPerStep({ nodes: 10, keys: 100 }));
  });
});

describe("callbacks cost when somebody listens", () => {
  afterEach(() => vi.restoreAllMocks());

  it("no callback manager is made for a run that nobody follows, one for each node otherwise", async () => {
    const graph = pingPong({ nodes: 0, keys: 0 });
    const starts = vi.spyOn(CallbackManager.prototype, "handleChainStart");
    const children = vi.spyOn(CallbackManager.prototype, "addTags");
    await graph.invoke({ steps: 10 });
    expect(starts).not.toHaveBeenCalled();
    expect(children).not.toHaveBeenCalled();
    const listener = BaseCallbackHandler.fromMethods({ handleChainStart: () => {} });
    await graph.invoke({ steps: 10 }, { callbacks: [listener] });
    expect(starts.mock.calls.length).toBeGreaterThanOrEqual(11);
  });
});
