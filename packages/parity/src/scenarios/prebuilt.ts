import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { tool, type ToolRuntime } from "@langchain/core/tools";
import { z } from "zod";
import { type Call, ScriptedModel } from "../agents/model.ts";
import { prebuiltOf } from "../engines.ts";
import type { Recorder } from "../recorder.ts";
import { scenario } from "../scenario.ts";
import { late, thread } from "./kit.ts";

const call = (name: string, args: Record<string, unknown> = {}, id = `call-${name}`): Call => ({
  name,
  args,
  id,
});
const asking = (...calls: readonly Call[]): AIMessage =>
  new AIMessage({
    id: "asking",
    content: "",
    tool_calls: calls.map((one) => ({ ...one, type: "tool_call" as const })),
  });

const add = tool(({ a, b }) => `${a + b}`, {
  name: "add",
  description: "adds",
  schema: z.object({ a: z.number(), b: z.number() }),
});
const report = tool(() => ({ ok: true, list: [1, null] }), {
  name: "report",
  description: "reports",
  schema: z.object({}),
});
const broken = tool(
  () => {
    throw new Error("user: broken");
  },
  { name: "broken", description: "breaks", schema: z.object({}) },
);
const slow = tool(
  async ({ ms }) => {
    await late(ms);
    return `after ${ms}`;
  },
  { name: "slow", description: "waits", schema: z.object({ ms: z.number() }) },
);

const question = (text = "go"): { messages: HumanMessage[] } => ({
  messages: [new HumanMessage({ id: "question", content: text })],
});

const answer = (id: string) => new ToolMessage({ id: `answer-${id}`, content: "?", tool_call_id: id });

const toolNodes = [
  scenario("ToolNode answers the calls of the last AI message, in their order", async (lg, t) => {
    const node = new (prebuiltOf(lg).ToolNode)([add, slow, report]);
    const calls = [call("slow", { ms: 10 }), call("add", { a: 1, b: 2 }), call("report")];
    await t.invoke(node, { messages: [asking(...calls)] });
  }),

  scenario("ToolNode takes a list and gives a list", async (lg, t) => {
    const node = new (prebuiltOf(lg).ToolNode)([add]);
    await t.invoke(node, [new HumanMessage({ id: "h", content: "x" }), asking(call("add", { a: 1, b: 2 }))]);
  }),

  scenario("ToolNode takes one call as a Send brings it", async (lg, t) => {
    const node = new (prebuiltOf(lg).ToolNode)([add]);
    await t.invoke(node, {
      messages: [],
      lg_tool_call: { ...call("add", { a: 2, b: 2 }), type: "tool_call" },
    });
  }),

  scenario(
    "ToolNode leaves out calls that were answered, and does nothing when none is left",
    async (lg, t) => {
      const node = new (prebuiltOf(lg).ToolNode)([add]);
      const asked = asking(call("add", { a: 1, b: 1 }, "one"), call("add", { a: 2, b: 2 }, "two"));
      await t.invoke(node, { messages: [asked, answer("one")] });
      await t.invoke(node, { messages: [asked, answer("one"), answer("two")] });
      await t.invoke(node, { messages: [new AIMessage({ id: "none", content: "hi" })] });
    },
  ),

  scenario("a tool that throws, an unknown tool and wrong arguments become messages", async (lg, t) => {
    const node = new (prebuiltOf(lg).ToolNode)([add, broken]);
    await t.invoke(node, {
      messages: [asking(call("broken"), call("missing"), call("add", { a: 1, b: 1 }))],
    });
    const { messages } = await node.invoke({ messages: [asking(call("add", { a: "one" }))] });
    const [message] = messages as ToolMessage[];
    t.note("wrong arguments", [message?.status, message?.name, String(message?.content).slice(0, 60)]);
  }),

  scenario("handleToolErrors: false lets errors of tools through", async (lg, t) => {
    const node = new (prebuiltOf(lg).ToolNode)([add, broken], { handleToolErrors: false });
    await t.fails(() => node.invoke({ messages: [asking(call("broken"))] }));
    await t.fails(() => node.invoke({ messages: [asking(call("missing"))] }));
    await t.invoke(node, { messages: [asking(call("add", { a: 1, b: 1 }))] });
  }),

  scenario("inputs that a ToolNode cannot use", async (lg, t) => {
    const node = new (prebuiltOf(lg).ToolNode)([add]);
    await t.fails(() => node.invoke({ messages: [] }));
    await t.fails(() => node.invoke({ messages: ["text"] }));
    await t.fails(() => node.invoke({ other: 1 }));
    await t.fails(() => node.invoke([new HumanMessage("x")]));
  }),

  scenario("name and tags of a ToolNode", async (lg, t) => {
    const { ToolNode } = prebuiltOf(lg);
    let seen: unknown;
    const look = tool(
      (_input, config) => {
        seen = config.tags;
        return "looked";
      },
      { name: "look", description: "looks", schema: z.object({}) },
    );
    const node = new ToolNode([look], { name: "hands", tags: ["x"] });
    await node.invoke({ messages: [asking(call("look"))] }, { tags: ["y"] });
    t.note("name and tags", [node.getName(), [...(seen as string[])].sort()]);
  }),

  scenario("a tool finds state, call id, config, context, store and writer", async (lg, t) => {
    const store = new lg.InMemoryStore();
    const look = tool(
      async (_input, runtime: ToolRuntime) => {
        const { state, toolCallId, context, config, writer } = runtime;
        await lg.getStore(config as never)?.put(["seen"], "k", { id: toolCallId });
        writer?.("from the tool");
        return JSON.stringify({
          user: (state as { user: string }).user,
          toolCallId,
          context,
          store: runtime.store !== null && runtime.store !== undefined,
          node: config.metadata?.["langgraph_node"],
          current: (lg.getCurrentTaskInput() as { user: string }).user,
        });
      },
      { name: "look", description: "looks", schema: z.object({}) },
    );
    const State = lg.Annotation.Root({ ...lg.MessagesAnnotation.spec, user: lg.Annotation<string>() });
    const graph = new lg.StateGraph(State)
      .addNode("tools", new (prebuiltOf(lg).ToolNode)([look]))
      .addEdge(lg.START, "tools")
      .compile({ store });
    const output = await graph.invoke(
      { messages: [asking(call("look"))], user: "ada" },
      { context: { language: "en" } },
    );
    t.note("content", output.messages.at(-1)?.content);
    t.note("stored", (await store.get(["seen"], "k"))?.value);
    const chunks: unknown[] = [];
    for await (const chunk of await graph.stream(
      { messages: [asking(call("look"))], user: "ada" },
      { streamMode: "custom" },
    )) {
      chunks.push(chunk);
    }
    t.note("custom", chunks);
  }),

  scenario("a tool that asks: the node waits, and the answer is the tool's", async (lg, t) => {
    const approve = tool(({ what }) => `${what}: ${lg.interrupt<string, string>(`${what}?`)}`, {
      name: "approve",
      description: "asks",
      schema: z.object({ what: z.string() }),
    });
    const saver = t.saver();
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("tools", new (prebuiltOf(lg).ToolNode)([approve]))
      .addEdge(lg.START, "tools")
      .compile({ checkpointer: saver });
    await t.invoke(graph, { messages: [asking(call("approve", { what: "mail" }))] }, thread("1"));
    const output = await graph.invoke(new lg.Command({ resume: "yes" }), thread("1"));
    t.note("answer", output.messages.at(-1)?.content);
  }),

  scenario("a tool that returns a Command updates the state and chooses where to go", async (lg, t) => {
    const State = lg.Annotation.Root({ ...lg.MessagesAnnotation.spec, user: lg.Annotation<string>() });
    const login = tool(
      (_input, runtime: ToolRuntime) =>
        new lg.Command({
          update: {
            user: "ada",
            messages: [new ToolMessage({ id: "in", content: "in", tool_call_id: runtime.toolCallId })],
          },
          goto: "greet",
        }),
      { name: "login", description: "logs in", schema: z.object({}) },
    );
    const graph = new lg.StateGraph(State)
      .addNode("tools", new (prebuiltOf(lg).ToolNode)([login, add]), { ends: ["greet"] })
      .addNode("greet", (state) => ({ messages: [new AIMessage({ id: "hi", content: `hi ${state.user}` })] }))
      .addEdge(lg.START, "tools")
      .compile();
    await t.invoke(graph, { messages: [asking(call("login"))] });
    const mixed = await graph.invoke({
      messages: [asking(call("add", { a: 1, b: 1 }), call("login"))],
    });
    t.note("mixed", [mixed.user, mixed.messages.map(({ content }) => content)]);
  }),

  scenario("Sends of several tools for the parent graph become one command", async (lg, t) => {
    const send = tool(
      ({ to }) =>
        new lg.Command({ graph: lg.Command.PARENT, goto: [new lg.Send("worker", { messages: [], to })] }),
      { name: "send", description: "sends", schema: z.object({ to: z.string() }) },
    );
    const node = new (prebuiltOf(lg).ToolNode)([send, add]);
    const output = (await node.invoke({
      messages: [asking(call("send", { to: "a" }, "1"), call("send", { to: "b" }, "2"))],
    })) as { goto: { node: string; args: unknown }[]; graph: string }[];
    t.note(
      "commands",
      output.map(({ goto, graph }) => ({ graph, goto: goto.map(({ node: name, args }) => [name, args]) })),
    );
  }),

  scenario("a command for the parent leaves the subgraph that has the ToolNode", async (lg, t) => {
    const State = lg.Annotation.Root({ ...lg.MessagesAnnotation.spec, who: lg.Annotation<string>() });
    const handOff = tool(
      () => new lg.Command({ graph: lg.Command.PARENT, update: { who: "other" }, goto: "other" }),
      { name: "hand_off", description: "hands off", schema: z.object({}) },
    );
    const inner = new lg.StateGraph(State)
      .addNode("tools", new (prebuiltOf(lg).ToolNode)([handOff]))
      .addEdge(lg.START, "tools")
      .compile();
    const graph = new lg.StateGraph(State)
      .addNode("inner", inner, { ends: ["other"] })
      .addNode("other", (state) => ({ who: `${state.who} was here` }))
      .addEdge(lg.START, "inner")
      .compile();
    const output = await graph.invoke({ messages: [asking(call("hand_off"))] });
    t.note("who", output.who);
  }),

  scenario("toolsCondition on states and lists", async (lg, t) => {
    const { toolsCondition } = prebuiltOf(lg);
    const plainAnswer = new AIMessage("done");
    for (const messages of [[asking(call("add"))], [plainAnswer], [new HumanMessage("x")], []]) {
      t.note("condition", [toolsCondition(messages), toolsCondition({ messages })]);
    }
  }),

  scenario("a hand-made agent of ToolNode and toolsCondition", async (lg, t) => {
    const { ToolNode, toolsCondition } = prebuiltOf(lg);
    const model = ScriptedModel.saying([call("add", { a: 1, b: 2 })], "three");
    const saver = t.saver();
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("agent", async (state) => ({ messages: [await model.invoke(state.messages)] }))
      .addNode("tools", new ToolNode([add]))
      .addEdge(lg.START, "agent")
      .addConditionalEdges("agent", toolsCondition, ["tools", lg.END])
      .addEdge("tools", "agent")
      .compile({ checkpointer: saver });
    await updates(t, graph, question(), thread("1"));
    t.note("prompts", model.prompts);
  }),
];

interface Streams {
  stream(input: unknown, config: object): Promise<AsyncIterable<unknown>>;
}

/** What each step wrote; messages by what they say, because ids are made anew. */
async function updates(t: Recorder, graph: Streams, input: unknown, config: object = {}): Promise<void> {
  const seen: unknown[] = [];
  for await (const chunk of await graph.stream(input, { ...config, streamMode: "updates" })) {
    seen.push(
      Object.entries(chunk as Record<string, unknown>).map(([node, update]) => [node, spoken(update)]),
    );
  }
  t.note("updates", seen);
}

function spoken(update: unknown): unknown {
  if (Array.isArray(update)) return update.map(spoken);
  if (typeof update !== "object" || update === null || !("messages" in update)) return update;
  const messages = (update as { messages: BaseMessage[] }).messages.map(said);
  return { ...update, messages };
}

const said = (message: BaseMessage): unknown => [
  message.type,
  message.name,
  message.content,
  AIMessage.isInstance(message) ? message.tool_calls : undefined,
  ToolMessage.isInstance(message) ? [message.tool_call_id, message.status] : undefined,
];

/** Runs an agent and notes its messages, other keys, and what the model was asked. */
async function talk(
  t: Recorder,
  agent: { invoke(input: never, config?: object): Promise<unknown> },
  model: ScriptedModel,
  config: object = {},
  input: object = question(),
): Promise<void> {
  const { messages, ...rest } = (await agent.invoke(input as never, config)) as { messages: BaseMessage[] };
  t.note("messages", messages.map(said));
  t.note("rest", rest);
  t.note("prompts", model.prompts);
}

const oneCall = () => ScriptedModel.saying([call("add", { a: 1, b: 2 })], "three");

const greeting = (state: { messages: BaseMessage[] }) => [
  new SystemMessage(`user is ${(state as unknown as { user: string }).user}`),
  ...state.messages,
];

const refuse = (state: { messages: BaseMessage[] }) => {
  const last = state.messages.at(-1);
  if (!AIMessage.isInstance(last) || last.tool_calls?.length !== 1) return {};
  return { messages: [new ToolMessage({ id: "refused", content: "refused", tool_call_id: "no" })] };
};

const bound = (...names: string[]) => {
  const tools = names.map((name) => ({ type: "function", function: { name, parameters: {} } }));
  return ScriptedModel.saying("hello").withConfig({ tools } as never) as never;
};

const agents = [
  scenario("createReactAgent: model, tools, model", async (lg, t) => {
    const { createReactAgent } = prebuiltOf(lg);
    const model = oneCall();
    const agent = createReactAgent({ llm: model, tools: [add] });
    await talk(t, agent, model);
    await updates(t, createReactAgent({ llm: oneCall(), tools: [add] }), question());
  }),

  scenario("createReactAgent with a ToolNode, and without tools", async (lg, t) => {
    const { createReactAgent, ToolNode } = prebuiltOf(lg);
    const model = oneCall();
    await talk(t, createReactAgent({ llm: model, tools: new ToolNode([add, report]) }), model);
    const silent = ScriptedModel.saying("hello");
    await talk(t, createReactAgent({ llm: silent, tools: [] }), silent);
  }),

  scenario("prompts: text, system message, function, async function, runnable", async (lg, t) => {
    const { createReactAgent } = prebuiltOf(lg);
    const prompts = [
      "be brief",
      new SystemMessage("be kind"),
      ({ messages }: { messages: BaseMessage[] }) => [new SystemMessage("be quick"), ...messages],
      async ({ messages }: { messages: BaseMessage[] }) => messages.slice(-1),
      RunnableLambda.from(({ messages }: { messages: BaseMessage[] }) => [
        new SystemMessage("be a runnable"),
        ...messages,
      ]),
    ];
    for (const prompt of prompts) {
      const model = oneCall();
      await talk(t, createReactAgent({ llm: model, tools: [add], prompt: prompt as never }), model);
    }
  }),

  scenario("stateModifier and messageModifier, and more than one of them", async (lg, t) => {
    const { createReactAgent } = prebuiltOf(lg);
    const modifiers = [
      { stateModifier: "state" },
      { messageModifier: "text" },
      { messageModifier: new SystemMessage("system") },
      { messageModifier: (messages: BaseMessage[]) => [new SystemMessage("fn"), ...messages] },
      { messageModifier: RunnableLambda.from((messages: BaseMessage[]) => messages.slice(-1)) },
    ];
    for (const modifier of modifiers) {
      const model = oneCall();
      await talk(t, createReactAgent({ llm: model, tools: [add], ...(modifier as object) }), model);
    }
    await t.fails(() =>
      createReactAgent({ llm: oneCall(), tools: [add], prompt: "a", stateModifier: "b" }).invoke(question()),
    );
  }),

  scenario("version v2 sends each call to the tools by itself", async (lg, t) => {
    const { createReactAgent } = prebuiltOf(lg);
    const saver = t.saver();
    const model = ScriptedModel.saying(
      [call("add", { a: 1, b: 2 }, "one"), call("report", {}, "two"), call("missing", {}, "three")],
      "done",
    );
    const agent = createReactAgent({
      llm: model,
      tools: [add, report],
      version: "v2",
      checkpointer: saver,
    });
    await talk(t, agent, model, thread("1"));
    const { next, tasks } = await agent.getState(thread("1"));
    t.note("state", { next, tasks });
  }),

  scenario("a tool that returns directly ends the loop", async (lg, t) => {
    const { createReactAgent } = prebuiltOf(lg);
    const direct = tool(() => "the answer", {
      name: "direct",
      description: "answers",
      schema: z.object({}),
      returnDirect: true,
    });
    const model = ScriptedModel.saying([call("add", { a: 1, b: 1 })], [call("direct")], "never said");
    await talk(t, createReactAgent({ llm: model, tools: [add, direct] }), model);
  }),

  scenario("a state schema of one's own, as annotation and as zod object", async (lg, t) => {
    const { createReactAgent } = prebuiltOf(lg);
    const annotated = lg.Annotation.Root({ ...lg.MessagesAnnotation.spec, user: lg.Annotation<string>() });
    const first = oneCall();
    await talk(
      t,
      createReactAgent({ llm: first, tools: [add], stateSchema: annotated, prompt: greeting }),
      first,
      {},
      { ...question(), user: "ada" },
    );
    await t.fails(() =>
      createReactAgent({
        llm: first,
        tools: [],
        stateSchema: lg.Annotation.Root({ other: lg.Annotation<string>() }) as never,
      }),
    );
  }),

  scenario("preModelHook changes what the model is given, or the messages themselves", async (lg, t) => {
    const { createReactAgent } = prebuiltOf(lg);
    const given = oneCall();
    await talk(
      t,
      createReactAgent({
        llm: given,
        tools: [add],
        preModelHook: (state) => ({ llmInputMessages: state.messages.slice(-1) }),
      }),
      given,
    );
    const changed = oneCall();
    await talk(
      t,
      createReactAgent({
        llm: changed,
        tools: [add],
        preModelHook: () => ({ messages: [new HumanMessage({ id: "question", content: "rewritten" })] }),
      }),
      changed,
    );
  }),

  scenario("preModelHook as seen in streams, and its key in the state", async (lg, t) => {
    const agent = prebuiltOf(lg).createReactAgent({
      llm: oneCall(),
      tools: [add],
      preModelHook: (state) => ({ llmInputMessages: state.messages.slice(-1) }),
      checkpointer: t.saver(),
    });
    const keys: string[][] = [];
    for await (const chunk of await agent.stream(question(), { ...thread("1"), streamMode: "values" })) {
      keys.push(Object.keys(chunk as object).sort());
    }
    t.note("keys of values", keys);
    t.note("keys of the state", Object.keys((await agent.getState(thread("1"))).values as object).sort());
  }),

  scenario("postModelHook runs after the model and may answer calls itself", async (lg, t) => {
    const { createReactAgent } = prebuiltOf(lg);
    const watched: string[] = [];
    const model = oneCall();
    await talk(
      t,
      createReactAgent({
        llm: model,
        tools: [add],
        postModelHook: (state) => {
          watched.push(state.messages.at(-1)?.type ?? "none");
          return {};
        },
      }),
      model,
    );
    t.note("watched", watched);
    const refusing = ScriptedModel.saying([call("add", { a: 1, b: 2 }, "no")], "then not");
    await talk(t, createReactAgent({ llm: refusing, tools: [add], postModelHook: refuse }), refusing);
  }),

  scenario("postModelHook with version v2: open calls only are sent", async (lg, t) => {
    const model = ScriptedModel.saying(
      [call("add", { a: 1, b: 2 }, "one"), call("add", { a: 3, b: 4 }, "two")],
      "done",
    );
    const agent = prebuiltOf(lg).createReactAgent({
      llm: model,
      tools: [add],
      version: "v2",
      postModelHook: (state) => {
        const last = state.messages.at(-1);
        if (!AIMessage.isInstance(last) || last.tool_calls?.length !== 2) return {};
        return { messages: [new ToolMessage({ id: "by hand", content: "3", tool_call_id: "one" })] };
      },
    });
    await talk(t, agent, model);
  }),

  scenario("responseFormat: a schema, and options with a prompt", async (lg, t) => {
    const { createReactAgent } = prebuiltOf(lg);
    const schema = z.object({ sum: z.number() });
    for (const responseFormat of [schema, { schema, prompt: "as JSON" }]) {
      const script = { replies: [[call("add", { a: 1, b: 2 })], "three"], prompts: [], said: 0 };
      const model = new ScriptedModel(script, { sum: 3 });
      await talk(t, createReactAgent({ llm: model, tools: [add], responseFormat }), model);
    }
  }),

  scenario("responseFormat: an answer that cannot be read is an error", async (lg, t) => {
    const script = { replies: ["three"], prompts: [], said: 0 };
    const agent = prebuiltOf(lg).createReactAgent({
      llm: new ScriptedModel(script, null),
      tools: [],
      responseFormat: z.object({ sum: z.number() }),
    });
    await t.fails(() => agent.invoke(question()));
  }),

  scenario("a function chooses the model by state and context", async (lg, t) => {
    const models = { small: ScriptedModel.saying("small"), big: ScriptedModel.saying("big") };
    const agent = prebuiltOf(lg).createReactAgent({
      llm: (_state, runtime) =>
        models[(runtime.context as unknown as { size: "small" | "big" }).size] as unknown as ScriptedModel,
      tools: [],
      contextSchema: z.object({ size: z.enum(["small", "big"]) }) as never,
    });
    for (const size of ["small", "big"] as const) {
      const { messages } = await agent.invoke(question(), { context: { size } as never });
      t.note(size, messages.map(said));
    }
  }),

  scenario("a model that has tools bound: the same ones, others, and too few", async (lg, t) => {
    const { createReactAgent } = prebuiltOf(lg);
    const output = await createReactAgent({ llm: bound("add"), tools: [add] }).invoke(question());
    t.note("same", output.messages.map(said));
    await t.fails(() => createReactAgent({ llm: bound("other"), tools: [add] }).invoke(question()));
    await t.fails(() => createReactAgent({ llm: bound("add"), tools: [add, report] }).invoke(question()));
  }),

  scenario("models in bindings and sequences get the tools", async (lg, t) => {
    const { createReactAgent } = prebuiltOf(lg);
    const binding = oneCall();
    await talk(t, createReactAgent({ llm: binding.withConfig({ tags: ["x"] }), tools: [add] }), binding);
    const inSequence = oneCall();
    const sequence = RunnableLambda.from((input: BaseMessage[]) => input).pipe(inSequence);
    await talk(t, createReactAgent({ llm: sequence as never, tools: [add] }), inSequence);
    const none = RunnableLambda.from(() => new AIMessage("no model"));
    await t.fails(() => createReactAgent({ llm: none as never, tools: [add] }).invoke(question()));
  }),

  scenario("an agent with a checkpointer goes on in its thread", async (lg, t) => {
    const saver = t.saver();
    const model = ScriptedModel.saying([call("add", { a: 1, b: 2 })], "three", "you said go");
    const agent = prebuiltOf(lg).createReactAgent({ llm: model, tools: [add], checkpointSaver: saver });
    await talk(t, agent, model, thread("1"));
    await talk(t, agent, model, thread("1"), { messages: [{ role: "user", content: "what did I say?" }] });
    const sources: unknown[] = [];
    for await (const { metadata, next } of agent.getStateHistory(thread("1"))) sources.push([metadata, next]);
    t.note("history", sources);
  }),

  scenario("breakpoints before tools and after the agent", async (lg, t) => {
    const { createReactAgent } = prebuiltOf(lg);
    for (const stop of [{ interruptBefore: ["tools"] }, { interruptAfter: ["agent"] }]) {
      const model = oneCall();
      const agent = createReactAgent({
        llm: model,
        tools: [add],
        checkpointer: t.saver(),
        ...(stop as object),
      });
      await agent.invoke(question(), thread("1"));
      t.note("next", (await agent.getState(thread("1"))).next);
      const { messages } = (await agent.invoke(null, thread("1"))) as { messages: BaseMessage[] };
      t.note("messages", messages.map(said));
    }
  }),

  scenario("a tool of an agent reads the store", async (lg, t) => {
    const store = new lg.InMemoryStore();
    await store.put(["users"], "1", { name: "ada" });
    const who = tool(
      async (_input, config) =>
        JSON.stringify((await lg.getStore(config)?.get(["users"], "1"))?.value ?? null),
      { name: "who", description: "who", schema: z.object({}) },
    );
    const model = ScriptedModel.saying([call("who")], "ada");
    await talk(t, prebuiltOf(lg).createReactAgent({ llm: model, tools: [who], store }), model);
  }),

  scenario("name and includeAgentName: what the model sees and what comes back", async (lg, t) => {
    const { createReactAgent } = prebuiltOf(lg);
    const model = ScriptedModel.saying("<name>helper</name><content>hello</content>");
    const agent = createReactAgent({ llm: model, tools: [], name: "helper", includeAgentName: "inline" });
    await talk(
      t,
      agent,
      model,
      {},
      {
        messages: [
          new HumanMessage({ id: "1", content: "hi" }),
          new AIMessage({ id: "2", content: "said before", name: "other" }),
          new AIMessage({ id: "3", content: "unnamed" }),
          new HumanMessage({ id: "4", content: "and?" }),
        ],
      },
    );
    t.note("name", agent.getName());
  }),

  scenario("withAgentName on texts, blocks, names without content, and other messages", async (lg, t) => {
    const { withAgentName } = prebuiltOf(lg);
    const replies = [
      new AIMessage("plain"),
      new AIMessage("<name>a</name><content>two\nlines</content>"),
      new AIMessage("<name>a</name>"),
      new AIMessage({
        content: [
          { type: "text", text: "<name>b</name><content>block</content>" },
          { type: "text", text: "<name>b</name><content></content>" },
          { type: "image_url", image_url: "data:," },
        ],
      }),
    ];
    const asked: unknown[] = [];
    for (const reply of replies) {
      const model = RunnableLambda.from((messages: BaseMessage[]) => {
        asked.push(messages.map(said));
        return reply;
      });
      const named = withAgentName(model as never, "inline") as unknown as {
        invoke(messages: BaseMessage[]): Promise<BaseMessage>;
      };
      t.note(
        "reply",
        said(
          await named.invoke([
            new HumanMessage("hi"),
            new AIMessage({ content: "text", name: "x" }),
            new AIMessage({ content: [{ type: "text", text: "block" }], name: "y" }),
            new AIMessage({ content: [{ type: "image_url", image_url: "data:," }], name: "z" }),
          ]),
        ),
      );
    }
    t.note("asked", asked);
    await t.fails(() => withAgentName(RunnableLambda.from(() => "x") as never, "other" as never));
  }),

  scenario(
    "an agent is a node of a graph, and a command of its tool leaves for the parent",
    async (lg, t) => {
      const { createReactAgent } = prebuiltOf(lg);
      const transfer = tool(
        (_input, runtime: ToolRuntime) =>
          new lg.Command({
            graph: lg.Command.PARENT,
            goto: "bob",
            update: {
              messages: [
                ...(runtime.state as { messages: BaseMessage[] }).messages,
                new ToolMessage({ id: "moved", content: "moved", tool_call_id: runtime.toolCallId }),
              ],
            },
          }),
        { name: "transfer", description: "to bob", schema: z.object({}) },
      );
      const alice = createReactAgent({
        llm: ScriptedModel.saying([call("transfer")]),
        tools: [transfer],
        name: "alice",
      });
      const bob = createReactAgent({ llm: ScriptedModel.saying("bob here"), tools: [], name: "bob" });
      const graph = new lg.StateGraph(lg.MessagesAnnotation)
        .addNode("alice", alice, { ends: ["bob"] })
        .addNode("bob", bob)
        .addEdge(lg.START, "alice")
        .compile();
      const { messages } = await graph.invoke(question());
      t.note("messages", messages.map(said));
    },
  ),

  scenario("an agent's failing tool is told to the model; its failing model fails the run", async (lg, t) => {
    const { createReactAgent } = prebuiltOf(lg);
    const told = ScriptedModel.saying([call("broken")], "sorry");
    await talk(t, createReactAgent({ llm: told, tools: [broken] }), told);
    const failing = ScriptedModel.saying(new Error("user: no model today"));
    await t.fails(() => createReactAgent({ llm: failing, tools: [] }).invoke(question()));
  }),

  scenario("createReactAgentAnnotation is a state of messages and an answer", async (lg, t) => {
    const State = prebuiltOf(lg).createReactAgentAnnotation<{ sum: number }>();
    const graph = new lg.StateGraph(State)
      .addNode("a", () => ({
        messages: [new AIMessage({ id: "a", content: "hi" })],
        structuredResponse: { sum: 1 },
      }))
      .addEdge(lg.START, "a")
      .compile();
    await t.invoke(graph, question());
  }),

  scenario("an agent's loop ends at the recursion limit", async (lg, t) => {
    const again = Array.from({ length: 20 }, (_, index) => [call("add", { a: 1, b: 1 }, `call-${index}`)]);
    const agent = prebuiltOf(lg).createReactAgent({ llm: ScriptedModel.saying(...again), tools: [add] });
    await t.fails(() => agent.invoke(question(), { recursionLimit: 5 }));
  }),
];

export const prebuilt = [...toolNodes, ...agents];
