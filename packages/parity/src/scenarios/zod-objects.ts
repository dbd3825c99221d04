import { MemorySaver } from "@langchain/langgraph-checkpoint";
import * as z4 from "zod";
import * as mini from "zod/mini";
import { z as z3 } from "zod/v3";
import type { LangGraph } from "../engines.ts";
import type { Recorder } from "../recorder.ts";
import { scenario } from "../scenario.ts";
import { thread } from "./kit.ts";

interface Graph {
  invoke(input: unknown, config?: object): Promise<unknown>;
}

interface Stateful extends Graph {
  updateState(config: object, values: unknown): Promise<unknown>;
  getState(config: object): Promise<{ readonly values: unknown }>;
}

function over(lg: LangGraph, schema: unknown, options: object = {}): Graph {
  return new lg.StateGraph(schema as never)
    .addNode("n", (() => ({})) as never)
    .addEdge(lg.START, "n")
    .compile(options) as unknown as Graph;
}

/** How it is refused is the difference "input-errors". */
async function tell(t: Recorder, label: string, call: () => Promise<unknown>): Promise<void> {
  t.note(label, await call().catch(() => "refused"));
}

const inputs = [{ a: "x" }, { a: "x", b: 1 }, { a: "x", b: "text" }, { a: "x", b: undefined }];

/** What an object schema says of more than one key, and of keys that it does not name. */
export const zodObjects = [
  scenario("a zod object says whether keys that it does not name may be there", async (lg, t) => {
    const objects: Record<string, unknown> = {
      "zod 4": z4.object({ a: z4.string() }),
      "zod 4, strict": z4.strictObject({ a: z4.string() }),
      "zod 4, loose": z4.looseObject({ a: z4.string() }),
      "zod 4, catchall": z4.object({ a: z4.string() }).catchall(z4.number()),
      "zod 4 as an input, strict": {
        state: z4.object({ a: z4.string(), b: z4.any() }),
        input: z4.strictObject({ a: z4.string() }),
      },
      "zod mini, strict": mini.strictObject({ a: mini.string() }),
      "zod 3, strict": z3.object({ a: z3.string() }).strict(),
    };
    for (const [name, schema] of Object.entries(objects))
      for (const input of inputs) await tell(t, name, () => over(lg, schema).invoke(input));
  }),

  scenario("so does one of a thread that is told by a command, and one of a graph within", async (lg, t) => {
    const Strict = z4.strictObject({ a: z4.string() });
    const graph = over(lg, Strict, { checkpointer: new MemorySaver() });
    await graph.invoke({ a: "x" }, thread("1"));
    for (const update of [{ a: "y" }, { a: "z", b: 1 }])
      await tell(t, "command", () => graph.invoke(new lg.Command({ update, goto: "n" }), thread("1")));
    await tell(t, "overwrite", () => graph.invoke({ a: "x", b: new lg.Overwrite(1) }, thread("1")));
    const parent = new lg.StateGraph(z4.object({ a: z4.string(), b: z4.number().optional() }))
      .addNode("within", over(lg, Strict) as never)
      .addEdge(lg.START, "within")
      .compile() as unknown as Graph;
    for (const input of inputs.slice(0, 2)) await tell(t, "within", () => parent.invoke(input));
  }),

  scenario(
    "what a state's catch makes of a wrong value, it does not make of an absent one",
    async (lg, t) => {
      const caught = z4.object({ a: z4.string().catch("c"), b: z4.string() });
      const made = z4.object({ a: z4.preprocess((value) => value ?? 3, z4.number()), b: z4.string() });
      const old = z3.object({ a: z3.string().catch("c"), b: z3.string() });
      const { catch: or } = mini;
      const minis = [
        or(mini.string(), "c"),
        or(mini._default(mini.string(), "d"), "c"),
        mini._default(or(mini.string(), "c"), "d"),
        mini.prefault(mini.string(), "p"),
        mini.optional(or(mini.string(), "c")),
        mini.nullable(mini._default(mini.string(), "d")),
        mini.pipe(
          mini.transform((value) => value ?? 3),
          mini.number(),
        ),
      ].map((a) => mini.object({ a, b: mini.string() }));
      const asInput = { state: z4.object({ a: z4.string(), b: z4.string() }), input: caught };
      for (const schema of [caught, made, old, asInput, ...minis])
        for (const input of [{ b: "x" }, { a: 1, b: "x" }])
          await tell(t, "catch", () => over(lg, schema).invoke(input));
    },
  ),

  scenario("what is given as undefined is as absent, in an input, a write and an update", async (lg, t) => {
    const { catch: or } = mini;
    const shapes: Record<string, { object(shape: object): unknown; shape: Record<string, object> }> = {
      "zod 4": {
        object: (shape) => z4.object(shape as never),
        shape: {
          plain: z4.number(),
          default: z4.number().default(5),
          catch: z4.number().catch(7),
          made: z4.preprocess((value) => value ?? 3, z4.number()),
          prefault: z4.number().prefault(4),
          optional: z4.number().optional(),
        },
      },
      "zod 3": {
        object: (shape) => z3.object(shape as never),
        shape: { plain: z3.number(), default: z3.number().default(5), catch: z3.number().catch(7) },
      },
      "zod mini": {
        object: (shape) => mini.object(shape as never),
        shape: {
          plain: mini.number(),
          default: mini._default(mini.number(), 5),
          catch: or(mini.number(), 7),
        },
      },
    };
    for (const [zod, { object, shape }] of Object.entries(shapes))
      for (const [key, field] of Object.entries(shape)) {
        const state = object({ a: field });
        const nothing = { a: undefined };
        for (const schema of [state, { state, input: state }]) {
          const graph = over(lg, schema, { checkpointer: new MemorySaver() });
          await tell(t, `${zod} ${key}: input`, () => graph.invoke(nothing, thread("1")));
          const command = new lg.Command({ update: nothing, goto: "n" });
          await tell(t, `${zod} ${key}: command`, () => graph.invoke(command, thread("2")));
        }
        const writes = new lg.StateGraph(state as never)
          .addNode("n", (() => nothing) as never)
          .addEdge(lg.START, "n")
          .compile({ checkpointer: new MemorySaver() }) as unknown as Stateful;
        await tell(t, `${zod} ${key}: write`, () => writes.invoke({ a: 1 }, thread("1")));
        await tell(t, `${zod} ${key}: update`, async () => {
          await writes.updateState(thread("1"), nothing);
          return (await writes.getState(thread("1"))).values;
        });
      }
  }),
];
