import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { CallbackManager } from "@langchain/core/callbacks/manager";
import { Annotation, interrupt, MemorySaver, Send, START, StateGraph } from "@skein/graph";
import { afterEach, expect, it, vi } from "vitest";

const State = Annotation.Root({
  log: Annotation<string[], string>({ reducer: (left, right) => [...left, right], default: () => [] }),
});

const inner = new StateGraph(State)
  .addNode("leaf", () => ({ log: "leaf" }))
  .addEdge(START, "leaf")
  .compile();

const makeGraph = () =>
  new StateGraph(State)
    .addNode("plan", () => ({ log: "plan" }))
    .addNode("work", () => ({ log: "work" }))
    .addNode("nested", inner)
    .addNode("ask", () => ({ log: interrupt("?") }))
    .addEdge(START, "plan")
    .addConditionalEdges("plan", () => ["work", "work", "work"].map((name) => new Send(name, {})), ["work"])
    .addEdge("work", "nested")
    .addEdge("nested", "ask")
    .compile({ checkpointer: new MemorySaver() });

const METHODS = [
  "handleChainStart",
  "getParentRunId",
  "addHandler",
  "addTags",
  "addMetadata",
  "copy",
] as const;

/** What is called of LangChain's callback managers while a graph runs. */
async function callsOf(callbacks: BaseCallbackHandler[] | undefined): Promise<Record<string, number>> {
  const spies = METHODS.map((name) => [name, vi.spyOn(CallbackManager.prototype, name)] as const);
  const config = { configurable: { thread_id: "1" }, ...(callbacks === undefined ? {} : { callbacks }) };
  const graph = makeGraph();
  expect(await graph.invoke({ log: "in" }, config)).toHaveProperty("__interrupt__");
  for await (const _ of await graph.stream(
    { log: "again" },
    { ...config, streamMode: ["values", "updates"] },
  ));
  return Object.fromEntries(spies.map(([name, spy]) => [name, spy.mock.calls.length]));
}

class Listener extends BaseCallbackHandler {
  override name = "listener";
}

afterEach(() => {
  vi.restoreAllMocks();
});

it("when nobody listens, no callback manager is made or asked anything", async () => {
  vi.stubEnv("LANGCHAIN_TRACING_V2", "false");
  vi.stubEnv("LANGSMITH_TRACING", "false");
  const calls = await callsOf(undefined);
  expect(Object.values(calls).reduce((sum, count) => sum + count, 0)).toBe(0);
  vi.unstubAllEnvs();
});

it("when somebody does, every run of a graph and of a node is announced to it", async () => {
  const calls = await callsOf([new Listener()]);
  // of each call: the graph, plan, three times work, nested and the graph in it with its leaf, ask
  expect(calls["handleChainStart"]).toBeGreaterThanOrEqual(2 * 9);
});
