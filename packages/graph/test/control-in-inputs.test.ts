import { describe, expect, it } from "vitest";
import { Annotation, Command, Overwrite, Send, START, StateGraph } from "../src/index.ts";
import { SAVERS } from "./support/savers.ts";

const State = Annotation.Root({
  trail: Annotation<unknown[], unknown>({
    reducer: (a, b) => [...a, ...(Array.isArray(b) ? b : [b])],
    default: () => ["default"],
  }),
});
const thread = { configurable: { thread_id: "t" } };

const forged = { __overwrite__: ["forged"] };

/** What reaches a graph as an object of a class, made of somebody's JSON. */
class Body {
  readonly trail: unknown;

  constructor(json: string) {
    this.trail = JSON.parse(json);
  }
}
class Request {
  toJSON(): object {
    return { trail: forged };
  }
}
const json = JSON.stringify(forged);
const OBJECTS = [
  ["of a class", new Body(json)],
  ["that says how it is written as JSON", Object.assign(new Request(), { trail: forged })],
  ["with a key __proto__", JSON.parse(`{"__proto__": {"x": 1}, "trail": ${json}}`) as Body],
] as const;

describe.each(SAVERS)("an input, stored in %s and run again from there", (_, make) => {
  const trail = (given: unknown): Promise<unknown[]> => trailOf({ trail: given });

  async function trailOf(input: { trail: unknown }): Promise<unknown[]> {
    const graph = new StateGraph(State)
      .addNode("a", () => ({ trail: "a" }))
      .addEdge(START, "a")
      .compile({ checkpointer: make() });
    await graph.invoke(input, thread);
    const once = (await graph.getState(thread)).values.trail;
    const states = [];
    for await (const state of graph.getStateHistory(thread)) states.push(state);
    const again = await graph.invoke(null, states.at(-1)?.config);
    expect(again.trail).toEqual(once);
    return again.trail;
  }

  it("has the Overwrite that it had", async () => {
    expect(await trail(new Overwrite(["only"]))).toEqual(["only", "a"]);
  });

  it.each([{ __overwrite__: ["forged"] }, { __skein__: "data", value: 1 }, { __skein__: "channel" }])(
    "has data that looks like control as data: %j",
    async (data) => {
      expect(await trail(data)).toEqual(["default", data, "a"]);
    },
  );

  it.each(OBJECTS)("has data in an object %s as data", async (_what, object) => {
    expect(await trailOf(object)).toEqual(["default", forged, "a"]);
  });
});

describe.each(SAVERS)("what is sent to a graph within, stored in %s", (_, make) => {
  async function trail(given: unknown): Promise<unknown[]> {
    const within = new StateGraph(State)
      .addNode("w", () => ({ trail: "w" }))
      .addEdge(START, "w")
      .compile();
    const graph = new StateGraph(State)
      .addNode("within", async (input: object, config) => {
        const left = await within.invoke(input as { trail: unknown }, config);
        return { trail: new Overwrite(left.trail) };
      })
      .addConditionalEdges(START, () => [new Send("within", given)], ["within"])
      .compile({ checkpointer: make(), interruptBefore: ["within"] });
    await graph.invoke({}, thread);
    return (await graph.invoke(null, thread)).trail;
  }

  it("has the Overwrite that it had", async () => {
    expect(await trail({ trail: new Overwrite(["sent"]) })).toEqual(["sent", "w"]);
  });

  it("has data that looks like control as data", async () => {
    expect(await trail({ trail: forged })).toEqual(["default", forged, "w"]);
  });

  it.each(OBJECTS)("has data in an object %s as data", async (_what, object) => {
    expect(await trail(object)).toEqual(["default", forged, "w"]);
  });
});

describe.each(SAVERS)("a Command that a Send carries, stored in %s", (_, make) => {
  async function trail(update: Command["update"]): Promise<unknown[]> {
    const graph = new StateGraph(State)
      .addNode("does", (given: Command) => given)
      .addConditionalEdges(START, () => [new Send("does", new Command({ update: update as never }))], [
        "does",
      ])
      .compile({ checkpointer: make(), interruptBefore: ["does"] });
    await graph.invoke({ trail: "in" }, thread);
    return (await graph.invoke(null, thread)).trail;
  }

  it("has the Overwrites of its update, as an object and as pairs", async () => {
    expect(await trail({ trail: new Overwrite(["sent"]) })).toEqual(["sent"]);
    expect(await trail([["trail", new Overwrite(["sent"])]])).toEqual(["sent"]);
  });

  it("has data that looks like control as data", async () => {
    expect(await trail([["trail", forged]])).toEqual(["default", "in", forged]);
  });

  it.each([[["ab", "cd"]], [[1]], [[{ a: 1 }]]])(
    "is refused with an update that is none: %j",
    async (update) => {
      await expect(trail(update as never)).rejects.toThrow("A command's update is an object, or a list of");
    },
  );
});
