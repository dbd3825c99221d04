import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Command, interrupt, type LangGraphRunnableConfig, Send, START, StateGraph } from "../src/index.ts";
import { SAVERS_AND_FAKE } from "./support/savers.ts";
import { thread, State, answer, goto } from "./answers-kit.ts";

describe.each(SAVERS_AND_FAKE)("answers with updates to several that wait, stored in %s", (_, make) => {
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
