import {
  AIMessage,
  HumanMessage,
  RemoveMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import {
  Annotation,
  Command,
  END,
  interrupt,
  MemorySaver as TheirSaver,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
  type BaseCheckpointSaver,
} from "@langchain/langgraph";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANGE_SETS, type Claim } from "../src/index.ts";
import { ALL_SAVERS } from "./savers.ts";

const strings = () =>
  Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] });

/** The same graph on LangGraph's engine with its own saver and with ours: states and histories must be equal. */
function chatGraph(checkpointer: BaseCheckpointSaver) {
  const State = Annotation.Root({
    ...MessagesAnnotation.spec,
    done: strings(),
    answer: Annotation<unknown>(),
  });
  return new StateGraph(State)
    .addNode("model", ({ messages }) => {
      const n = messages.length;
      return n % 4 === 1
        ? {
            messages: [
              new AIMessage({
                id: `ai${n}`,
                content: "",
                tool_calls: [{ id: `c${n}`, name: "f", args: { n } }],
              }),
            ],
          }
        : { messages: [new AIMessage({ id: `ai${n}`, content: `answer ${n}` })] };
    })
    .addNode("tools", ({ messages }) => {
      const last = messages.at(-1) as AIMessage;
      const tool = new ToolMessage({
        id: `t${messages.length}`,
        content: "r",
        tool_call_id: last.tool_calls?.[0]?.id ?? "",
      });
      return { messages: [tool], answer: new Map([["n", messages.length]]) };
    })
    .addNode("work", ({ answer }: { answer?: unknown }) => ({ done: [String(answer)] }))
    .addNode("ask", () => ({ answer: { asked: interrupt({ question: "sure?" }) } }))
    .addEdge(START, "model")
    .addConditionalEdges("model", ({ messages }) =>
      (messages.at(-1) as AIMessage).tool_calls?.length ? "tools" : "ask",
    )
    .addConditionalEdges(
      "tools",
      () => [new Send("work", { answer: "a" }), new Send("work", { answer: "b" })],
      ["work"],
    )
    .addEdge("work", "model")
    .addEdge("ask", END)
    .compile({ checkpointer });
}

async function converse(checkpointer: BaseCheckpointSaver) {
  const graph = chatGraph(checkpointer);
  const config = { configurable: { thread_id: "t" } };
  for (let turn = 0; turn < 4; turn += 1) {
    await graph.invoke(
      { messages: [new HumanMessage({ id: `h${turn}`, content: `question ${turn}` })] },
      config,
    );
    await graph.invoke(new Command({ resume: `yes ${turn}` }), config);
    if (turn === 2) await graph.updateState(config, { messages: [new RemoveMessage({ id: "h0" })] }, "model");
  }
  const history = [];
  for await (const { values, metadata, next, tasks } of graph.getStateHistory(config)) {
    history.push({
      values: values as unknown,
      step: metadata?.step,
      source: metadata?.source,
      next,
      tasks: tasks.length,
    });
  }
  return { graph, config, history };
}

/** Branches off in the middle of a conversation, and goes on there. */
async function branched(saver: BaseCheckpointSaver) {
  const { graph, config } = await converse(saver);
  const states = [];
  for await (const state of graph.getStateHistory(config)) states.push(state);
  const old = states.find(({ next, values }) => next[0] === "model" && values.messages.length === 3);
  await graph.invoke(null, old?.config as never);
  await graph.invoke(new Command({ resume: "again" }), config);
  const history = [];
  for await (const { values, metadata, next } of graph.getStateHistory(config)) {
    history.push({ values: values as unknown, step: metadata?.step, source: metadata?.source, next });
  }
  return history;
}

describe.each(ALL_SAVERS)("$name under LangGraph's engine", (kind) => {
  let storage: ReturnType<typeof kind.open>;
  beforeEach(() => {
    storage = kind.open();
  });
  afterEach(() => storage.close());

  it("gives the same history as LangGraph's own saver: tools, Send, interrupts, removal, updates", async () => {
    const theirs = await converse(new TheirSaver());
    const ours = await converse(storage.saver);
    expect(ours.history).toEqual(theirs.history);
    const reopened = await chatGraph(storage.reopen()).getState(ours.config);
    expect(reopened.values).toEqual(theirs.history[0]?.values);
    expect((reopened.values as { messages: BaseMessage[] }).messages[0]).toBeInstanceOf(AIMessage);
  });

  it("takes writes that come before their checkpoint, also while nothing is under way on the thread", async () => {
    const { saver } = storage;
    const config = { configurable: { thread_id: "t", checkpoint_ns: "" } };
    const metadata = { source: "loop", step: 0, parents: {} } as const;
    const first = await saver.put(config, emptyCheckpoint(), metadata, {});
    const next = { ...emptyCheckpoint(), id: uuid6(1) };
    const under = { configurable: { ...config.configurable, checkpoint_id: next.id } };
    const written = saver.putWrites(under, [["answer", "early"]], "00000000-0000-4000-8000-000000000001");
    await new Promise((resolve) => {
      setTimeout(resolve, 3);
    });
    await saver.put(first, next, { ...metadata, step: 1 }, {});
    await written;
    expect((await saver.getTuple(under))?.pendingWrites?.map((write) => write[2])).toEqual(["early"]);
  });

  it("forks and replays from an old checkpoint as LangGraph's own saver does", async () => {
    const ours = await branched(storage.saver);
    expect(ours.length).toBeGreaterThan(15);
    expect(ours).toEqual(await branched(new TheirSaver()));
  });

  it("keeps what finished tasks wrote when the state is updated while others of their step wait", async () => {
    const State = Annotation.Root({
      log: strings(),
      notes: strings(),
      count: Annotation<number>(),
      long: Annotation<string>(),
    });
    const run = async (checkpointer: BaseCheckpointSaver, given: object) => {
      let effects = 0;
      const graph = new StateGraph(State)
        .addNode("plan", () => ({}))
        .addNode("work", (sent) => {
          const { i } = sent as unknown as { i: number };
          if (i === 1) interrupt("go?");
          effects += 1;
          return { log: [`w${i}`], ...(i === 2 && { count: 2 }) };
        })
        .addEdge(START, "plan")
        .addConditionalEdges("plan", () => [0, 1, 2].map((i) => new Send("work", { i })), ["work"])
        .compile({ checkpointer });
      const config = { configurable: { thread_id: "halfway" } };
      await graph.invoke({ ...given, long: "x".repeat(1_000) }, config);
      await graph.updateState(config, { notes: ["n"] }, "work");
      const { values, next } = await graph.getState(config);
      await graph.invoke(null, config);
      return { values: values as unknown, next, effects };
    };
    const unset = await run(storage.saver, {});
    expect(unset).toEqual(await run(new TheirSaver(), {}));
    expect(unset).toMatchObject({ values: { log: ["w0", "w2"], count: 2 }, next: [], effects: 2 });
    await storage.saver.deleteThread("halfway");
    const given = { log: ["given"], count: 1 };
    const ours = await run(storage.saver, given);
    expect(ours).toEqual(await run(new TheirSaver(), given));
    expect(ours).toMatchObject({ values: { log: ["given", "w0", "w2"], count: 2 }, next: [], effects: 2 });
    // the long text, and what did not change
    expect((await storage.saver.storageReport("halfway"))?.itemBytes).toBeLessThan(3_000);
  });

  it("stores each message once", async () => {
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("model", ({ messages }) => ({
        // a node that returns the whole list, not the new message only (A4)
        messages: [...messages, new AIMessage({ id: `ai${messages.length}`, content: "y".repeat(500) })],
      }))
      .addEdge(START, "model")
      .compile({ checkpointer: storage.saver });
    const config = { configurable: { thread_id: "t" } };
    const bytes: number[] = [];
    for (let turn = 0; turn < 60; turn += 1) {
      await graph.invoke(
        { messages: [new HumanMessage({ id: `h${turn}`, content: "x".repeat(500) })] },
        config,
      );
      const report = await storage.saver.storageReport("t");
      bytes.push((report?.itemBytes ?? 0) + (report?.writeBytes ?? 0) + (report?.manifestBytes ?? 0));
    }
    const late = ((bytes[59] as number) - (bytes[29] as number)) / 30;
    const early = ((bytes[29] as number) - (bytes[0] as number)) / 29;
    expect(late / early).toBeLessThan(1.2);
    expect(late).toBeLessThan(2500);
  });

  it("keeps an archive that LangGraph knows nothing of", async () => {
    const sets = storage.saver[CHANGE_SETS];
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("model", () => ({ messages: [new AIMessage({ id: "new", content: "hello" })] }))
      .addEdge(START, "model")
      .compile({ checkpointer: storage.saver });
    const config = { configurable: { thread_id: "t" } };
    await graph.invoke({ messages: [new HumanMessage({ id: "h", content: "hi" })] }, config);
    const opened = await sets.open({ threadId: "t", namespace: "" }, { claim: "fail" });
    const id = (opened.headId as string).replace(/^./, "f");
    await sets.commit(opened.claim as Claim, {
      namespace: "",
      parentId: opened.headId,
      expectedHead: opened.headId,
      checkpoint: {
        id,
        ts: new Date().toISOString(),
        metadata: { source: "update", step: 9, parents: {} },
        channelVersions: { full_messages: 99 },
        versionsSeen: {},
      },
      channels: new Map([
        [
          "full_messages",
          {
            op: "log",
            lane: "messages",
            entries: [{ add: new HumanMessage({ id: "old", content: "once" }) }],
          },
        ],
      ]),
      writes: [],
      release: true,
    });
    await graph.updateState(config, { messages: [new AIMessage({ id: "later", content: "later" })] });
    const again = storage.reopen()[CHANGE_SETS];
    const page = await again.page({ threadId: "t", namespace: "" }, "full_messages", { limit: 5 });
    expect((page.elements as BaseMessage[]).map((message) => message.id)).toEqual(["old"]);
  });
});
