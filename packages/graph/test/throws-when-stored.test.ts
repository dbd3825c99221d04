import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { describe, expect, it } from "vitest";
import { Annotation, Command, interrupt, MemorySaver, Send, START, StateGraph } from "../src/index.ts";

const boom = (): never => {
  throw new Error("boom");
};
const withGetter = (): object => Object.defineProperty({}, "x", { enumerable: true, get: boom });
const proxied = (trap: string, target: object = {}): object => new Proxy(target, { [trap]: boom });
function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const State = Annotation.Root({
  v: Annotation<unknown>,
  list: Annotation<unknown[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
});

const said = (text: string) => ({ message: expect.stringContaining(text) as string });

const SAVERS = [
  ["memory", () => new MemorySaver()],
  ["SQLite", () => SqliteSaver.fromConnString(":memory:")],
] as const;

type Path = readonly (string | number)[];

const VALUES: readonly (readonly [string, () => unknown, path: Path])[] = [
  ["a getter that throws", withGetter, ["x"]],
  ["one further within", () => ({ a: withGetter() }), ["a", "x"]],
  ["a getter of toJSON", () => Object.defineProperty({}, "toJSON", { get: boom }), []],
  ["a proxy without keys", () => ({ a: proxied("ownKeys") }), ["a"]],
  ["a proxy without members", () => ({ a: proxied("get", { b: 1 }) }), ["a"]],
  ["a proxy without a prototype", () => ({ a: proxied("getPrototypeOf") }), ["a"]],
  ["a list without a length", () => ({ a: proxied("get", [1]) }), ["a"]],
  ["a revoked proxy", () => ({ a: [revoked()] }), ["a", 0]],
  ["what an element of a list holds", () => ["good", { a: withGetter() }], [1, "a", "x"]],
];

describe.each(SAVERS)("what throws when it is stored, in %s", (_, open) => {
  it.each(VALUES)("%s", async (_, make, path) => {
    const saver = open();
    let isBad = true;
    const graph = new StateGraph(State)
      .addNode("node", () => (isBad ? { v: make(), list: ["lost"] } : { v: "good", list: ["kept"] }))
      .addEdge(START, "node")
      .compile({ checkpointer: saver });
    const config = { configurable: { thread_id: "t" } };
    const refused = {
      code: "UNSTORABLE_VALUE",
      details: { channel: "v", path },
      cause: { message: expect.stringMatching(/boom|revoked/) as string },
      ...said('Channel "v": '),
    };
    await expect(graph.invoke({ list: ["asked"] }, config)).rejects.toMatchObject(refused);
    await expect(graph.updateState(config, { v: make() }, "node")).rejects.toMatchObject(refused);
    isBad = false;
    await graph.invoke(null, config);
    expect((await graph.getState(config)).values).toEqual({ v: "good", list: ["asked", "kept"] });
  });

  it("names the place in a list that grows", async () => {
    const graph = new StateGraph(State)
      .addNode("node", () => ({ list: ["good", { f: boom }] }))
      .addEdge(START, "node")
      .compile({ checkpointer: open() });
    const run = graph.invoke({ list: ["asked"] }, { configurable: { thread_id: "t" } });
    await expect(run).rejects.toMatchObject({
      details: { channel: "list", path: [2, "f"] },
      ...said('Channel "list": element 2: "f" holds a function'),
    });
  });

  it("says whether it is an interrupt, an answer or a Send that holds it", async () => {
    const config = { configurable: { thread_id: "t" } };
    const asks = (value: unknown) =>
      new StateGraph(State)
        .addNode("node", () => ({ v: interrupt(value) }))
        .addEdge(START, "node")
        .compile({ checkpointer: open() });
    await expect(asks(boom).invoke({ list: [] }, config)).rejects.toMatchObject(
      said("The value of an interrupt"),
    );
    const graph = asks("which?");
    await graph.invoke({ list: [] }, config);
    await expect(graph.invoke(new Command({ resume: boom }), config)).rejects.toMatchObject(
      said("The answer to an interrupt"),
    );
    const sends = new StateGraph(State)
      .addNode("node", () => ({}))
      .addNode("sent", () => ({}))
      .addEdge(START, "node")
      .addConditionalEdges("node", () => [new Send("sent", { f: boom })], ["sent"])
      .compile({ checkpointer: open() });
    await expect(sends.invoke({ list: [] }, config)).rejects.toMatchObject(said("A Send"));
  });
});
