import { setTimeout as sleep } from "node:timers/promises";
import { type BaseMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  Command,
  DeltaValue,
  type Durability,
  interrupt,
  type LangGraphRunnableConfig,
  Overwrite,
  START,
  StateGraph,
  StateSchema,
} from "../src/index.ts";
import { SAVERS_AND_FAKE } from "./support/savers.ts";
import { thread, State, Messages, answer, remove, withoutIds, anew } from "./answers-kit.ts";

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
