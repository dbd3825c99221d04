import { tool } from "@langchain/core/tools";
import * as z4 from "zod";
import * as mini from "zod/mini";
import { z as z3 } from "zod/v3";
import { ScriptedModel } from "../agents/model.ts";
import { prebuiltOf } from "../engines.ts";
import { schemasOf, zodOf } from "../entries.ts";
import type { Recorder } from "../recorder.ts";
import { type Scenario, scenario } from "../scenario.ts";
import { thread } from "./kit.ts";
import { call, greeting, question, talk } from "./prebuilt-kit.ts";

/** What a version of zod calls what the scenarios need; types are not what they are about. */
export interface Version {
  readonly name: string;
  object(shape: object): never;
  string(): never;
  number(): never;
  strings(): never;
  any(): never;
  optional(schema: unknown): never;
  /** With a default. */
  or(schema: unknown, value: unknown): never;
  /** Trims: what it makes differs from what it is given. */
  trimmed(): never;
}

interface Chained {
  optional(): never;
  default(value: unknown): never;
}

const classic = (name: string, z: typeof z3): Version => ({
  name,
  object: (shape) => z.object(shape as never) as never,
  string: () => z.string() as never,
  number: () => z.number() as never,
  strings: () => z.array(z.string() as never) as never,
  any: () => z.any() as never,
  optional: (schema) => (schema as Chained).optional(),
  or: (schema, value) => (schema as Chained).default(value),
  trimmed: () => z.string().transform((text: string) => text.trim()) as never,
});

export const versions: readonly Version[] = [
  classic("zod 3", z3),
  classic("zod 4", z4 as never),
  {
    name: "zod mini",
    object: (shape) => mini.object(shape as never) as never,
    string: () => mini.string() as never,
    number: () => mini.number() as never,
    strings: () => mini.array(mini.string()) as never,
    any: () => mini.any() as never,
    optional: (schema) => mini.optional(schema as never) as never,
    or: (schema, value) => mini._default(schema as never, value as never) as never,
    trimmed: () =>
      mini.pipe(
        mini.string(),
        mini.transform((text: string) => text.trim()),
      ) as never,
  },
];

/** How it is refused is the difference "input-errors". */
async function refuses(t: Recorder, call: () => Promise<unknown>): Promise<void> {
  const refused = await call().then(
    () => false,
    () => true,
  );
  t.note("refused", refused);
}

const everywhere = (z: Version): Scenario[] => [
  scenario(`${z.name}: a state, its defaults, what it refuses`, async (lg, t) => {
    const State = z.object({
      name: z.string(),
      count: z.or(z.number(), 3),
      maybe: z.optional(z.string()),
      text: z.optional(z.trimmed()),
    });
    const graph = new lg.StateGraph(State)
      .addNode("a", ((state: Record<string, unknown>) => ({ name: `${state["name"]}!`, count: 4 })) as never)
      .addEdge(lg.START, "a")
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, { name: "n" }, thread("1"));
    await t.invoke(graph, { name: "n", text: "  four " }, thread("1"));
    await refuses(t, () => graph.invoke({ name: 1 } as never, thread("1")));
    await t.state(graph, thread("1"));
  }),

  scenario(`${z.name}: input and output of their own`, async (lg, t) => {
    const graph = new lg.StateGraph({
      state: z.object({ q: z.string(), a: z.string(), hidden: z.optional(z.string()) }),
      input: z.object({ q: z.string() }),
      output: z.object({ a: z.string() }),
    } as never)
      .addNode("n", ((state: { q: string }) => ({ a: `${state.q}?`, hidden: "h" })) as never)
      .addEdge(lg.START, "n" as never)
      .compile();
    await t.invoke(graph as never, { q: "why", other: 1 });
    await refuses(t, () => graph.invoke({ q: 5 } as never));
    await t.stream(graph as never, { q: "why" }, { streamMode: ["values", "updates"] });
  }),

  scenario(`${z.name}: a context`, async (lg, t) => {
    const State = lg.Annotation.Root({ said: lg.Annotation<unknown> });
    const graph = new lg.StateGraph(State, z.object({ user: z.string(), level: z.optional(z.number()) }))
      .addNode("n", ((_: unknown, { context }: { context: unknown }) => ({ said: context })) as never)
      .addEdge(lg.START, "n" as never)
      .compile();
    await t.invoke(graph as never, { said: 0 }, { context: { user: "me", level: 2 } });
    await t.invoke(graph as never, { said: 0 }, { context: { user: "me" } });
    await refuses(t, () => graph.invoke({ said: 0 } as never, { context: { user: 5 } } as never));
  }),

  scenario(`${z.name}: fields of a StateSchema`, async (lg, t) => {
    const State = new lg.StateSchema({
      name: z.string(),
      count: z.or(z.number(), 3),
      text: z.trimmed(),
      log: new lg.ReducedValue(z.or(z.strings(), []), {
        inputSchema: z.string(),
        reducer: (all: string[], one: string) => [...all, one],
      } as never),
      brief: new lg.UntrackedValue(z.string()),
      delta: new lg.DeltaValue(z.or(z.strings(), []), {
        reducer: (all: string[], lists: string[][]) => [...all, ...lists.flat()],
      } as never),
    } as never);
    const graph = new lg.StateGraph(State as never)
      .addNode("n", ((state: object) => ({
        log: Object.keys(state).sort().join(),
        brief: "b",
        delta: ["n"],
        text: " ab ",
      })) as never)
      .addEdge(lg.START, "n" as never)
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph as never, { name: "x", text: "abc", log: "in", delta: ["in"] }, thread("1"));
    await t.state(graph as never, thread("1"));
    await t.fails(() => graph.invoke({ name: "x", log: 5 } as never, thread("1")));
    t.note("keys", (State as { getAllKeys(): string[] }).getAllKeys());
  }),

  scenario(`${z.name}: a node's input`, async (lg, t) => {
    const graph = new lg.StateGraph(z.object({ a: z.string(), b: z.optional(z.string()) }))
      .addNode("n", ((state: object) => ({ b: Object.keys(state).join() })) as never, {
        input: z.object({ a: z.string(), own: z.optional(z.string()) }),
      })
      .addEdge(lg.START, "n")
      .compile();
    await t.invoke(graph as never, { a: "1", b: "2" });
  }),

  scenario(`${z.name}: the answer to an interrupt`, async (lg, t) => {
    const State = lg.Annotation.Root({ said: lg.Annotation<unknown> });
    const responseSchema = z.object({ yes: z.string(), text: z.trimmed() });
    const graph = new lg.StateGraph(State)
      .addNode("n", () => ({ said: lg.interrupt("?", { responseSchema }) }))
      .addEdge(lg.START, "n")
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, { said: 0 }, thread("1"));
    await refuses(t, () => graph.invoke(new lg.Command({ resume: { yes: 1 } }), thread("1")));
    await t.invoke(graph, new lg.Command({ resume: { yes: "y", text: " t " } }), thread("1"));
  }),

  scenario(`${z.name}: JSON schemas of a graph and of a StateSchema`, async (lg, t) => {
    const schemas = schemasOf(lg);
    const graph = new lg.StateGraph({
      state: z.object({ name: z.string(), count: z.or(z.number(), 3), maybe: z.optional(z.string()) }),
      input: z.object({ name: z.string() }),
      output: z.object({ count: z.number() }),
      context: z.object({ user: z.string() }),
    } as never)
      .addNode("n", () => ({}) as never)
      .addEdge(lg.START, "n" as never)
      .compile();
    for (const [name, get] of Object.entries(schemas).sort())
      t.note(name, (get as (of: unknown) => unknown)(graph));
    const State = new lg.StateSchema({ name: z.string(), count: z.or(z.number(), 3) } as never);
    if (z.name === "zod 4") t.note("state", [State.getJsonSchema(), State.getInputJsonSchema()]);
    t.note("of schemas", [
      lg.isStandardSchema(z.string()),
      lg.isSerializableSchema(z.string()),
      lg.getSchemaDefaultGetter(z.or(z.number(), 3))?.(),
    ]);
  }),

  scenario(`${z.name}: a tool`, async (lg, t) => {
    const { createReactAgent } = prebuiltOf(lg);
    const shout = tool((({ text, times }: { text: string; times: number }) => text.repeat(times)) as never, {
      name: "shout",
      description: "shouts",
      schema: z.object({ text: z.string(), times: z.or(z.number(), 2) }),
    });
    for (const args of [{ text: "a" }, { text: "a", times: 3 }, { text: 5 }]) {
      const model = ScriptedModel.saying([call("shout", args)], "done");
      await talk(t, createReactAgent({ llm: model, tools: [shout] }), model);
    }
  }),

  scenario(`${z.name}: state, context and response of a react agent`, async (lg, t) => {
    const { createReactAgent } = prebuiltOf(lg);
    const { withLangGraph } = zodOf(lg);
    const script = { replies: ["three"], prompts: [], said: 0 };
    const model = new ScriptedModel(script, { sum: 3 });
    const agent = createReactAgent({
      llm: model,
      tools: [],
      prompt: greeting as never,
      contextSchema: z.object({ tenant: z.string() }),
      responseFormat: z.object({ sum: z.number() }),
      stateSchema: z.object({
        messages: withLangGraph(z.any(), lg.MessagesZodMeta as never),
        user: z.optional(z.string()),
        structuredResponse: z.optional(z.any()),
      }),
    } as never);
    const input = { ...question(), user: "me" };
    await talk(t, agent as never, model, { context: { tenant: "t" } }, input);
  }),
];

/** Each place that takes a schema takes those of zod 3, zod 4 and zod mini. */
export const zodVersions: readonly Scenario[] = versions.flatMap(everywhere);
