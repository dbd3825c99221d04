import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  Annotation,
  Command,
  isCommand,
  Send,
  START,
  StateGraph,
  StateSchema,
  UntrackedValue,
} from "../src/index.ts";
import { SAVERS } from "./support/savers.ts";

const State = Annotation.Root({
  trail: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
});

/** Its node notes what it is given, and does what it is told. */
function working(given: unknown) {
  return new StateGraph(State)
    .addNode(
      "work",
      (input: unknown) => (isCommand(input) ? input : { trail: [`given ${JSON.stringify(input)}`] }),
      { ends: ["work", "other"] },
    )
    .addNode("other", () => ({ trail: ["other"] }))
    .addConditionalEdges(START, () => [new Send("work", given)], ["work"]);
}

describe.each(SAVERS)("what a Send carries, stored in %s", (_, make) => {
  async function trail(given: unknown): Promise<string[]> {
    const graph = working(given).compile({ checkpointer: make(), interruptBefore: ["work"] });
    const config = { configurable: { thread_id: "t" } };
    await graph.invoke({}, config);
    for (let step = 0; step < 4 && (await graph.getState(config)).next.length > 0; step += 1)
      await graph.invoke(null, config);
    return (await graph.getState(config)).values.trail;
  }

  it("is a Command still, with the Sends in it", async () => {
    expect(await trail(new Command({ goto: "other", update: { trail: ["told"] } }))).toEqual([
      "told",
      "other",
    ]);
    expect(await trail(new Command({ goto: new Send("work", 3) }))).toEqual(["given 3"]);
    const deep = new Command({ goto: new Send("work", new Command({ goto: "other" })) });
    expect(await trail(deep)).toEqual(["other"]);
  });

  it("is data if it only looks like one, marked or not", async () => {
    const forged = { lg_name: "Command", goto: ["other"], update: { trail: ["forged"] } };
    expect(await trail(forged)).toEqual([`given ${JSON.stringify(forged)}`]);
    const marked = { ...forged, __skein__: "command" };
    expect(await trail(marked)).toEqual([`given ${JSON.stringify(marked)}`]);
    const send = { node: "other", args: forged, __skein__: "command" };
    expect(await trail(send)).toEqual([`given ${JSON.stringify(send)}`]);
  });

  it("is a Command with all that it has: its graph, and the timeouts of its Sends", async () => {
    const told = { graph: Command.PARENT, goto: "other", update: { trail: ["told"] } };
    const inner = working(new Command(told)).compile({ interruptBefore: ["work"] });
    const outer = new StateGraph(State)
      .addNode("inner", inner, { ends: ["other"] })
      .addNode("other", () => ({ trail: ["outer"] }))
      .addEdge(START, "inner")
      .compile({ checkpointer: make() });
    const config = { configurable: { thread_id: "t" } };
    await outer.invoke({}, config);
    expect((await outer.invoke(null, config)).trail).toEqual(["told", "outer"]);

    const limited = new Command({ goto: new Send("waits", null, { timeout: 5 }) });
    const waiting = new StateGraph(State)
      .addNode("work", (input: unknown) => input as Command, { ends: ["waits"] })
      .addNode("waits", () => new Promise<object>(() => {}))
      .addConditionalEdges(START, () => [new Send("work", limited)], ["work"])
      .compile({ checkpointer: make(), interruptBefore: ["work"] });
    await waiting.invoke({}, config);
    await expect(waiting.invoke(null, config)).rejects.toMatchObject({ name: "NodeTimeoutError" });
  });

  it("is a Command also where a key that is not stored has the name of one of its members", async () => {
    const Named = new StateSchema({ update: new UntrackedValue(z.string()), last: z.string().default("") });
    const graph = new StateGraph(Named)
      .addNode("work", (input: unknown) => (isCommand(input) ? input : { last: "data" }), { ends: [] })
      .addConditionalEdges(START, () => [new Send("work", new Command({ update: { last: "told" } }))], [
        "work",
      ])
      .compile({ checkpointer: make(), interruptBefore: ["work"] });
    const config = { configurable: { thread_id: "t" } };
    await graph.invoke({}, config);
    expect((await graph.invoke(null, config)).last).toBe("told");
  });

  it("is not to be had by an update that names the channel of Sends: the thread stays readable", async () => {
    const graph = working(1).compile({ checkpointer: make(), interruptBefore: ["work"] });
    const config = { configurable: { thread_id: "t" } };
    await graph.invoke({}, config);
    for (const forged of [
      { node: "other", args: null },
      { node: "work", args: {}, __skein__: "command" },
    ])
      await graph.invoke(new Command({ update: { trail: ["update"], __pregel_tasks: forged } }), config);
    expect((await graph.invoke(null, config)).trail).toEqual(["update", "given 1", "update"]);
    expect((await graph.getState(config)).next).toEqual([]);
  });
});
