import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { tool, type ToolRuntime } from "@langchain/core/tools";
import { z } from "zod";
import { ScriptedModel } from "../agents/model.ts";
import { prebuiltOf } from "../engines.ts";
import { scenario } from "../scenario.ts";
import { thread } from "./kit.ts";
import { call, add, report, broken, question, said, talk, oneCall, bound } from "./prebuilt-kit.ts";

/** createReactAgent: its model, thread, store, name and failures. */
export const reactAgentParts = [
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
