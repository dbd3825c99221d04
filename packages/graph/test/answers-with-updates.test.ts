import { setTimeout as sleep } from "node:timers/promises";
import { type BaseMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  Annotation,
  Command,
  DeltaValue,
  type Durability,
  interrupt,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  Overwrite,
  Send,
  START,
  StateGraph,
  StateSchema,
} from "../src/index.ts";
import { SAVERS_AND_FAKE } from "./support/savers.ts";

const thread = { configurable: { thread_id: "t" } };
const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
  last: Annotation<string>(),
});
const Messages = Annotation.Root({ ...MessagesAnnotation.spec, ...State.spec });
const answer = (resume: unknown, update: Record<string, unknown>): never =>
  new Command({ resume, update }) as never;
const remove = (id: string) => ({ messages: [new RemoveMessage({ id })] });
const goto = (resume: string, update: Record<string, unknown>): never =>
  new Command({ resume, update, goto: [new Send("w", { log: `w${resume}` })] }) as never;
const withoutIds = (): never =>
  answer("A", { log: ["u1"], messages: [{ role: "user", content: "hi" }, ["user", "you"]] });
const anew = (text: string) => ({ log: new Overwrite([text]) });

describe.each(SAVERS_AND_FAKE)("answers that bring updates along, stored in %s", (_, make) => {
  const asking = () =>
    new StateGraph(State)
      .addNode("asks", () => ({ log: [[interrupt("1?"), interrupt("2?"), interrupt("3?")].join("")] }))
      .addEdge(START, "asks")
      .compile({ checkpointer: make() });

  /** Its node fails when it has its answer, until it is mended. */
  function failing() {
    let fails = true;
    const graph = new StateGraph(Messages)
      .addNode("asks", () => {
        const said = interrupt("?") as string;
        if (fails) throw new Error("user: not yet");
        return { log: [said] };
      })
      .addEdge(START, "asks")
      .compile({ checkpointer: make() });
    return { graph, mend: () => void (fails = false) };
  }

  /** Two Sends, of which the second asks; and which have run. */
  function fannedOut() {
    const ran: number[] = [];
    const graph = new StateGraph(State)
      .addNode("w", ({ n }: { n: number }) => {
        ran.push(n);
        return { log: [`w${n}${n === 2 ? String(interrupt("?")) : ""}`] };
      })
      .addConditionalEdges(START, () => [1, 2].map((n) => new Send("w", { n })), ["w"])
      .compile({ checkpointer: make() });
    return { graph, ran };
  }

  it("all stand, once each, while the node asks on and when it has ended", async () => {
    const graph = asking();
    await graph.invoke({ log: ["in"] }, thread);
    const seen: unknown[] = [];
    for (const [resume, update] of [
      ["A", { log: ["u1"], last: "x" }],
      ["B", { log: ["u2"] }],
      ["C", { last: "y" }],
    ] as const) {
      const { log, last } = await graph.invoke(answer(resume, update), thread);
      const { values } = await graph.getState(thread);
      expect({ log: values.log, last: values.last }).toEqual({ log, last });
      seen.push([log.join(" "), last]);
    }
    expect(seen).toEqual([
      ["in u1", "x"],
      ["in u1 u2", "x"],
      ["in u1 u2 ABC", "y"],
    ]);
  });

  it("a later Overwrite takes the place of what came before it", async () => {
    const graph = asking();
    await graph.invoke({ log: ["in"] }, thread);
    await graph.invoke(answer("A", anew("u1")), thread);
    await graph.invoke(answer("B", anew("u2")), thread);
    expect((await graph.getState(thread)).values.log).toEqual(["u2"]);
    expect((await graph.invoke(answer("C", { log: ["u3"] }), thread)).log).toEqual(["u2", "u3", "ABC"]);
  });

  it("stand when the node fails and is answered again, as the first answer does", async () => {
    const { graph, mend } = failing();
    await graph.invoke({ log: ["in"] }, thread);
    await expect(graph.invoke(answer("A", { log: ["u1"] }), thread)).rejects.toThrow("not yet");
    mend();
    expect((await graph.invoke(answer("B", { log: ["u2"] }), thread)).log).toEqual(["in", "u1", "u2", "A"]);
  });

  it("count once when the same is sent again, because the node failed", async () => {
    const { graph, mend } = failing();
    await graph.invoke({ log: ["in"], messages: [new HumanMessage({ id: "a", content: "a" })] }, thread);
    const said = answer("A", { log: ["u1"], messages: [new RemoveMessage({ id: "a" })] });
    await expect(graph.invoke(said, thread)).rejects.toThrow("not yet");
    await expect(graph.invoke(said, thread)).rejects.toThrow("not yet");
    mend();
    const { log, messages } = await graph.invoke(said, thread);
    expect([log, messages]).toEqual([["in", "u1", "A"], []]);
  });

  it("count once when the same is sent again, because the call was cut off, be its messages without ids", async () => {
    let waits = true;
    const graph = new StateGraph(Messages)
      .addNode("asks", async (_state, { signal }: LangGraphRunnableConfig) => {
        const said = interrupt("?") as string;
        if (waits) await sleep(60_000, undefined, { signal });
        return { log: [said] };
      })
      .addEdge(START, "asks")
      .compile({ checkpointer: make() });
    await graph.invoke({ log: ["in"] }, thread);
    const signal = AbortSignal.timeout(20);
    await expect(graph.invoke(withoutIds(), { ...thread, signal })).rejects.toThrow(/abort/);
    waits = false;
    const { log, messages } = await graph.invoke(withoutIds(), thread);
    expect([log, messages.map((message: BaseMessage) => message.text)]).toEqual([
      ["in", "u1", "A"],
      ["hi", "you"],
    ]);
    const { tasks } = await graph.getState((await graph.getState(thread)).parentConfig as never);
    expect(tasks[0]?.interrupts).toEqual([{ id: expect.any(String), value: "?" }]);
  });

  it("count once where one of those answered has failed and the other asks on", async () => {
    let fails = true;
    const graph = new StateGraph(State)
      .addNode("x", () => {
        const said = String(interrupt("x?"));
        if (fails) throw new Error("user: not yet");
        return { log: [`x${said}`] };
      })
      .addNode("y", () => ({ log: [`y${String(interrupt("y?"))}${String(interrupt("y!"))}`] }))
      .addEdge(START, "x")
      .addEdge(START, "y")
      .compile({ checkpointer: make() });
    await graph.invoke({ log: ["in"] }, thread);
    const asked = (await graph.getState(thread)).tasks.flatMap(({ interrupts }) => interrupts);
    const both = answer(Object.fromEntries(asked.map(({ id }) => [id, "A"])), { log: ["u"] });
    await expect(graph.invoke(both, thread)).rejects.toThrow("not yet");
    fails = false;
    expect((await graph.invoke(both, thread)).log).toEqual(["in", "u", "xA", "yAA"]);
  });

  it("keep their places behind a plain answer and one by id that goes somewhere", async () => {
    const graph = new StateGraph(State)
      .addNode("x", () => ({ log: [["1?", "2?", "3?", "4?"].map((one) => String(interrupt(one))).join("")] }))
      .addNode("w", ({ log }) => ({ log: [String(log)] }))
      .addConditionalEdges(START, () => ["x"], ["x", "w"])
      .compile({ checkpointer: make() });
    await graph.invoke({ log: ["in"] }, thread);
    await graph.invoke(new Command({ resume: "A" }) as never, thread);
    const [id] = (await graph.getState(thread)).tasks.flatMap(({ interrupts }) =>
      interrupts.map((one) => one.id),
    );
    const byId = {
      resume: { [String(id)]: "B" },
      goto: new Send("w", { log: "w" }),
      update: { log: ["u1"] },
    };
    await graph.invoke(new Command(byId) as never, thread);
    await graph.invoke(answer("C", { log: ["u2"] }), thread);
    const { log } = await graph.invoke(new Command({ resume: "D" }) as never, thread);
    expect(log).toEqual(["in", "u1", "u2", "ABCD", "w"]);
  });

  it("an answer behind one by id is not lost when its call is cut off", async () => {
    const stop = new AbortController();
    let stops = true;
    const graph = new StateGraph(State)
      .addNode("x", async (_state, { signal }: LangGraphRunnableConfig) => {
        const said = `${String(interrupt("1?"))}${String(interrupt("2?"))}`;
        if (stops) {
          stop.abort();
          await sleep(60_000, undefined, { signal });
        }
        return { log: [said] };
      })
      .addEdge(START, "x")
      .compile({ checkpointer: make() });
    await graph.invoke({ log: ["in"] }, thread);
    const [id] = (await graph.getState(thread)).tasks.flatMap(({ interrupts }) =>
      interrupts.map((one) => one.id),
    );
    await graph.invoke(answer({ [String(id)]: "A" }, { log: ["u1"] }), thread);
    const cut = graph.invoke(answer("B", { log: ["u2"] }), { ...thread, signal: stop.signal });
    await expect(cut).rejects.toThrow(/abort/);
    stops = false;
    expect((await graph.invoke(null, thread)).log).toEqual(["in", "u1", "u2", "AB"]);
  });

  it("count when they say what another answer said before", async () => {
    let fails = false;
    const graph = new StateGraph(State)
      .addNode("x", () => {
        const said = `${String(interrupt("1?"))}${String(interrupt("2?"))}`;
        if (fails) throw new Error("user: not yet");
        return { log: [said] };
      })
      .addEdge(START, "x")
      .compile({ checkpointer: make() });
    await graph.invoke({ log: ["in"] }, thread);
    await graph.invoke(answer("A", { log: ["u"] }), thread);
    fails = true;
    await expect(graph.invoke(answer("B", { log: ["v"] }), thread)).rejects.toThrow("not yet");
    fails = false;
    expect((await graph.invoke(answer("B", { log: ["u"] }), thread)).log).toEqual([
      "in",
      "u",
      "v",
      "u",
      "AB",
    ]);
  });

  it("stand at an older checkpoint whose node still asks", async () => {
    const graph = new StateGraph(State)
      .addNode("x", () => ({ log: [`${String(interrupt("1?"))}${String(interrupt("2?"))}`] }))
      .addEdge(START, "x")
      .compile({ checkpointer: make() });
    await graph.invoke({ log: ["in"] }, thread);
    const { config } = await graph.getState(thread);
    await graph.updateState(thread, { last: "elsewhere" });
    await graph.invoke(answer("C", { log: ["uC"] }), config as never);
    expect((await graph.getState(config)).values.log).toEqual(["in", "uC"]);
    const { log } = await graph.invoke(answer("D", { log: ["uD"] }), config as never);
    expect(log).toEqual(["in", "uC", "uD", "CD"]);
  });

  it("a Send without an answer takes the place of Sends that wait", async () => {
    const { graph, ran } = fannedOut();
    await graph.invoke({ log: ["in"] }, thread);
    await graph.invoke(new Command({ goto: new Send("w", { n: 3 }) }) as never, thread);
    expect(ran).toEqual([1, 2, 3]);
  });

  it("count each for two questions of one subgraph, though the first call failed and they say the same", async () => {
    let fails = true;
    const inner = new StateGraph(State)
      .addNode("x", () => {
        const said = String(interrupt("x?"));
        if (fails) throw new Error("user: not yet");
        return { last: said };
      })
      .addNode("y", () => ({ log: [`y${String(interrupt("y?"))}`] }))
      .addEdge(START, "x")
      .addEdge(START, "y")
      .compile();
    const graph = new StateGraph(State)
      .addNode("sub", inner)
      .addEdge(START, "sub")
      .compile({ checkpointer: make() });
    await graph.invoke({ log: ["in"] }, thread);
    const asked = (await graph.getState(thread)).tasks.flatMap(({ interrupts }) => interrupts);
    const idOf = (question: string) => String(asked.find(({ value }) => value === question)?.id);
    await expect(graph.invoke(answer({ [idOf("x?")]: "X" }, { log: ["u"] }), thread)).rejects.toThrow(
      "not yet",
    );
    fails = false;
    await graph.invoke(answer({ [idOf("y?")]: "Y" }, { log: ["u"] }), thread);
    const { log } = (await graph.getState(thread)).values;
    expect(log.filter((line: string) => line === "u")).toHaveLength(2);
  });

  it("a call that is cut off beside a question fails, whoever else waits", async () => {
    const graph = new StateGraph(State)
      .addNode("x", async (_state, { signal }: LangGraphRunnableConfig) => {
        interrupt("x?");
        await sleep(60_000, undefined, { signal });
        return {};
      })
      .addNode("y", () => ({ last: String(interrupt("y?")) }))
      .addEdge(START, "x")
      .addEdge(START, "y")
      .compile({ checkpointer: make() });
    await graph.invoke({ log: ["in"] }, thread);
    const asked = (await graph.getState(thread)).tasks.find(({ name }) => name === "x")?.interrupts[0];
    const command = new Command({ resume: { [String(asked?.id)]: "X" } }) as never;
    await expect(graph.invoke(command, { ...thread, timeout: 20 })).rejects.toThrow(/timeout|aborted/i);
  });

  it("an Overwrite wins over a removal behind it, within one command", async () => {
    const { graph, mend } = failing();
    mend();
    await graph.invoke({ messages: [new HumanMessage({ id: "a", content: "a" })] }, thread);
    const update = [
      ["messages", new Overwrite([new HumanMessage({ id: "b", content: "b" })])],
      ["messages", [new RemoveMessage({ id: "b" })]],
    ];
    const { messages } = await graph.invoke(answer("A", update as never), thread);
    expect(messages.map((message: BaseMessage) => message.id)).toEqual(["b"]);
  });

  it("count each when the node asks on, though they say the same", async () => {
    const graph = asking();
    await graph.invoke({ log: ["in"] }, thread);
    for (const resume of ["A", "B", "C"]) await graph.invoke(answer(resume, { log: ["u"] }), thread);
    expect((await graph.getState(thread)).values.log).toEqual(["in", "u", "u", "u", "ABC"]);
  });

  it("are refused where they do not fit what stands, and the thread stays as it was", async () => {
    const graph = new StateGraph(Messages)
      .addNode("asks", () => ({ log: [`${String(interrupt("1?"))}${String(interrupt("2?"))}`] }))
      .addEdge(START, "asks")
      .compile({ checkpointer: make() });
    await graph.invoke({ messages: [new HumanMessage({ id: "a", content: "a" })] }, thread);
    await graph.invoke(answer("A", { messages: [new HumanMessage({ id: "b", content: "b" })] }), thread);
    await expect(graph.invoke(answer("B", remove("c")), thread)).rejects.toThrow('no message with id "c"');
    const ids = async () =>
      (await graph.getState(thread)).values.messages.map((message: BaseMessage) => message.id);
    expect(await ids()).toEqual(["a", "b"]);
    await graph.invoke(answer("B", remove("b")), thread);
    expect(await ids()).toEqual(["a"]);
    expect((await graph.getState(thread)).values.log).toEqual(["AB"]);
  });

  it("begin a branch each at an older checkpoint, with nothing of the others", async () => {
    const graph = new StateGraph(State)
      .addNode("asks", () => ({ log: [interrupt("?") as string] }))
      .addEdge(START, "asks")
      .compile({ checkpointer: make() });
    await graph.invoke({ log: ["in"] }, thread);
    const { config } = await graph.getState(thread);
    const ends: unknown[] = [];
    for (const [resume, update, at] of [
      ["A", { log: ["uA"] }, thread],
      ["B", { log: ["uB"], last: "b" }, config],
      ["C", { log: ["uC"], last: "c" }, config],
    ] as const) {
      const { log, last } = await graph.invoke(answer(resume, update), at as never);
      ends.push([log.slice(0, 2).join(" "), last]);
    }
    expect(ends).toEqual([
      ["in uA", undefined],
      ["in uB", "b"],
      ["in uC", "c"],
    ]);
    expect((await graph.getState(config)).values).toEqual({ log: ["in", "uA"] });
  });

  it("count though another node has failed that was told the same", async () => {
    let fails = true;
    const graph = new StateGraph(State)
      .addNode("x", () => {
        const said = String(interrupt("x?"));
        if (fails) throw new Error("user: not yet");
        return { log: [said] };
      })
      .addNode("y", () => ({ log: [`${String(interrupt("y?"))}${String(interrupt("y!"))}`] }))
      .addEdge(START, "x")
      .addEdge(START, "y")
      .compile({ checkpointer: make() });
    await graph.invoke({ log: ["in"] }, thread);
    const asked = (await graph.getState(thread)).tasks.find(({ name }) => name === "x")?.interrupts[0];
    const first = answer({ [String(asked?.id)]: "X" }, { log: ["u"] });
    await expect(graph.invoke(first, thread)).rejects.toThrow("not yet");
    fails = false;
    const other = (await graph.getState(thread)).tasks.find(({ name }) => name === "y")?.interrupts[0];
    await graph.invoke(answer({ [String(other?.id)]: "Y" }, { log: ["u"] }), thread);
    const { log } = (await graph.getState(thread)).values;
    expect(log.filter((line: string) => line === "u")).toHaveLength(2);
  });

  it("keep their places behind an answer by id, and behind a goto", async () => {
    const graph = new StateGraph(State)
      .addNode("x", () => ({ log: [["1?", "2?", "3?"].map((question) => interrupt(question)).join("")] }))
      .addNode("y", () => ({ log: [`y${String(interrupt("y?"))}`] }))
      .addNode("w", ({ log }) => ({ log: [String(log)] }))
      .addConditionalEdges(START, () => ["x", "y"], ["x", "y", "w"])
      .compile({ checkpointer: make() });
    await graph.invoke({ log: ["in"] }, thread);
    const asked = (await graph.getState(thread)).tasks.find(({ name }) => name === "y")?.interrupts[0];
    await graph.invoke(answer({ [String(asked?.id)]: "Y" }, { log: ["u1"] }), thread);
    for (const [resume, log] of [
      ["A", ["u2"]],
      ["B", ["u3"]],
    ] as const)
      await graph.invoke(goto(resume, { log }), thread);
    const waiting = (await graph.getState(thread)).values.log;
    expect(waiting.filter((line: string) => line.startsWith("u"))).toEqual(["u1", "u2", "u3"]);
    const { log } = await graph.invoke(answer("C", { last: "z" }), thread);
    expect(log.slice(0, 4)).toEqual(["in", "u1", "u2", "u3"]);
    expect(log.slice(4).toSorted()).toEqual(["ABC", "wA", "wB", "yY"]);
  });

  it("a Send that comes with an answer runs behind the Sends that wait", async () => {
    const { graph, ran } = fannedOut();
    await graph.invoke({ log: ["in"] }, thread);
    const goto = new Command({ resume: "yes", goto: new Send("w", { n: 3 }) }) as never;
    expect((await graph.invoke(goto, thread)).log).toEqual(["in", "w1", "w2yes", "w3"]);
    expect((await graph.getState(thread)).values.log).toEqual(["in", "w1", "w2yes", "w3"]);
    expect(ran).toEqual([1, 2, 2, 3]);
  });

  it("stand for two nodes that are answered one by one", async () => {
    const graph = new StateGraph(State)
      .addNode("x", () => ({ log: [`x${String(interrupt("x?"))}`] }))
      .addNode("y", () => ({ log: [`y${String(interrupt("y?"))}`] }))
      .addEdge(START, "x")
      .addEdge(START, "y")
      .compile({ checkpointer: make() });
    await graph.invoke({ log: ["in"] }, thread);
    const questions = (await graph.getState(thread)).tasks.flatMap(({ interrupts }) => interrupts);
    for (const [at, { id }] of questions.entries())
      await graph.invoke(answer({ [String(id)]: `${at + 1}` }, { log: [`u${at + 1}`] }), thread);
    expect((await graph.getState(thread)).values.log).toEqual(["in", "u1", "u2", "x1", "y2"]);
  });
});

it.each<Durability>(["sync", "exit"])(
  "a command that begins a thread writes a delta value (%s)",
  async (durability) => {
    const log = new DeltaValue(
      z.array(z.string()).default(() => []),
      { inputSchema: z.string(), reducer: (lines: string[], some: string[]) => [...lines, ...some] },
    );
    const graph = new StateGraph(new StateSchema({ log }))
      .addNode("a", () => ({ log: "a" }))
      .addEdge(START, "a")
      .compile({ checkpointer: new MemorySaver() });
    await graph.invoke(new Command({ update: { log: "in" }, goto: "a" }), { ...thread, durability });
    expect((await graph.getState(thread)).values.log).toEqual(["in", "a"]);
  },
);

it("an answer that is sent again brings messages to a delta value once, though they have no ids", async () => {
  let fails = true;
  const said = new DeltaValue(
    z.array(z.custom<BaseMessage>()).default(() => []),
    {
      inputSchema: z.custom<BaseMessage>(),
      reducer: (all: BaseMessage[], some: BaseMessage[]) => [...all, ...some],
    },
  );
  const graph = new StateGraph(new StateSchema({ said }))
    .addNode("asks", () => {
      interrupt("?");
      if (fails) throw new Error("user: not yet");
      return {};
    })
    .addEdge(START, "asks")
    .compile({ checkpointer: new MemorySaver() });
  await graph.invoke({}, thread);
  const again = () => graph.invoke(answer("A", { said: new HumanMessage("hi") }), thread);
  await expect(again()).rejects.toThrow("not yet");
  fails = false;
  expect((await again()).said).toHaveLength(1);
});
