import { describe, expect, it } from "vitest";
import { Annotation, Command, isCommand, Send, START, StateGraph } from "../src/index.ts";
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
});
