import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool, type ToolRuntime } from "@langchain/core/tools";
import { z } from "zod";
import { ScriptedModel } from "../agents/model.ts";
import { prebuiltOf } from "../engines.ts";
import { scenario } from "../scenario.ts";
import { thread } from "./kit.ts";
import { call, asking, add, report, broken, slow, question, answer, updates } from "./prebuilt-kit.ts";

/** ToolNode and toolsCondition, by themselves and in graphs. */
export const toolNodes = [
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
