import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  Annotation,
  Command,
  DeltaValue,
  type Durability,
  interrupt,
  Overwrite,
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
const answer = (resume: unknown, update: Record<string, unknown>): never =>
  new Command({ resume, update }) as never;
const anew = (text: string) => ({ log: new Overwrite([text]) });

describe.each(SAVERS_AND_FAKE)("answers that bring updates along, stored in %s", (_, make) => {
  const asking = () =>
    new StateGraph(State)
      .addNode("asks", () => ({ log: [[interrupt("1?"), interrupt("2?"), interrupt("3?")].join("")] }))
      .addEdge(START, "asks")
      .compile({ checkpointer: make() });

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
    let fails = true;
    const graph = new StateGraph(State)
      .addNode("asks", () => {
        const said = interrupt("?") as string;
        if (fails) throw new Error("user: not yet");
        return { log: [said] };
      })
      .addEdge(START, "asks")
      .compile({ checkpointer: make() });
    await graph.invoke({ log: ["in"] }, thread);
    await expect(graph.invoke(answer("A", { log: ["u1"] }), thread)).rejects.toThrow("not yet");
    fails = false;
    expect((await graph.invoke(answer("B", { log: ["u2"] }), thread)).log).toEqual(["in", "u1", "u2", "A"]);
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
