import type { BaseMessage } from "@langchain/core/messages";
import * as z4 from "zod";
import * as mini from "zod/mini";
import { z as z3 } from "zod/v3";
import { zodOf } from "../entries.ts";
import type { LangGraph } from "../engines.ts";
import { scenario } from "../scenario.ts";
import { thread } from "./kit.ts";

interface Builder {
  addNode(name: string, action: unknown): Builder;
  addEdge(start: string | readonly string[], end: string): Builder;
  compile(options?: object): never;
}

/** A builder over any schema, of which no types are asked: each scenario is about what happens. */
function over(lg: LangGraph, schema: unknown, options?: unknown): Builder {
  return new lg.StateGraph(schema as never, options as never) as unknown as Builder;
}

const concat = (left: string[], right: string[]): string[] => [...left, ...right];
export const push = (left: string[], right: string): string[] => [...left, right];

const answers = (s: { q: string }, runtime: { context?: { user: string } }) => ({
  a: `${s.q} for ${runtime.context?.user}`,
  hidden: "h",
});

export const zod = [
  scenario("withLangGraph gives a key of a zod 4 object a reducer and a default", async (lg, t) => {
    const { withLangGraph } = zodOf(lg);
    const State = z4.object({
      log: withLangGraph(
        z4.array(z4.string()) as never,
        { reducer: { fn: concat }, default: () => ["start"] } as never,
      ),
      name: z4.string(),
    });
    const graph = over(lg, State)
      .addNode("a", (state: { name: string }) => ({ log: [`a ${state.name}`] }))
      .addNode("b", () => ({ log: ["b"] }))
      .addEdge(lg.START, "a")
      .addEdge(lg.START, "b")
      .compile();
    await t.invoke(graph, { name: "n", log: ["in"] });
    await t.invoke(graph, { name: "n" });
  }),

  scenario("withLangGraph: the schema of one write differs from the value's", async (lg, t) => {
    const { withLangGraph } = zodOf(lg);
    const State = z4.object({
      log: withLangGraph(
        z4.array(z4.string()).default(() => ["zod default"]) as never,
        {
          reducer: { schema: z4.string(), fn: push },
        } as never,
      ),
    });
    const graph = over(lg, State)
      .addNode("a", () => ({ log: "a" }))
      .addEdge(lg.START, "a")
      .compile();
    await t.invoke(graph, { log: "in" });
    await t.invoke(graph, {});
  }),

  scenario("Overwrite of a key with a reducer in a zod object", async (lg, t) => {
    const { withLangGraph } = zodOf(lg);
    const State = z4.object({
      log: withLangGraph(
        z4.array(z4.string()) as never,
        {
          reducer: { schema: z4.string(), fn: push },
          default: () => [],
        } as never,
      ),
    });
    const graph = over(lg, State)
      .addNode("a", () => ({ log: "a" }))
      .addNode("b", () => ({ log: new lg.Overwrite(["only"]) }))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile();
    await t.invoke(graph, { log: "in" });
  }),

  scenario("zod 4's register with the registry of ./zod", async (lg, t) => {
    const { registry } = zodOf(lg);
    const State = z4.object({
      log: z4
        .array(z4.string())
        .default(() => ["d"])
        .register(registry as never, { reducer: { fn: concat } } as never),
      plain: z4.number().default(4),
    });
    const graph = over(lg, State)
      .addNode("a", () => ({ log: ["a"] }))
      .addEdge(lg.START, "a")
      .compile();
    await t.invoke(graph, {});
    await t.invoke(graph, { plain: 5, log: ["x"] });
  }),

  scenario("a zod 3 object: defaults and optional keys", async (lg, t) => {
    const State = z3.object({ a: z3.string(), n: z3.number().default(3), o: z3.string().optional() });
    const seen: unknown[] = [];
    const graph = over(lg, State)
      .addNode("x", (state: object) => {
        seen.push({ keys: Object.keys(state).sort() });
        return { a: "x" };
      })
      .addEdge(lg.START, "x")
      .compile();
    await t.invoke(graph, { a: "in" });
    await t.invoke(graph, { a: "in", n: 4, o: "o" });
    t.note("keys that the node saw", seen);
  }),

  scenario(
    "a zod 3 object as an input of its own fills in its defaults and requires its keys",
    async (lg, t) => {
      const graph = over(lg, {
        state: z3.object({ a: z3.string(), n: z3.number() }),
        input: z3.object({ a: z3.string(), n: z3.number().default(3) }),
        output: z3.object({ n: z3.number() }),
      })
        .addNode("x", (state: { n: number }) => ({ n: state.n + 1 }))
        .addEdge(lg.START, "x")
        .compile();
      await t.invoke(graph, { a: "in" });
      await t.invoke(graph, { a: "in", n: 10 });
    },
  ),

  scenario("a zod 4 object as an input of its own fills in its defaults", async (lg, t) => {
    const graph = over(lg, {
      state: z4.object({ a: z4.string(), n: z4.number() }),
      input: z4.object({ a: z4.string(), n: z4.number().default(3) }),
    })
      .addNode("x", (state: { n: number }) => ({ n: state.n + 1 }))
      .addEdge(lg.START, "x")
      .compile();
    await t.invoke(graph, { a: "in" });
  }),

  scenario("a zod mini object", async (lg, t) => {
    const { registry } = zodOf(lg);
    const State = mini.object({
      log: mini.array(mini.string()).register(
        registry as never,
        {
          reducer: { fn: concat },
          default: () => [],
        } as never,
      ),
      name: mini._default(mini.string(), "nobody"),
    });
    const graph = over(lg, State)
      .addNode("a", (state: { name: string }) => ({ log: [state.name] }))
      .addEdge(lg.START, "a")
      .compile();
    await t.invoke(graph, { log: ["in"] });
    await t.invoke(graph, { name: "ann" });
  }),

  scenario("what zod makes of a value is what the state holds", async (lg, t) => {
    const State = z4.object({
      n: z4.coerce.number(),
      trimmed: z4.string().trim(),
      up: z4.string().transform((text) => text.toUpperCase()),
    });
    const graph = over(lg, State)
      .addNode("a", () => ({ trimmed: "  from a  " }))
      .addEdge(lg.START, "a")
      .compile();
    await t.invoke(graph, { n: "42", up: "loud" });
  }),

  scenario("a zod state without an input has no defaults of zod: updateState, then a run", async (lg, t) => {
    const State = z4.object({ a: z4.string(), n: z4.number().default(3) });
    const saver = t.saver();
    const graph = over(lg, State)
      .addNode("x", (state: { n?: number }) => ({ a: `n is ${state.n}` }))
      .addEdge(lg.START, "x")
      .compile({ checkpointer: saver });
    const { updateState } = graph as { updateState: (...args: unknown[]) => Promise<unknown> };
    await updateState.call(graph, thread("1"), { a: "updated" }, "x");
    await t.state(graph, thread("1"));
    await t.invoke(graph, { a: "in" }, thread("1"));
    await t.state(graph, thread("1"));
  }),

  scenario("a Command's update is parsed by the zod schema", async (lg, t) => {
    const State = z4.object({ a: z4.string().trim(), n: z4.number().default(1) });
    const graph = over(lg, State)
      .addNode("x", () => new lg.Command({ update: { a: "  x  " } }))
      .addEdge(lg.START, "x")
      .compile();
    await t.invoke(graph, { a: " in " });
  }),

  scenario("MessagesZodState and MessagesZodMeta merge messages", async (lg, t) => {
    const { registry } = zodOf(lg);
    const Own = z4.object({
      messages: z4.custom<BaseMessage[]>().register(registry as never, lg.MessagesZodMeta as never),
      n: z4.number().default(0),
    });
    for (const State of [lg.MessagesZodState, Own]) {
      const graph = over(lg, State)
        .addNode("a", () => ({ messages: [{ role: "assistant", content: "hi", id: "a" }] }))
        .addEdge(lg.START, "a")
        .compile();
      await t.invoke(graph, { messages: [{ role: "user", content: "hello", id: "u" }] });
      await t.invoke(graph, { messages: [{ role: "user", content: "replaced", id: "a" }] });
    }
  }),

  scenario("MessagesZodState, extended", async (lg, t) => {
    const State = lg.MessagesZodState.extend({ count: z3.number() });
    const graph = over(lg, State)
      .addNode("a", (state: { count: number; messages: unknown[] }) => ({
        count: state.count + state.messages.length,
      }))
      .addEdge(lg.START, "a")
      .compile();
    await t.invoke(graph, { count: 1, messages: [{ role: "user", content: "x", id: "1" }] });
  }),

  scenario("state, input, output and context in one object, and options beside a schema", async (lg, t) => {
    const state = z4.object({ q: z4.string(), a: z4.string().optional(), hidden: z4.string().optional() });
    const input = z4.object({ q: z4.string() });
    const output = z4.object({ a: z4.string() });
    const context = z4.object({ user: z4.string() });
    for (const builder of [
      over(lg, { state, input, output, context }),
      over(lg, { stateSchema: state, input, output }, { context }),
      over(lg, state, { input, output, context }),
    ]) {
      const graph = builder.addNode("x", answers).addEdge(lg.START, "x").compile();
      await t.invoke(graph, { q: "why", hidden: "from outside" }, { context: { user: "ann" } });
    }
  }),

  scenario("an input schema alone is the state; channels of the old form", async (lg, t) => {
    const graph = over(lg, { input: z4.object({ q: z4.string() }) })
      .addNode("x", (s: { q: string }) => ({ q: `${s.q}!` }))
      .addEdge(lg.START, "x")
      .compile();
    await t.invoke(graph, { q: "hey" });
    const old = over(lg, {
      channels: {
        list: { reducer: concat, default: () => ["d"] },
        sum: { value: (a: number, b: number) => a + b },
        last: null,
      },
    })
      .addNode("x", () => ({ list: ["x"], sum: 2, last: "x" }))
      .addEdge(lg.START, "x")
      .compile();
    await t.invoke(old, { list: ["in"], sum: 1 });
  }),

  scenario("what is no state is refused when the graph is made", async (lg, t) => {
    for (const nothing of [undefined, null, 5, "state", [], {}, { state: 5 }, { input: {} }, { a: 1 }]) {
      await t.fails(() => over(lg, nothing));
    }
    await t.fails(() => new lg.StateSchema({ a: 5 as never }).getChannels());
  }),
];
