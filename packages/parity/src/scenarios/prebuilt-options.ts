import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { tool, type ToolRuntime } from "@langchain/core/tools";
import { z } from "zod";
import { ScriptedModel } from "../agents/model.ts";
import { type LangGraph, prebuiltOf } from "../engines.ts";
import { scenario } from "../scenario.ts";
import { thread } from "./kit.ts";
import {
  add,
  asking,
  broken,
  call,
  greeting,
  oneCall,
  question,
  said,
  talk,
  updates,
} from "./prebuilt-kit.ts";

const made = (name: string, act: (runtime: ToolRuntime) => unknown, more: object = {}) =>
  tool((_input: object, runtime: ToolRuntime) => act(runtime), {
    name,
    description: name,
    schema: z.object({}),
    ...more,
  } as never);

/** A command as it is seen: what it writes, and where it leads. */
function shown(output: unknown): unknown {
  if (Array.isArray(output)) return output.map(shown);
  const { lg_name: kind, update, goto, graph } = output as Record<string, unknown>;
  if (kind === "Command") {
    const targets = (goto as unknown[]).map((one) => (one as { node?: string }).node ?? one);
    return { update, graph, goto: targets };
  }
  const { messages } = output as { messages?: BaseMessage[] };
  return messages === undefined ? said(output as BaseMessage) : { messages: messages.map(said) };
}

const commanding = (lg: LangGraph) => {
  const own = new ToolMessage({ id: "own", content: "own", tool_call_id: "call-own" });
  return [
    made("own", () => new lg.Command({ update: { messages: [own] }, goto: "x" })),
    made("update", () => new lg.Command({ update: { k: 1 } })),
    made("send", () => new lg.Command({ graph: lg.Command.PARENT, goto: [new lg.Send("w", { a: 1 })] })),
    made("text", () => "text"),
    made("list", () => [new lg.Command({ update: { k: 2 } }), new lg.Command({ update: { k: 3 } })]),
  ];
};

const keys = (state: object): string => Object.keys(state).sort().join();

/** A model that asks for tools that work, fail, are not there and command. */
const troubled = () =>
  ScriptedModel.saying([call("add", { a: 1, b: 2 }), call("broken"), call("nope"), call("login")], "done");

const VERSIONS = ["v1", "v2"] as const;

/** Options of agents and tool nodes together. */
export const prebuiltOptions = [
  scenario("ToolNode: what tools return, of every kind", async (lg, t) => {
    const own = new ToolMessage({ id: "own", content: "own", tool_call_id: "other", artifact: { a: 1 } });
    const returned: Record<string, unknown> = {
      nothing: undefined,
      null: null,
      figure: 5,
      false: false,
      list: [1, { a: 1 }],
      blocks: [{ type: "text", text: "x" }],
      "empty text": "",
      date: new Date(0),
      bigint: 5n,
      message: new AIMessage({ id: "ai", content: "said" }),
      own,
    };
    for (const [kind, value] of Object.entries(returned)) {
      const node = new (prebuiltOf(lg).ToolNode)([made("x", () => value)]);
      const { messages } = (await node.invoke({ messages: [asking(call("x"))] })) as {
        messages: ToolMessage[];
      };
      t.note(
        kind,
        messages.map((message) => [said(message), message.artifact]),
      );
    }
  }),

  scenario("ToolNode: commands beside messages, for a state and for a list", async (lg, t) => {
    const node = new (prebuiltOf(lg).ToolNode)(commanding(lg) as never);
    for (const names of [
      ["own"],
      ["own", "text"],
      ["text", "update"],
      ["send", "text", "own"],
      ["list", "text"],
    ]) {
      const messages = [asking(...names.map((name) => call(name)))];
      t.note(names.join(), [shown(await node.invoke({ messages })), shown(await node.invoke(messages))]);
    }
  }),

  scenario("ToolNode: a list of commands, and commands beside messages, in a graph", async (lg, t) => {
    const State = lg.Annotation.Root({
      ...lg.MessagesAnnotation.spec,
      k: lg.Annotation<unknown[], unknown>({ reducer: (left, right) => [...left, right], default: () => [] }),
    });
    const graph = new lg.StateGraph(State)
      .addNode("tools", new (prebuiltOf(lg).ToolNode)(commanding(lg) as never), { ends: ["x"] })
      .addNode("x", () => ({ k: "x" }))
      .addEdge(lg.START, "tools")
      .compile();
    for (const names of [["own", "update", "text"], ["update"]]) {
      const { k, messages } = await graph.invoke({ messages: [asking(...names.map((name) => call(name)))] });
      t.note(names.join(), [k, messages.map(said)]);
    }
  }),

  scenario("options of an agent that are null are as if they were left out", async (lg, t) => {
    const options =
      "preModelHook postModelHook prompt stateModifier messageModifier stateSchema contextSchema name " +
      "description version includeAgentName checkpointer store interruptBefore interruptAfter";
    for (const option of options.split(" ")) {
      const agent = prebuiltOf(lg).createReactAgent({ llm: oneCall(), tools: [add], [option]: null });
      t.note(option, ((await agent.invoke(question())).messages as BaseMessage[]).map(said));
    }
  }),

  ...VERSIONS.flatMap((version) => [
    scenario(`an agent ${version}: calls that work, fail, name no tool and command`, async (lg, t) => {
      const login = made("login", ({ toolCallId }) => {
        const message = new ToolMessage({ id: "in", content: "in", tool_call_id: toolCallId });
        return new lg.Command({ update: { messages: [message] } });
      });
      const agent = (llm: ScriptedModel) =>
        prebuiltOf(lg).createReactAgent({ llm, tools: [add, broken, login] as never, version });
      const talking = troubled();
      await talk(t, agent(talking), talking);
      if (version === "v1") return await updates(t, agent(troubled()), question());
      const tasks: string[] = [];
      for await (const chunk of await agent(troubled()).stream(question(), { streamMode: "tasks" })) {
        const { name, triggers, error } = chunk as object as Record<string, unknown>;
        tasks.push(JSON.stringify([name, triggers, error]));
      }
      t.note("tasks", tasks.sort());
    }),

    scenario(
      `an agent ${version}: tools that return directly, beside others and when they fail`,
      async (lg, t) => {
        const direct = made("direct", () => "direct", { returnDirect: true });
        const failing = made("failing", () => Promise.reject(new Error("user: failed")), {
          returnDirect: true,
        });
        for (const names of [["direct", "add"], ["add", "direct"], ["failing"], ["add"]]) {
          const model = ScriptedModel.saying(
            names.map((name) => call(name, name === "add" ? { a: 1, b: 1 } : {})),
            "done",
          );
          const tools = [add, direct, failing] as never;
          await talk(t, prebuiltOf(lg).createReactAgent({ llm: model, tools, version }), model);
        }
      },
    ),

    scenario(`an agent ${version}: a tool that asks beside one that runs`, async (lg, t) => {
      let ran = 0;
      const ask = made(
        "ask",
        ({ config }) => `got ${(config as { interrupt(q: string): string }).interrupt("ok?")}`,
      );
      const count = made("count", () => `ran ${(ran += 1)}`);
      const model = ScriptedModel.saying([call("ask"), call("count")], "done");
      const agent = prebuiltOf(lg).createReactAgent({
        llm: model,
        tools: [ask, count] as never,
        version,
        checkpointer: t.saver(),
      });
      const asked = (await agent.invoke(question(), thread("1"))) as { __interrupt__?: { value: unknown }[] };
      t.note(
        "asked",
        asked.__interrupt__?.map(({ value }) => value),
      );
      t.note("next", (await agent.getState(thread("1"))).next);
      const answered = await agent.invoke(new lg.Command({ resume: "yes" }), thread("1"));
      t.note("answered", [(answered.messages as BaseMessage[]).map(said), ran]);
    }),

    scenario(`an agent ${version}: both hooks, a state, a prompt and a structured answer`, async (lg, t) => {
      const State = lg.Annotation.Root({
        ...lg.MessagesAnnotation.spec,
        user: lg.Annotation<string>(),
        structuredResponse: lg.Annotation<Record<string, unknown>>(),
        log: lg.Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
      });
      const model = oneCall();
      Object.assign(model, {
        withStructuredOutput: (_schema: unknown, options: unknown) =>
          RunnableLambda.from((messages: BaseMessage[]) => ({ asked: messages.length, options })),
      });
      const agent = prebuiltOf(lg).createReactAgent({
        llm: model,
        tools: [add],
        version,
        stateSchema: State,
        prompt: greeting as never,
        preModelHook: (state: typeof State.State) => ({
          llmInputMessages: state.messages.slice(-2),
          log: [`before ${keys(state)}`],
        }),
        postModelHook: (state: typeof State.State) => ({ log: [`after ${keys(state)}`] }),
        responseFormat: { schema: z.object({ asked: z.number() }), prompt: "structure", strict: true },
        name: "adder",
        description: "adds",
      } as never);
      await talk(t, agent as never, model, {}, { ...question(), user: "ada" });
      t.note("drawn", (await agent.getGraphAsync()).drawMermaid());
    }),
  ]),

  scenario(
    "an agent's names in messages of texts, blocks, plain texts among blocks, and chunks",
    async (lg, t) => {
      const prompts: unknown[] = [];
      const answers = [
        "<name>x</name>",
        "<content>y</content>",
        "a <name>x</name> b <content>y</content> c",
        "<name>x</name><content></content>",
        "",
        [
          { type: "text", text: "<name>n</name><content>c</content>" },
          { type: "text", text: "<name>n</name>" },
          { type: "text", text: "plain" },
          "text",
        ],
        "<name>\nx\n</name><content>\ny\n</content>",
      ];
      for (const content of answers) {
        const model = RunnableLambda.from((messages: BaseMessage[]) => {
          prompts.push(messages.map(said));
          return new AIMessage({ id: "answer", content: content as string, name: "before" });
        });
        const answer = (await prebuiltOf(lg)
          .withAgentName(model as never, "inline")
          .invoke([
            new HumanMessage({ id: "h", name: "bob", content: "hi" }),
            new AIMessage({ id: "1", name: "n", content: ["text", { type: "text", text: "t" }] as never }),
            new AIMessageChunk({ id: "2", name: "n", content: "chunk" }),
          ])) as BaseMessage;
        t.note("answer", said(answer));
      }
      t.note("prompts", prompts);
    },
  ),
];
