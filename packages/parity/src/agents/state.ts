import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { z } from "zod";
import { thread } from "../scenarios/kit.ts";
import { add, call, says } from "./kit.ts";
import { scenario } from "./langchains.ts";
import { ScriptedModel } from "./model.ts";

const Answer = z.object({ sum: z.number(), why: z.string() }).meta({ title: "extract-answer" });

export const state = [
  scenario("structured output by a tool strategy", async (lc, t) => {
    const model = ScriptedModel.saying([call("extract-answer", { sum: 3, why: "1 + 2" })]);
    const agent = lc.createAgent({ model, tools: [], responseFormat: lc.toolStrategy(Answer) });
    await t.invoke(agent, says("1 + 2?"));
    t.note("prompts", model.prompts);
  }),

  scenario("structured output that does not fit is told to the model, which tries again", async (lc, t) => {
    const model = ScriptedModel.saying(
      [call("extract-answer", { sum: "three" }, "c1")],
      [call("extract-answer", { sum: 3, why: "now" }, "c2")],
    );
    const agent = lc.createAgent({ model, tools: [], responseFormat: lc.toolStrategy(Answer) });
    await t.invoke(agent, says("1 + 2?"));
  }),

  scenario("structured output after a tool, on a thread", async (lc, t) => {
    const saver = t.saver();
    const model = ScriptedModel.saying(
      [call("add", { a: 1, b: 2 })],
      [call("extract-answer", { sum: 3, why: "added" })],
    );
    const agent = lc.createAgent({
      model,
      tools: [add],
      responseFormat: lc.toolStrategy(Answer),
      checkpointer: saver,
    });
    await t.invoke(agent, says("1 + 2?"), thread("1"));
    await t.state(agent, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("structured output by the provider's own format", async (lc, t) => {
    const model = ScriptedModel.saying('{"sum":3,"why":"json"}');
    const agent = lc.createAgent({ model, tools: [], responseFormat: lc.providerStrategy(Answer) });
    await t.invoke(agent, says("1 + 2?"));
  }),

  scenario("several schemas: the model answers by one of them", async (lc, t) => {
    const Name = z.object({ name: z.string() }).meta({ title: "name" });
    const model = ScriptedModel.saying([call("name", { name: "Ada" })]);
    const agent = lc.createAgent({ model, tools: [], responseFormat: [Answer, Name] });
    await t.invoke(agent, says("who?"));
    t.note("prompts", model.prompts);
  }),

  scenario("a JSON schema, and words of one's own around the answer", async (lc, t) => {
    const schema = {
      type: "object",
      title: "sum",
      properties: { sum: { type: "number" } },
      required: ["sum"],
    };
    const options = { toolMessageContent: "Here it is.", handleError: "A number, please." };
    const model = ScriptedModel.saying(
      [call("sum", { sum: "three" }, "c1")],
      [call("sum", { sum: 3 }, "c2")],
    );
    const responseFormat = lc.toolStrategy(schema, options);
    const agent = lc.createAgent({ model, tools: [], responseFormat });
    const { structuredResponse } = (await agent.invoke(says("1 + 2?"))) as Record<string, unknown>;
    t.note("response", structuredResponse);
    t.note("prompts", model.prompts);
  }),

  scenario("an answer that does not fit is an error, if so told", async (lc, t) => {
    const model = ScriptedModel.saying([call("extract-answer", { sum: "three" })]);
    const responseFormat = lc.toolStrategy(Answer, { handleError: false });
    const agent = lc.createAgent({ model, tools: [], responseFormat });
    const error = (await t.fails(() => agent.invoke(says("1 + 2?")))) as Error;
    t.note("name", error.constructor.name);
  }),

  scenario("tools that a middleware brings in while it runs", async (lc, t) => {
    const model = ScriptedModel.saying([call("add", { a: 1, b: 2 })], "3");
    const bringing = lc.createMiddleware({
      name: "Bringing",
      wrapModelCall: (request, handler) => handler({ ...request, tools: [...request.tools, add] }),
      wrapToolCall: (request, handler) =>
        handler(request.toolCall.name === "add" ? { ...request, tool: add } : request),
    });
    const agent = lc.createAgent({ model, tools: [], middleware: [bringing] });
    await t.invoke(agent, says("1 + 2?"));
    t.note("prompts", model.prompts);
  }),

  scenario("a state schema: defaults, keys that hooks write, keys that start with _", async (lc, t) => {
    const saver = t.saver();
    const count = lc.createMiddleware({
      name: "Count",
      stateSchema: z.object({ calls: z.number().default(0), _secret: z.string().default("s") }),
      afterModel: (state) => ({ calls: Number(state["calls"]) + 1, _secret: `${String(state["_secret"])}!` }),
    });
    const agent = lc.createAgent({
      model: ScriptedModel.saying([call("add", { a: 1, b: 2 })], "3"),
      tools: [add],
      stateSchema: z.object({ topic: z.string().default("maths") }),
      middleware: [count],
      checkpointer: saver,
    });
    await t.invoke(agent, says("go"), thread("1"));
    await t.state(agent, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a StateSchema with a reduced value as the agent's state", async (lc, t, lg) => {
    const notes = new lg.ReducedValue(
      z.array(z.string()).default(() => []),
      {
        inputSchema: z.string(),
        reducer: (left: string[], right: string) => [...left, right],
      },
    );
    const note = lc.createMiddleware({ name: "Note", afterModel: () => ({ notes: "model ran" }) });
    const agent = lc.createAgent({
      model: ScriptedModel.saying("a", "b"),
      tools: [],
      stateSchema: new lg.StateSchema({ notes }),
      middleware: [note],
      checkpointer: t.saver(),
    });
    await t.invoke(agent, { ...says("one"), notes: "given" }, thread("1"));
    await t.state(agent, thread("1"));
    // langchain hands the thread's state in again, and a list is no input of this key
    await t.fails(() => agent.invoke(says("two"), thread("1")));
  }),

  scenario("a context that does not fit the schema of a middleware is refused", async (lc, t) => {
    const limited = lc.createMiddleware({
      name: "Limited",
      contextSchema: z.object({ user: z.string() }),
      beforeModel: () => undefined,
    });
    const agent = lc.createAgent({ model: ScriptedModel.saying("a"), tools: [], middleware: [limited] });
    await t.fails(() => agent.invoke(says("go"), { context: { user: 1 } }));
  }),

  scenario("a context that its caller changes between two runs is read anew", async (lc, t) => {
    const say = (hook: string, context: unknown) => t.note(hook, context as Record<string, string>);
    const greeting = lc.createMiddleware({
      name: "Greeting",
      contextSchema: z.object({ user: z.string(), tone: z.string().default("kind") }),
      beforeModel: (_state, { context }) => {
        say("hook", context);
        return undefined;
      },
      wrapModelCall: (request, handler) => {
        say("wrap", request.runtime.context);
        return handler(request);
      },
    });
    const model = ScriptedModel.saying("a", "b");
    const agent = lc.createAgent({ model, tools: [], middleware: [greeting] });
    const context = { user: "ada" };
    await t.invoke(agent, says("one"), { context });
    context.user = "bob";
    await t.invoke(agent, says("two"), { context });
  }),

  scenario("required state of a middleware that nobody gave is refused", async (lc, t) => {
    const needing = lc.createMiddleware({
      name: "Needing",
      stateSchema: z.object({ name: z.string() }),
      beforeModel: () => undefined,
    });
    const agent = lc.createAgent({ model: ScriptedModel.saying("a"), tools: [], middleware: [needing] });
    await t.fails(() => agent.invoke(says("go")));
  }),

  scenario("hooks of two middlewares run inside out: before in order, after in reverse", async (lc, t) => {
    const seen: string[] = [];
    const watch = (name: string) => {
      const note = (hook: string): undefined => void seen.push(`${name} ${hook}`);
      return lc.createMiddleware({
        name,
        beforeAgent: () => note("before agent"),
        beforeModel: () => note("before model"),
        wrapModelCall: (request, handler) => {
          seen.push(`${name} wraps`);
          return handler(request);
        },
        wrapToolCall: (request, handler) => {
          seen.push(`${name} wraps ${request.toolCall.name}`);
          return handler(request);
        },
        afterModel: () => note("after model"),
        afterAgent: () => note("after agent"),
      });
    };
    const agent = lc.createAgent({
      model: ScriptedModel.saying([call("add", { a: 1, b: 2 })], "3"),
      tools: [add],
      middleware: [watch("One"), watch("Two")],
    });
    await t.steps(agent, says("go"));
    t.note("hooks", seen);
  }),

  scenario("a hook jumps to the end, and another one back to the model", async (lc, t) => {
    const stop = lc.createMiddleware({
      name: "Stop",
      beforeModel: {
        canJumpTo: ["end"],
        hook: (state) => (state.messages.length > 4 ? { jumpTo: "end" } : undefined),
      },
      afterModel: {
        canJumpTo: ["model"],
        hook: (state) =>
          state.messages.length < 4
            ? { messages: [new HumanMessage({ id: "more", content: "and?" })], jumpTo: "model" }
            : undefined,
      },
    });
    const agent = lc.createAgent({ model: ScriptedModel.saying("a", "b"), tools: [], middleware: [stop] });
    await t.steps(agent, {
      messages: ["1", "2", "3", "4", "5"].map((id) => new HumanMessage({ id, content: id })),
    });
    await t.steps(agent, says("go"));
  }),

  scenario("beforeAgent jumps over the whole run", async (lc, t) => {
    const skip = lc.createMiddleware({
      name: "Skip",
      beforeAgent: { canJumpTo: ["end"], hook: () => ({ jumpTo: "end" }) },
      afterAgent: () => undefined,
    });
    const agent = lc.createAgent({ model: ScriptedModel.saying(), tools: [], middleware: [skip] });
    await t.steps(agent, says("go"));
  }),

  scenario("wrapModelCall changes what the model sees, not what is kept", async (lc, t) => {
    const model = ScriptedModel.saying("ok", "ok again");
    const last = lc.createMiddleware({
      name: "LastOnly",
      wrapModelCall: (request, handler) => handler({ ...request, messages: request.messages.slice(-1) }),
    });
    const agent = lc.createAgent({ model, tools: [], middleware: [last], checkpointer: t.saver() });
    await t.invoke(agent, says("one"), thread("1"));
    await t.invoke(agent, says("two"), thread("1"));
    t.note("prompts", model.prompts);
  }),

  scenario("wrapToolCall answers in the tool's place", async (lc, t) => {
    const cached = lc.createMiddleware({
      name: "Cached",
      wrapToolCall: (request) =>
        new ToolMessage({ id: "cached", content: "from the cache", tool_call_id: request.toolCall.id ?? "" }),
    });
    const agent = lc.createAgent({
      model: ScriptedModel.saying([call("add", { a: 1, b: 2 })], "ok"),
      tools: [add],
      middleware: [cached],
    });
    await t.invoke(agent, says("go"));
  }),

  scenario("a hook that asks a question runs again when it is answered", async (lc, t, lg) => {
    const saver = t.saver();
    const asking = lc.createMiddleware({
      name: "Asking",
      beforeAgent: () => {
        const answer = lg.interrupt<string, string>("who are you?");
        return { messages: [new HumanMessage({ id: "who", content: answer })] };
      },
    });
    const agent = lc.createAgent({
      model: ScriptedModel.saying("hello"),
      tools: [],
      middleware: [asking],
      checkpointer: saver,
    });
    await t.stream(agent, says("hi"), { ...thread("1"), streamMode: ["updates", "values"] });
    await t.stream(agent, new lg.Command({ resume: "Ada" }), {
      ...thread("1"),
      streamMode: ["updates", "values"],
    });
    await t.saved(saver, "1");
  }),

  scenario("two middlewares of one name are refused", async (lc, t) => {
    const one = () => lc.createMiddleware({ name: "Same" });
    await t.fails(() =>
      lc.createAgent({ model: ScriptedModel.saying(), tools: [], middleware: [one(), one()] }),
    );
  }),
];
