import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { add, call, echo, says } from "../agents/kit.ts";
import { type Reply, ScriptedModel } from "../agents/model.ts";
import type { LangGraph } from "../engines.ts";
import { prebuiltOf } from "../engines.ts";
import { thread } from "../scenarios/kit.ts";
import { scenario } from "./teams.ts";

function agent(lg: LangGraph, name: string, tools: readonly object[], ...replies: readonly Reply[]) {
  const llm = ScriptedModel.saying(...replies);
  return prebuiltOf(lg).createReactAgent({ llm, tools: tools as never, name, prompt: `You are ${name}.` });
}

/** A mathematician and a parrot, each with one task to do. */
const crew = (lg: LangGraph) => [
  agent(lg, "math", [add], [call("add", { a: 1, b: 2 })], "it is 3"),
  agent(lg, "parrot", [echo], [call("echo", { text: "hi" })], "said hi"),
];

/** Hands to one after the other, then answers. */
const manager = () =>
  ScriptedModel.saying(
    [call("transfer_to_math", {}, "hand-1")],
    [call("transfer_to_parrot", {}, "hand-2")],
    "all done",
  );

export const supervisors = [
  scenario("a supervisor hands to two agents and answers", async ({ createSupervisor }, t, lg) => {
    const llm = manager();
    const graph = createSupervisor({ agents: crew(lg), llm, prompt: "You manage." }).compile();
    await t.steps(graph, says("add, then repeat"));
    t.note("prompts", llm.prompts);
  }),

  scenario(
    "a supervisor that is given the whole history of its agents",
    async ({ createSupervisor }, t, lg) => {
      const llm = manager();
      const graph = createSupervisor({ agents: crew(lg), llm, outputMode: "full_history" }).compile();
      await t.invoke(graph, says("add, then repeat"));
      t.note("prompts", llm.prompts);
    },
  ),

  scenario("without messages about handing over and back", async ({ createSupervisor }, t, lg) => {
    const options = { addHandoffMessages: false, addHandoffBackMessages: false };
    const graph = createSupervisor({ agents: crew(lg), llm: manager(), ...options }).compile();
    await t.invoke(graph, says("add, then repeat"));
  }),

  scenario(
    "names of agents stand in the messages that the model is sent",
    async ({ createSupervisor }, t, lg) => {
      const llm = manager();
      const graph = createSupervisor({ agents: crew(lg), llm, includeAgentName: "inline" }).compile();
      await t.invoke(graph, says("add, then repeat"));
      t.note("prompts", llm.prompts);
    },
  ),

  scenario(
    "a supervisor with tools of its own and a tool that hands over under another name",
    async (teams, t, lg) => {
      const handoff = teams.supervisorHandoff({ agentName: "math", description: "Ask the mathematician" });
      const llm = ScriptedModel.saying(
        [call("echo", { text: "first" })],
        [call("transfer_to_math", {}, "hand-1")],
        "3, as math said",
      );
      const agents = [crew(lg)[0]];
      const graph = teams
        .createSupervisor({ agents, llm, tools: [echo, handoff], supervisorName: "boss" })
        .compile();
      await t.steps(graph, says("1 + 2?"));
      t.note(
        "tools",
        llm.prompts.map(({ tools }) => tools),
      );
    },
  ),

  scenario(
    "a thread of a supervised team goes on, and its history is told",
    async ({ createSupervisor }, t, lg) => {
      const saver = t.saver();
      const llm = ScriptedModel.saying([call("transfer_to_math", {}, "hand-1")], "done", "you asked before");
      const graph = createSupervisor({ agents: [crew(lg)[0]], llm }).compile({ checkpointer: saver });
      await t.invoke(graph, says("1 + 2?"), thread("1"));
      await t.invoke(graph, says("and what did I ask?"), thread("1"));
      await t.state(graph, thread("1"));
      await t.saved(saver, "1");
    },
  ),

  scenario("supervisors of supervisors", async ({ createSupervisor }, t, lg) => {
    const inner = createSupervisor({
      agents: [crew(lg)[0]],
      llm: ScriptedModel.saying([call("transfer_to_math", {}, "hand-2")], "math says 3"),
      supervisorName: "lead",
    }).compile({ name: "team" } as object);
    const llm = ScriptedModel.saying([call("transfer_to_team", {}, "hand-1")], "the team says 3");
    await t.invoke(
      createSupervisor({ agents: [inner], llm, supervisorName: "top" }).compile(),
      says("1 + 2?"),
    );
  }),
];

const asking = (lg: LangGraph) =>
  tool(() => `was told ${String(lg.interrupt("may I?"))}`, {
    name: "ask",
    description: "Asks the user",
    schema: z.object({}),
  });

/** Alice adds and knows Bob; Bob knows Alice. */
export function pair({ swarmHandoff }: { swarmHandoff(options: object): object }, lg: LangGraph) {
  const toBob = swarmHandoff({ agentName: "Bob", description: "Bob talks like a pirate" });
  const toAlice = swarmHandoff({ agentName: "Alice" });
  return [
    agent(
      lg,
      "Alice",
      [add, toBob],
      [call("transfer_to_bob", {}, "hand-1")],
      [call("add", { a: 5, b: 7 })],
      "12",
    ),
    agent(lg, "Bob", [toAlice], "ahoy", [call("transfer_to_alice", {}, "hand-2")]),
  ];
}

export const swarms = [
  scenario("the agent that was active last is asked first", async (teams, t, lg) => {
    const saver = t.saver();
    const graph = teams
      .createSwarm({ agents: pair(teams, lg), defaultActiveAgent: "Alice" })
      .compile({ checkpointer: saver });
    await t.invoke(graph, says("let me speak to Bob"), thread("1"));
    await t.invoke(graph, says("what is 5 + 7?"), thread("1"));
    await t.state(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("what a swarm streams", async (teams, t, lg) => {
    const graph = teams.createSwarm({ agents: pair(teams, lg), defaultActiveAgent: "Alice" }).compile();
    await t.steps(graph, says("let me speak to Bob"));
  }),

  scenario("an agent of a swarm asks, and is answered", async (teams, t, lg) => {
    const alone = agent(lg, "Alice", [asking(lg)], [call("ask", {})], "thank you");
    const graph = teams
      .createSwarm({ agents: [alone], defaultActiveAgent: "Alice" })
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, says("go on"), thread("1"));
    await t.state(graph, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "yes" }), thread("1"));
  }),

  scenario("a swarm that is called with an agent that it does not have", async (teams, t, lg) => {
    await t.fails(() =>
      teams.createSwarm({ agents: pair(teams, lg), defaultActiveAgent: "Carol" }).compile(),
    );
  }),
];
