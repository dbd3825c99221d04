import { AIMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { type LangGraph, oracle } from "../engines.ts";
import { thread } from "../scenarios/kit.ts";
import { call, echo, says } from "./kit.ts";
import { type Agent, type LangChain, scenario } from "./langchains.ts";
import { type Reply, ScriptedModel } from "./model.ts";

interface Toward {
  readonly goto?: unknown;
  readonly update?: object;
}

/** A tool that leaves its agent: the graph around it goes on, somewhere else. */
function leaving(lg: LangGraph, name: string, toward: (id: string) => Toward) {
  const run = (_: object, { toolCall }: { toolCall?: { id?: string } }) =>
    new lg.Command({ graph: lg.Command.PARENT, ...toward(toolCall?.id ?? "") } as never);
  return tool(run as (input: object) => unknown, { name, description: name, schema: z.object({}) });
}

const answer = (id: string, text: string): ToolMessage =>
  new ToolMessage({ id: `result of ${id}`, content: text, tool_call_id: id });

/** A tool as packages make them that stand on LangGraph. */
const note = (_: object, { toolCall }: { toolCall?: { id?: string } }) =>
  new oracle.lg.Command({
    update: { noted: "yes", messages: [answer(toolCall?.id ?? "", "noted")] },
    goto: [],
  });

const toBilling = (lg: LangGraph) =>
  leaving(lg, "to_billing", (id) => ({
    goto: "billing",
    update: {
      active: "billing",
      messages: [
        new AIMessage({ id: "hands over", content: "", tool_calls: [call("to_billing", {}, id)] }),
        answer(id, "billing it is"),
      ],
    },
  }));

const said = (name: string) => ({ messages: [new AIMessage({ id: `by ${name}`, content: `${name} here` })] });

/** An agent of a team, and what it says. */
type Member = [name: string, tools: readonly object[], ...replies: Reply[]];

/** A team of agents, each a node: who was active last is asked. */
function team(lg: LangGraph, lc: LangChain, members: readonly Member[], options: object = {}) {
  const State = lg.Annotation.Root({
    ...lg.MessagesAnnotation.spec,
    active: lg.Annotation<string>(),
  });
  const models = members.map(([, , ...replies]) => ScriptedModel.saying(...replies));
  const agents = members.map(([name, tools], at): [string, Agent] => [
    name,
    lc.createAgent({ model: models[at], tools, name }),
  ]);
  const names = members.map(([name]) => name);
  const graph = new lg.StateGraph(State) as never as {
    addNode(name: string, node: unknown, options: object): void;
    addConditionalEdges(from: string, to: (state: { active?: string }) => string, ends: string[]): void;
    compile(options: object): Agent;
  };
  for (const [name, { graph: inner }] of agents) graph.addNode(name, inner, { ends: names });
  graph.addConditionalEdges(lg.START, ({ active }) => active ?? "support", names);
  return { graph: graph.compile(options), models };
}

const handing = (lg: LangGraph): Member => ["support", [toBilling(lg)], [call("to_billing", {}, "hand")]];

export const handoffs = [
  scenario(
    "a tool of a subagent hands over to another agent by a Command to the parent",
    async (lc, t, lg) => {
      const { graph, models } = team(lg, lc, [handing(lg), ["billing", [], "paid"]]);
      await t.invoke(graph, says("pay"));
      t.note("prompts", models[1]?.prompts);
    },
  ),

  scenario("the agent that was handed over to is asked in the next turn", async (lc, t, lg) => {
    const checkpointer = t.saver();
    const { graph } = team(lg, lc, [handing(lg), ["billing", [], "paid", "paid before"]], { checkpointer });
    await t.invoke(graph, says("pay"), thread("1"));
    await t.invoke(graph, says("again"), thread("1"));
    await t.state(graph, thread("1"));
  }),

  scenario("a subagent hands over and gets the thread back", async (lc, t, lg) => {
    const back = leaving(lg, "to_support", (id) => ({
      goto: "support",
      update: { active: "support", messages: [answer(id, "back")] },
    }));
    const [name, tools, first] = handing(lg) as [string, object[], Reply];
    const { graph } = team(lg, lc, [
      [name, tools, first, "all is paid"],
      ["billing", [back], [call("to_support", {}, "hand-2")]],
    ]);
    await t.invoke(graph, says("pay"));
  }),

  scenario("a Command to the parent ends the whole graph", async (lc, t, lg) => {
    const stop = leaving(lg, "stop", (id) => ({
      goto: lg.END,
      update: { messages: [answer(id, "enough")] },
    }));
    const { graph, models } = team(lg, lc, [["support", [stop], [call("stop", {}, "s")], "never said"]]);
    await t.invoke(graph, says("stop"));
    t.note("asked", models[0]?.prompts.length);
  }),

  scenario("what a sibling call of a handoff gave is not waited for by the parent", async (lc, t, lg) => {
    const { graph } = team(lg, lc, [
      ["support", [toBilling(lg), echo], [call("echo", { text: "a" }, "e"), call("to_billing", {}, "hand")]],
      ["billing", [], "paid"],
    ]);
    await t.invoke(graph, says("pay"));
  }),

  scenario(
    "two calls of one reply send to two agents: both from one task, the last from two",
    async (lc, t, lg) => {
      const send = (name: string) =>
        leaving(lg, `ask_${name}`, () => ({
          goto: [new lg.Send(name, { messages: [new AIMessage({ id: `for ${name}`, content: name })] })],
        }));
      for (const version of ["v1", "v2"]) {
        const model = ScriptedModel.saying([call("ask_left", {}), call("ask_right", {})]);
        const asks = lc.createAgent({ model, version, tools: [send("left"), send("right")] });
        const graph = new lg.StateGraph(lg.MessagesAnnotation)
          .addNode("asks", asks.graph as never, { ends: ["left", "right"] })
          .addNode("left", () => said("left"))
          .addNode("right", () => said("right"))
          .addEdge(lg.START, "asks")
          .compile();
        await t.invoke(graph, says("ask them"));
      }
    },
  ),

  scenario("a tool of a package that stands on LangGraph returns its Command", async (lc, t) => {
    const schema = z.object({});
    const agent = lc.createAgent({
      model: ScriptedModel.saying([call("note", {}, "c1")], "done"),
      tools: [tool(note as (input: object) => unknown, { name: "note", description: "Notes", schema })],
      stateSchema: z.object({ noted: z.string().default("no") }),
    });
    await t.invoke(agent, says("note it"));
  }),
];
