import { AIMessage } from "@langchain/core/messages";
import { MemorySaver } from "@skein/checkpointer";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  Annotation,
  Command,
  GraphCallbackHandler,
  type GraphInterruptEvent,
  type GraphResumeEvent,
  interrupt,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  pushMessage,
  RunControl,
  START,
  StateGraph,
} from "@skein/graph";

const thread = { configurable: { thread_id: "t" } };
const State = Annotation.Root({
  trail: Annotation<string[], string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
});
const leaves = (name: string) => () => ({ trail: [name] });
const chain = (options: object = {}) =>
  new StateGraph(State)
    .addSequence({ a: leaves("a"), b: leaves("b") })
    .addEdge(START, "a")
    .compile(options);
const decode = (bytes: unknown): string => new TextDecoder().decode(bytes as Uint8Array);

test("an answer that does not fit the schema fails the node, which can be answered again", async () => {
  const graph = new StateGraph(State)
    .addNode("ask", () => {
      const { n } = interrupt<string, { n: number }>("how many?", {
        responseSchema: z.object({ n: z.number() }),
      });
      return { trail: [`${n}`] };
    })
    .addEdge(START, "ask")
    .compile({ checkpointer: new MemorySaver() });
  const waiting = (await graph.invoke({}, thread)) as unknown as { __interrupt__: object[] };
  expect(waiting.__interrupt__).toMatchObject([
    { value: "how many?", response_schema: { type: "object", required: ["n"] } },
  ]);
  await expect(graph.invoke(new Command({ resume: { n: "many" } }), thread)).rejects.toMatchObject({
    code: "INVALID_INPUT",
    cause: { issues: [{ path: ["n"] }] },
  });
  expect((await graph.invoke(new Command({ resume: { n: 3 } }), thread)).trail).toEqual(["3"]);
});

test("a pushed message is stored with what its node returns, and only once", async () => {
  let tries = 0;
  const graph = new StateGraph(MessagesAnnotation)
    .addNode(
      "talk",
      () => {
        pushMessage(new AIMessage({ id: "p", content: `try ${++tries}` }));
        if (tries === 1) throw new Error("once");
        return { messages: [new AIMessage({ id: "r", content: "done" })] };
      },
      { retryPolicy: { initialInterval: 1, jitter: false, logWarning: false } },
    )
    .addEdge(START, "talk")
    .compile({ checkpointer: new MemorySaver() });
  await graph.invoke({ messages: [] }, thread);
  const { messages } = (await graph.getState(thread)).values;
  expect(messages.map(({ id, content }: AIMessage) => [id, content])).toEqual([
    ["p", "try 2"],
    ["r", "done"],
  ]);
});

test("pushMessage outside of a node hands the message back; without an id it says so", () => {
  expect(pushMessage({ role: "ai", id: "x", content: "hi" })).toMatchObject({ id: "x", type: "ai" });
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("talk", (_state, config: LangGraphRunnableConfig) => ({
      messages: [pushMessage(new AIMessage("no id"), config)],
    }))
    .addEdge(START, "talk")
    .compile();
  return expect(graph.invoke({ messages: [] })).rejects.toMatchObject({ code: "INVALID_MESSAGE" });
});

test("every run has a control of its own, unless it is given one", async () => {
  const seen: (RunControl | undefined)[] = [];
  const graph = new StateGraph(State)
    .addNode("a", (_state, { control }) => {
      seen.push(control);
      return {};
    })
    .addEdge(START, "a")
    .compile();
  const mine = new RunControl();
  await graph.invoke({});
  await graph.invoke({});
  await graph.invoke({}, { control: mine });
  expect(seen[0]).toBeInstanceOf(RunControl);
  expect(seen[0]).not.toBe(seen[1]);
  expect(seen[2]).toBe(mine);
});

test("handlers hear where a run waits and goes on, with the checkpoint that names it", async () => {
  const heard: (GraphInterruptEvent | GraphResumeEvent)[] = [];
  class Watcher extends GraphCallbackHandler {
    override handleInterrupt = (event: GraphInterruptEvent): void => void heard.push(event);
    override handleResume = async (event: GraphResumeEvent): Promise<void> => void heard.push(event);
  }
  const graph = chain({ checkpointer: new MemorySaver(), interruptBefore: ["b"] });
  const watched = graph.withConfig({ callbacks: [new Watcher()] });
  await watched.invoke({}, thread);
  const { config } = await graph.getState(thread);
  await watched.invoke(null, thread);
  const checkpointId: unknown = config.configurable?.["checkpoint_id"];
  expect(heard).toEqual([
    { runId: expect.any(String), status: "interrupt_before", checkpointId, checkpointNs: [], interrupts: [] },
    { runId: expect.any(String), status: "pending", checkpointId, checkpointNs: [] },
  ]);
});

test.each([
  [undefined, { a: { trail: ["a"] } }],
  ["text/event-stream" as const, 'event: updates\ndata: {"a":{"trail":["a"]}}\n\n'],
])("a reader that leaves a stream stops the run (encoding %s)", async (encoding, first) => {
  let ran = 0;
  const graph = new StateGraph(State)
    .addNode("a", async () => {
      ran += 1;
      await new Promise((resolve) => setTimeout(resolve, 1));
      return { trail: ["a"] };
    })
    .addEdge(START, "a")
    .addConditionalEdges("a", () => "a", ["a"])
    .compile();
  const stream = await graph.stream({}, { streamMode: "updates", encoding, recursionLimit: 1e9 });
  for await (const chunk of stream) {
    expect(chunk instanceof Uint8Array ? decode(chunk) : chunk).toEqual(first);
    break;
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
  const after = ran;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(ran).toBe(after);
});

test("an error comes after all chunks, however slowly they are read", async () => {
  const graph = new StateGraph(State)
    .addSequence({
      a: leaves("a"),
      b: leaves("b"),
      c: () => {
        throw new Error("at last");
      },
    })
    .addEdge(START, "a")
    .compile();
  const chunks: unknown[] = [];
  const reading = async (): Promise<void> => {
    for await (const chunk of await graph.stream({}, { streamMode: "updates" })) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      chunks.push(chunk);
    }
  };
  await expect(reading()).rejects.toThrow("at last");
  expect(chunks).toEqual([{ a: { trail: ["a"] } }, { b: { trail: ["b"] } }]);
});

test("streamEvents as server-sent events tells what streamEvents tells", async () => {
  const plain: string[] = [];
  for await (const { event, name } of chain().streamEvents({}, { version: "v2" }))
    plain.push(`${event} ${name}`);
  let text = "";
  const encoded = chain().streamEvents({}, { version: "v2", encoding: "text/event-stream" });
  for await (const chunk of encoded) text += decode(chunk);
  const told = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => {
    const { event, name } = JSON.parse(data as string) as { event: string; name: string };
    return `${event} ${name}`;
  });
  expect(told.toSorted()).toEqual(plain.toSorted());
  expect(plain).toContain("on_chain_end LangGraph");
});
