import { tool } from "@langchain/core/tools";
import { thread } from "../scenarios/kit.ts";
import { type Version, versions } from "../scenarios/zod-versions.ts";
import { call, says } from "./kit.ts";
import { type AgentScenario, scenario } from "./langchains.ts";
import { ScriptedModel } from "./model.ts";

const everywhere = (z: Version): AgentScenario[] => [
  scenario(`${z.name}: the schema of a tool, its defaults, what it refuses`, async (lc, t) => {
    const seen: unknown[] = [];
    const shout = tool(((input: object) => (seen.push(input), "shouted")) as never, {
      name: "shout",
      description: "Shouts",
      schema: z.object({ text: z.string(), times: z.or(z.number(), 2) }),
    });
    const model = ScriptedModel.saying([call("shout", { text: "a" }, "c1")], "done");
    const agent = lc.createAgent({ model, tools: [shout] });
    const { messages } = (await agent.invoke(says("go"))) as { messages: { content: unknown }[] };
    t.note(
      "contents",
      messages.map(({ content }) => content),
    );
    t.note("seen", seen);
  }),

  scenario(`${z.name}: a structured response`, async (lc, t) => {
    const Answer = z.object({ sum: z.number(), why: z.string() });
    const model = ScriptedModel.saying('{"sum":3,"why":"so"}');
    const agent = lc.createAgent({ model, tools: [], responseFormat: lc.providerStrategy(Answer) });
    const { structuredResponse } = (await agent.invoke(says("1 + 2?"))) as Record<string, unknown>;
    t.note("response", structuredResponse);
  }),

  scenario(`${z.name}: a state schema of the agent and of a middleware`, async (lc, t) => {
    const count = lc.createMiddleware({
      name: "Count",
      stateSchema: z.object({ calls: z.or(z.number(), 0), _secret: z.or(z.string(), "s") }),
      afterModel: (state) => ({ calls: Number(state["calls"]) + 1, _secret: `${String(state["_secret"])}!` }),
    });
    const agent = lc.createAgent({
      model: ScriptedModel.saying("3", "4"),
      tools: [],
      stateSchema: z.object({ topic: z.or(z.string(), "maths"), maybe: z.optional(z.string()) }),
      middleware: [count],
      checkpointer: t.saver(),
    });
    for (const input of [says("go"), { ...says("on"), topic: "art", maybe: "m" }]) {
      const { messages: _, ...rest } = (await agent.invoke(input, thread("1"))) as Record<string, unknown>;
      t.note("rest", rest);
    }
  }),

  scenario(`${z.name}: a context schema of the agent and of a middleware`, async (lc, t) => {
    const seen: unknown[] = [];
    const looks = lc.createMiddleware({
      name: "Looks",
      contextSchema: z.object({ level: z.or(z.number(), 1) }),
      wrapModelCall: (request, handler) => {
        seen.push((request as unknown as { runtime: { context: unknown } }).runtime.context);
        return handler(request);
      },
    });
    const agent = lc.createAgent({
      model: ScriptedModel.saying("3"),
      tools: [],
      contextSchema: z.object({ user: z.string() }),
      middleware: [looks],
    });
    await agent.invoke(says("go"), { context: { user: "me", level: 2 } });
    t.note("seen", seen);
  }),
];

/** Each place of an agent that takes a schema takes those of zod 3, zod 4 and zod mini. */
export const zodVersions: readonly AgentScenario[] = versions
  .flatMap(everywhere)
  // langchain itself cannot: "value.optional is not a function"
  .filter(({ name }) => name !== "zod mini: a state schema of the agent and of a middleware");
