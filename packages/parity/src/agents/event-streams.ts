import type { ProtocolEvent, ToolCallStream } from "@langchain/langgraph";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { late, thread } from "../scenarios/kit.ts";
import { later, listed, settled, V3 } from "../scenarios/event-streams-kit.ts";
import { add, call, echo, says } from "./kit.ts";
import { type AgentRun, type LangChain, scenario, type State, type Subagent } from "./langchains.ts";
import { ScriptedModel } from "./model.ts";

/** What a call of a tool comes to. */
const callOf = async ({ name, callId, input, output, status, error }: ToolCallStream) => ({
  name,
  callId,
  input,
  output: await settled(output),
  status: await status,
  error: await error,
});

async function callsOf(calls: AsyncIterable<ToolCallStream>): Promise<unknown[]> {
  const all: Promise<unknown>[] = [];
  const ended = await listed(calls, (one) => {
    all.push(callOf(one));
    return one.name;
  });
  return [await Promise.all(all), ended];
}

/** The words of each message, by tokens. */
async function wordsOf(messages: AgentRun["messages"]): Promise<unknown[]> {
  const all: Promise<unknown>[] = [];
  await listed(messages, (message) => all.push(listed(message.text)));
  return Promise.all(all);
}

async function subagentsOf(subagents: AsyncIterable<Subagent>): Promise<unknown[]> {
  const all: Promise<unknown>[] = [];
  await listed(subagents, ({ name, cause, output, messages, toolCalls, subagents: nested }) =>
    all.push(
      (async () => {
        const [words, calls, deeper, state] = await Promise.all([
          wordsOf(messages),
          callsOf(toolCalls),
          subagentsOf(nested),
          settled(output),
        ]);
        const said = (state as { value?: { messages?: { text: string }[] } }).value?.messages;
        return { name, cause, words, calls, deeper, said: said?.map(({ text }) => text) };
      })(),
    ),
  );
  return Promise.all(all);
}

/** Counts the messages that begin. */
const counting = () => {
  const { promise, resolve } = later<number>();
  let count = 0;
  return {
    init: () => ({ begun: promise }),
    process({ method, params }: ProtocolEvent) {
      if (method === "messages" && (params.data as { event: string }).event === "message-start") count += 1;
      return true;
    },
    finalize: () => resolve(count),
  };
};

/** An agent whose tool asks another agent. */
function asking(lc: LangChain) {
  const helper = lc.createAgent({
    name: "helper",
    model: ScriptedModel.saying([call("echo", { text: "x" }, "inner")], "helped out"),
    tools: [echo],
  });
  const ask = tool(
    async (_input, config) => {
      const { messages } = (await helper.invoke(says("help"), config)) as { messages: { text: string }[] };
      return messages.at(-1)?.text;
    },
    { name: "ask", description: "Asks the helper", schema: z.object({}) },
  );
  const model = ScriptedModel.saying([call("ask", {}, "outer")], "thanks");
  return lc.createAgent({ name: "boss", model, tools: [ask] });
}

const named = (name: string) => () => ({ init: () => ({ [name]: name }), process: () => true });

export const eventStreams = [
  scenario("v3: an agent's calls of tools, its words and its output", async (lc, t) => {
    const calls = [call("add", { a: 1, b: 2 }, "c1"), call("echo", { text: "x" }, "c2")];
    const agent = lc.createAgent({ model: ScriptedModel.saying(calls, "both are done"), tools: [add, echo] });
    const run = await agent.streamEvents(says("both"), V3);
    const [made, words, output] = await Promise.all([
      callsOf(run.toolCalls),
      wordsOf(run.messages),
      settled(run.output),
    ]);
    t.note("calls", made);
    t.note("words", words);
    t.note("output", output);
  }),

  scenario("v3: the events of an agent's turn, by method", async (lc, t) => {
    const agent = lc.createAgent({
      model: ScriptedModel.saying([call("add", { a: 1, b: 2 })], "3"),
      tools: [add],
    });
    const run = await agent.streamEvents(says("1 + 2?"), V3);
    t.note(
      "events",
      await listed(run, ({ method, params }) => [method, params.namespace.length, params.node]),
    );
  }),

  scenario("v3: a tool that fails, where the agent goes on", async (lc, t) => {
    const broken = tool(
      async () => {
        await late(5);
        throw new Error("user: broken");
      },
      { name: "broken", description: "Fails", schema: z.object({}) },
    );
    const agent = lc.createAgent({
      model: ScriptedModel.saying([call("broken", {})], "sorry"),
      tools: [broken],
    });
    const run = await agent.streamEvents(says("go"), V3);
    t.note("calls", await callsOf(run.toolCalls));
  }),

  scenario("v3: a tool that asks is pending, and is called again when it is answered", async (lc, t, lg) => {
    const ask = tool(() => `answer: ${lg.interrupt("which?")}`, {
      name: "ask",
      description: "Asks",
      schema: z.object({}),
    });
    const agent = lc.createAgent({
      model: ScriptedModel.saying([call("ask", {}, "c1")], "thanks"),
      tools: [ask],
      checkpointer: t.saver(),
    });
    const asked = await agent.streamEvents(says("go"), { ...V3, ...thread("1") });
    await asked.output;
    t.note("asked", [asked.interrupted, asked.interrupts.map(({ payload }) => payload)]);
    t.note("calls", await callsOf(asked.toolCalls));
    const resumed = await agent.streamEvents(new lg.Command({ resume: "this" }), { ...V3, ...thread("1") });
    t.note("calls", await callsOf(resumed.toolCalls));
  }),

  scenario("v3: an agent that a tool asks is a subagent, with its cause", async (lc, t) => {
    const run = await asking(lc).streamEvents(says("go"), V3);
    const [subagents, calls, lifecycle] = await Promise.all([
      subagentsOf(run.subagents),
      callsOf(run.toolCalls),
      listed(run.lifecycle, ({ event, graph_name: name, cause }) => [event, name, cause]),
    ]);
    t.note("subagents", subagents);
    t.note("calls", calls);
    t.note("lifecycle", lifecycle);
  }),

  scenario("v3: a graph of one's own with an agent's views", async (lc, t, lg) => {
    const helper = lc.createAgent({
      name: "helper",
      model: ScriptedModel.saying([call("echo", { text: "x" }, "inner")], "helped out"),
      tools: [echo],
    });
    const graph = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("look", async (_state, config) => {
        await add.invoke({ type: "tool_call", ...call("add", { a: 1, b: 2 }, "outer") }, config);
        return { messages: ((await helper.invoke(says("help"), config)) as State).messages.slice(-1) };
      })
      .addEdge(lg.START, "look")
      .compile({ transformers: [lc.createToolCallTransformer([]), lc.createSubagentTransformer()] as never });
    const run = (await graph.streamEvents(says("go"), V3)) as unknown as AgentRun;
    const [subagents, calls] = await Promise.all([subagentsOf(run.subagents), callsOf(run.toolCalls)]);
    t.note("subagents", subagents);
    t.note("calls", calls);
  }),

  scenario("v3: streamTransformers of the agent, of its middleware and of the call", async (lc, t) => {
    const agent = lc.createAgent({
      model: ScriptedModel.saying("hello there"),
      tools: [],
      streamTransformers: [counting, named("agents")],
      middleware: [lc.createMiddleware({ name: "Watch", streamTransformers: [named("middlewares")] })],
    });
    const run = await agent.streamEvents(says("hi"), { ...V3, transformers: [named("own")] });
    const { begun, ...rest } = (run as unknown as AgentRun).extensions as { begun: Promise<number> };
    t.note("begun", await begun);
    t.note("names", rest);
  }),

  scenario("v3: a model that fails fails every view", async (lc, t) => {
    const agent = lc.createAgent({
      model: ScriptedModel.saying(new Error("user: overloaded")),
      tools: [add],
    });
    const run = await agent.streamEvents(says("hi"), V3);
    t.note("output", await settled(run.output));
    t.note("calls", await listed(run.toolCalls));
    t.note("subagents", await listed(run.subagents));
  }),
];
