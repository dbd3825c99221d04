import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { thread } from "../scenarios/kit.ts";
import { add, call, echo, flaky, looking, says } from "./kit.ts";
import { scenario } from "./langchains.ts";
import { ScriptedModel } from "./model.ts";

const adding = () => ScriptedModel.saying([call("add", { a: 1, b: 2 })], "it is 3");

export const running = [
  scenario("an agent without tools answers", async (lc, t) => {
    const model = ScriptedModel.saying("hello");
    const agent = lc.createAgent({ model, tools: [], systemPrompt: "Be brief." });
    await t.invoke(agent, says("hi"));
    t.note("prompts", model.prompts);
  }),

  scenario("an agent calls a tool and answers with its result", async (lc, t) => {
    const model = adding();
    const agent = lc.createAgent({ model, tools: [add] });
    await t.invoke(agent, says("1 + 2?"));
    t.note("prompts", model.prompts);
  }),

  scenario("a thread of two turns, as saved", async (lc, t) => {
    const saver = t.saver();
    const model = ScriptedModel.saying([call("add", { a: 1, b: 2 })], "3", "you asked 1 + 2");
    const agent = lc.createAgent({ model, tools: [add], checkpointer: saver });
    await t.invoke(agent, says("1 + 2?"), thread("1"));
    await t.invoke(agent, says("what did I ask?"), thread("1"));
    t.note("prompts", model.prompts);
    await t.state(agent, thread("1"));
    await t.history(agent, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("several calls of tools in one reply run as tasks of one step", async (lc, t) => {
    const saver = t.saver();
    const calls = [call("add", { a: 1, b: 2 }, "c1"), call("echo", { text: "x" }, "c2")];
    const agent = lc.createAgent({
      model: ScriptedModel.saying(calls, "both done"),
      tools: [add, echo],
      checkpointer: saver,
    });
    await t.invoke(agent, says("both"), thread("1"));
    await t.saved(saver, "1");
  }),

  scenario('version "v1" runs all calls of a reply in one task', async (lc, t) => {
    const calls = [call("add", { a: 1, b: 2 }, "c1"), call("echo", { text: "x" }, "c2")];
    const model = ScriptedModel.saying(calls, "both done");
    const agent = lc.createAgent({ model, tools: [add, echo], version: "v1" });
    await t.steps(agent, says("both"));
  }),

  scenario("the streams values, updates and both, of a turn with a tool", async (lc, t) => {
    for (const streamMode of ["values", "updates", ["values", "updates"]]) {
      const agent = lc.createAgent({ model: adding(), tools: [add] });
      await t.stream(agent, says("1 + 2?"), { streamMode });
    }
  }),

  scenario("the messages stream carries the model's words and the tool's result", async (lc, t) => {
    const model = ScriptedModel.saying([call("add", { a: 1, b: 2 })], "it is three");
    const agent = lc.createAgent({ model, tools: [add], name: "adder" });
    const chunks = await agent.stream(says("1 + 2?"), { streamMode: "messages" });
    for await (const [message, metadata] of chunks) {
      t.note("chunk", [message, metadata["langgraph_node"], metadata["langgraph_step"]]);
    }
  }),

  scenario("tools write to the custom stream", async (lc, t) => {
    const working = looking("work", (_text, { writer }) => {
      writer?.({ progress: 50 });
      return "done";
    });
    const agent = lc.createAgent({ model: ScriptedModel.saying([call("work", {})], "ok"), tools: [working] });
    await t.stream(agent, says("go"), { streamMode: ["custom", "updates"] });
  }),

  scenario("the tasks and checkpoints streams of a turn", async (lc, t) => {
    const agent = lc.createAgent({ model: adding(), tools: [add], checkpointer: t.saver() });
    await t.stream(agent, says("1 + 2?"), { ...thread("1"), streamMode: ["tasks", "checkpoints"] });
  }),

  scenario("streamEvents v2 names the same runs in the same order", async (lc, t) => {
    const agent = lc.createAgent({ model: adding(), tools: [add], name: "adder" });
    const events: unknown[] = [];
    for await (const { event, name } of agent.streamEvents(says("1 + 2?"), { version: "v2" })) {
      if (/chat_model|tool/.test(event)) events.push([event, name]);
    }
    t.note("events", events);
  }),

  scenario("a tool that does not exist is told to the model", async (lc, t) => {
    const model = ScriptedModel.saying([call("nowhere", {})], "sorry");
    const agent = lc.createAgent({ model, tools: [add] });
    await t.invoke(agent, says("go"));
    t.note("prompts", model.prompts);
  }),

  scenario("arguments that do not fit the tool's schema are told to the model", async (lc, t) => {
    const model = ScriptedModel.saying([call("add", { a: "one", b: 2 })], "sorry");
    const agent = lc.createAgent({ model, tools: [add] });
    await t.invoke(agent, says("go"));
  }),

  scenario("a tool's error is told to the model", async (lc, t) => {
    const model = ScriptedModel.saying([call("flaky", {}, "c1")], [call("flaky", {}, "c2")], "it worked");
    const agent = lc.createAgent({ model, tools: [flaky(1)] });
    await t.invoke(agent, says("go"));
  }),

  scenario("a model's error is the caller's, and the thread goes on from there", async (lc, t) => {
    const saver = t.saver();
    const model = ScriptedModel.saying([call("add", { a: 1, b: 2 })], new Error("user: overloaded"), "3");
    const agent = lc.createAgent({ model, tools: [add], checkpointer: saver });
    await t.fails(() => agent.invoke(says("1 + 2?"), thread("1")));
    await t.state(agent, thread("1"));
    await t.invoke(agent, null, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a tool that returns directly ends the turn", async (lc, t) => {
    const direct = tool(() => "final", {
      name: "direct",
      description: "Ends",
      schema: z.object({}),
      returnDirect: true,
    });
    const agent = lc.createAgent({ model: ScriptedModel.saying([call("direct", {})]), tools: [direct] });
    await t.invoke(agent, says("go"));
  }),

  scenario("a tool returns a Command that updates the state", async (lc, t, lg) => {
    const rename = looking("rename", (name, { toolCall }) => {
      const done = new ToolMessage({ id: "done", content: `renamed to ${name}`, tool_call_id: toolCall.id });
      return new lg.Command({ update: { name, messages: [done] } });
    });
    const agent = lc.createAgent({
      model: ScriptedModel.saying([call("rename", { text: "Ada" })], "done"),
      tools: [rename],
      stateSchema: z.object({ name: z.string().default("nobody") }),
    });
    await t.invoke(agent, says("call me Ada"));
  }),

  scenario("a tool reads the agent's state, context and store", async (lc, t, lg) => {
    const store = new lg.InMemoryStore();
    await store.put(["users"], "1", { name: "Ada" });
    const look = looking("look", async (_text, config) => {
      const user = await config.store?.get(["users"], config.context?.user ?? "");
      const { topic, messages } = config.state as { topic: string; messages: unknown[] };
      return `${user?.value["name"]} on ${topic} after ${messages.length}`;
    });
    const agent = lc.createAgent({
      model: ScriptedModel.saying([call("look", {})], "ok"),
      tools: [look],
      store,
      stateSchema: z.object({ topic: z.string() }),
      contextSchema: z.object({ user: z.string() }),
    });
    await t.invoke(agent, { ...says("go"), topic: "maths" }, { context: { user: "1" } });
  }),

  scenario("an interrupt in a tool is seen, and resumes in the tool", async (lc, t, lg) => {
    const saver = t.saver();
    const ask = tool(() => `answer: ${lg.interrupt("which?")}`, {
      name: "ask",
      description: "Asks",
      schema: z.object({}),
    });
    const calls = [call("ask", {}, "c1"), call("echo", { text: "x" }, "c2")];
    const agent = lc.createAgent({
      model: ScriptedModel.saying(calls, "thanks"),
      tools: [ask, echo],
      checkpointer: saver,
    });
    await t.invoke(agent, says("go"), thread("1"));
    await t.state(agent, thread("1"));
    await t.invoke(agent, new lg.Command({ resume: "this" }), thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("an agent as a node of a graph, with its own question", async (lc, t, lg) => {
    const saver = t.saver();
    const ask = tool(() => `answer: ${lg.interrupt("which?")}`, {
      name: "ask",
      description: "Asks",
      schema: z.object({}),
    });
    const agent = lc.createAgent({ model: ScriptedModel.saying([call("ask", {})], "thanks"), tools: [ask] });
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("agent", agent.graph as never)
      .addNode("after", (state) => ({
        messages: [new AIMessage({ id: "after", content: `${state.messages.length} messages` })],
      }))
      .addEdge(lg.START, "agent")
      .addEdge("agent", "after")
      .compile({ checkpointer: saver });
    await t.invoke(graph, says("go"), thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "this" }), thread("1"));
  }),

  scenario("a model that never stops reaches the recursion limit", async (lc, t) => {
    const endless = Array.from({ length: 30 }, (_, index) => [call("add", { a: 1, b: 1 }, `c${index}`)]);
    const agent = lc.createAgent({ model: ScriptedModel.saying(...endless), tools: [add] });
    await t.fails(() => agent.invoke(says("go"), { recursionLimit: 6 }));
  }),

  scenario("updateState edits a thread, and the agent goes on with it", async (lc, t) => {
    const saver = t.saver();
    const model = ScriptedModel.saying("first", "second");
    const agent = lc.createAgent({ model, tools: [], checkpointer: saver });
    await t.invoke(agent, says("one"), thread("1"));
    await agent.graph.updateState(
      thread("1"),
      { messages: [new AIMessage({ id: "reply-1", content: "edited" })] },
      "model_request",
    );
    await t.invoke(agent, says("two"), thread("1"));
    t.note("prompts", model.prompts);
    await t.saved(saver, "1");
  }),

  scenario("a system prompt given as a message, and messages given as pairs", async (lc, t) => {
    const model = ScriptedModel.saying("ok");
    const agent = lc.createAgent({
      model,
      tools: [],
      systemPrompt: new SystemMessage({ content: [{ type: "text", text: "Be kind." }] }),
    });
    await t.invoke(agent, {
      messages: [new HumanMessage({ id: "h", content: "a" }), { role: "user", content: "b", id: "h2" }],
    });
    t.note("prompts", model.prompts);
  }),

  scenario("withConfig binds a name and metadata to the agent's calls", async (lc, t) => {
    const seen: unknown[] = [];
    const see = looking("see", (_text, { metadata, configurable, tags }) => {
      seen.push([metadata?.["origin"], configurable?.["user"], tags]);
      return "seen";
    });
    const agent = lc
      .createAgent({ model: ScriptedModel.saying([call("see", {})], "ok"), tools: [see] })
      .withConfig({ metadata: { origin: "bound" }, configurable: { user: "u" } });
    await t.invoke(agent, says("go"));
    t.note("seen", seen);
  }),

  scenario("an agent tells what it was made with, also with other defaults", async (lc, t) => {
    const options = { model: ScriptedModel.saying(), tools: [add], systemPrompt: "Be kind.", name: "adder" };
    const agent = lc.createAgent(options);
    const configured = agent.withConfig({ tags: ["x"] });
    for (const one of [agent, configured]) {
      t.note("options", [
        one.options["systemPrompt"],
        one.options["name"],
        one.options["model"] === options.model,
      ]);
    }
  }),

  scenario("the drawing of an agent with middleware", async (lc, t) => {
    const watch = lc.createMiddleware({
      name: "Watch",
      beforeModel: () => undefined,
      afterAgent: () => undefined,
    });
    const agent = lc.createAgent({ model: ScriptedModel.saying(), tools: [add], middleware: [watch] });
    t.note("mermaid", await agent.drawMermaid());
  }),

  scenario("a model by its name is asked for as LangChain's agent asks", async (lc, t) => {
    const key = process.env["OPENAI_API_KEY"];
    process.env["OPENAI_API_KEY"] = "none";
    const look = lc.createMiddleware({
      name: "look",
      wrapModelCall: (request) => {
        const { model } = request as { model?: { _defaultConfig?: unknown } };
        t.note("made", model?._defaultConfig);
        return new AIMessage({ id: "a", content: "not asked" });
      },
    });
    for (const model of ["openai:gpt-5", "gpt-5"]) {
      await t.invoke(lc.createAgent({ model, tools: [], middleware: [look] }), says("hi"));
    }
    if (key === undefined) delete process.env["OPENAI_API_KEY"];
    else process.env["OPENAI_API_KEY"] = key;
  }),
];
