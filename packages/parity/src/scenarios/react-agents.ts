import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { ScriptedModel } from "../agents/model.ts";
import { prebuiltOf } from "../engines.ts";
import { scenario } from "../scenario.ts";
import { thread } from "./kit.ts";
import { call, add, report, question, updates, talk, oneCall, greeting, refuse } from "./prebuilt-kit.ts";

/** createReactAgent: prompts, state, hooks, structured answers. */
export const reactAgents = [
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
];
