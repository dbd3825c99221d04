import * as z4 from "zod";
import type { LangGraph } from "../engines.ts";
import type { Difference } from "../scenario.ts";
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

async function answer(lg: LangGraph, schema: unknown, input: object): Promise<unknown> {
  const graph = new lg.StateGraph(schema as never)
    .addNode("n", (() => ({})) as never)
    .addEdge(lg.START, "n")
    .compile();
  return graph.invoke(input as never);
}

/** What is checked key by key does not say what a whole object says. */
const objects: readonly Difference[] = ["x", "y"].map((a): Difference => ({
  id: "zod-objects-key-by-key",
  name: `an object with a refinement, of an input that ${a === "x" ? "does not fit" : "fits"}`,
  there: "refused: Error",
  here: { a },
  run: (lg) =>
    answer(
      lg,
      z4.object({ a: z4.string() }).refine((value) => value.a !== "x"),
      { a },
    ),
}));

/** What the original makes of zod's schemas that differs. */
export const zodDifferences: readonly Difference[] = [
  ...versions.filter(({ name }) => name !== "zod 4").map(fieldOf),
  ...objects,
];
