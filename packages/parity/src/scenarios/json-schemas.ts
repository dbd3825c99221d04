import * as z4 from "zod";
import * as mini from "zod/mini";
import { z as z3 } from "zod/v3";
import type { LangGraph } from "../engines.ts";
import { schemasOf, zodOf } from "../entries.ts";
import type { Recorder } from "../recorder.ts";
import { scenario } from "../scenario.ts";

interface Builder {
  addNode(name: string, action: unknown): Builder;
  addEdge(start: string, end: string): Builder;
  compile(): unknown;
}

/** Notes all five schemas of a graph over any definitions, of which no types are asked. */
function noteAll(lg: LangGraph, t: Recorder, state: unknown, options?: unknown): void {
  const builder = new lg.StateGraph(state as never, options as never) as unknown as Builder;
  const graph = builder
    .addNode("step", () => ({}))
    .addEdge(lg.START, "step")
    .compile();
  const entry = schemasOf(lg);
  t.note("state", entry.getStateTypeSchema(graph));
  t.note("update", entry.getUpdateTypeSchema(graph));
  t.note("input", entry.getInputTypeSchema(graph));
  t.note("output", entry.getOutputTypeSchema(graph));
  t.note("config", entry.getConfigTypeSchema(graph));
}

/** A list of which a write adds one element, described for a form. */
function reduced(lg: LangGraph, list: unknown, element: unknown): unknown {
  return zodOf(lg).withLangGraph(
    list as never,
    {
      reducer: { schema: element, fn: (left: string[], right: string) => [...left, right] },
      default: () => [],
      jsonSchemaExtra: { langgraph_type: "prompt", langgraph_nodes: ["step"] },
    } as never,
  );
}

export const jsonSchemas = [
  scenario(
    "JSON schemas of a zod 4 state, with a reducer of its own, extras and descriptions",
    async (lg, t) => {
      const list = reduced(lg, z4.array(z4.string()).describe("All notes"), z4.string());
      noteAll(
        lg,
        t,
        z4.object({
          notes: list as never,
          topic: z4.string().describe("What about"),
          n: z4.number().optional(),
        }),
      );
    },
  ),

  scenario("JSON schemas of a zod 3 state", async (lg, t) => {
    const list = reduced(lg, z3.array(z3.string()), z3.string());
    noteAll(lg, t, z3.object({ notes: list as never, topic: z3.string(), n: z3.number().default(3) }));
  }),

  scenario("JSON schemas of a zod 4 mini state", async (lg, t) => {
    noteAll(lg, t, mini.object({ topic: mini.string(), tags: mini.optional(mini.array(mini.string())) }));
  }),

  scenario("JSON schemas of a graph with input, output and context of their own", async (lg, t) => {
    const State = z4.object({ question: z4.string(), answer: z4.string(), hidden: z4.number() });
    noteAll(lg, t, State, {
      input: z4.object({ question: z4.string() }),
      output: z4.object({ answer: z4.string() }),
      context: z4.object({ user: z4.string(), model: z4.string().default("small") }),
    });
  }),

  scenario("JSON schemas of a StateSchema", async (lg, t) => {
    const State = new lg.StateSchema({
      topic: z4.string(),
      notes: new lg.ReducedValue(z4.array(z4.string()).default([]), {
        inputSchema: z4.string(),
        reducer: (left: string[], right: string) => [...left, right],
      }),
      messages: lg.MessagesValue,
    });
    noteAll(lg, t, State);
  }),

  scenario("a state of annotations, and what is no graph, have no JSON schemas", async (lg, t) => {
    noteAll(lg, t, lg.Annotation.Root({ topic: lg.Annotation<string>() }));
    const entry = schemasOf(lg);
    for (const value of [undefined, null, "graph", {}, { builder: {} }, { builder: null }]) {
      t.note("state", entry.getStateTypeSchema(value));
      t.note("config", entry.getConfigTypeSchema(value));
    }
  }),
];
