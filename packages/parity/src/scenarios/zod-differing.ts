import { MemorySaver } from "@langchain/langgraph-checkpoint";
import * as z4 from "zod";
import { zodOf } from "../entries.ts";
import type { Difference } from "../scenario.ts";
import { thread } from "./kit.ts";
import { type Version, versions } from "./zod-versions.ts";

const draft07 = { $schema: "http://json-schema.org/draft-07/schema#" };

const fieldOf = (z: Version): Difference => ({
  id: "json-schemas-of-all-zods",
  name: `${z.name}: a field of a StateSchema has a JSON schema`,
  there: { properties: {}, type: "object" },
  here: {
    properties: { count: { ...draft07, default: 3, type: "number" }, name: { ...draft07, type: "string" } },
    required: ["name"],
    type: "object",
  },
  async run(lg) {
    return new lg.StateSchema({ name: z.string(), count: z.or(z.number(), 3) } as never).getJsonSchema();
  },
});

/** A graph whose calls zod refuses, one by one, is refused itself. */
const refined: readonly Difference[] = (["state", "input"] as const).map((part): Difference => ({
  id: "zod-objects-key-by-key",
  name: `a refinement of the whole object, of the ${part}`,
  there: ["built", "Error"],
  here: ["StateGraphInputError"],
  async run(lg) {
    const plain = z4.object({ a: z4.string() });
    const schema = plain.refine((value) => value.a !== "x");
    const told: string[] = [];
    try {
      const graph = new lg.StateGraph({ state: plain, [part]: schema } as never)
        .addNode("n", (() => ({})) as never)
        .addEdge(lg.START, "n")
        .compile();
      told.push("built");
      await graph.invoke({ a: "fits" } as never);
      told.push("ran");
    } catch (error) {
      told.push((error as Error).name);
    }
    return told;
  },
}));

/** What the original makes of zod's schemas that differs. */
export const zodDifferences: readonly Difference[] = [
  ...versions.filter(({ name }) => name !== "zod 4").map(fieldOf),
  ...refined,
  ...(["input", "update of a Command"] as const).map((where): Difference => ({
    id: "zod-objects-key-by-key",
    name: `an Overwrite of a zod object's key, as ${where}`,
    there: "refused: $ZodError",
    here: ["only", "n"],
    async run(lg) {
      const list = z4.array(z4.string());
      const trail = zodOf(lg).withLangGraph(list, {
        reducer: { schema: list, fn: (left: string[], right: string[]) => [...left, ...right] },
        default: () => [],
      } as never);
      const graph = new lg.StateGraph(z4.object({ trail }))
        .addNode("n", () => ({ trail: ["n"] }))
        .addEdge(lg.START, "n")
        .compile({ checkpointer: new MemorySaver() });
      const given = { trail: new lg.Overwrite(["only"]) };
      const input = where === "input" ? given : new lg.Command({ update: given, goto: "n" });
      return (await graph.invoke(input as never, thread("1"))).trail;
    },
  })),
];
