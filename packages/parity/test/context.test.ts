import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { createAgent, fullMessages } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { countOrphans, isMarkedSummary, shortenedMark } from "@skein/context";
import { ClearToolUsesEdit, contextEditingMiddleware } from "@skein/middleware/context-editing";
import { recallMiddleware } from "@skein/middleware/recall";
import { runLoopsMiddleware } from "@skein/middleware/run-loops";
import { summarizationMiddleware } from "@skein/middleware/summarization";
import { toolOutputCompressionMiddleware } from "@skein/middleware/tool-output-compression";
import { toolOutputOffloadingMiddleware } from "@skein/middleware/tool-output-offloading";
import { describe, expect, it } from "vitest";
import { call, looking } from "../src/agents/kit.ts";
import { type AgentEngine, here, type LangChain, there } from "../src/agents/langchains.ts";
import { ScriptedModel } from "../src/agents/model.ts";
import { thread } from "../src/scenarios/kit.ts";

const TURNS = 6;
const log = (turn: number): string =>
  Array.from({ length: 40 }, (_, at) => `turn ${turn}, line ${at}: all is well`).join("\n");

/** Middleware that makes the context smaller, ours and theirs. */
const OURS: Readonly<Record<string, () => readonly object[]>> = {
  summarization: () => [
    summarizationMiddleware({
      summarizer: "extractive",
      trigger: { messages: 9 },
      keep: { messages: 5 },
    }),
  ],
  "compression of tool outputs": () => [
    toolOutputCompressionMiddleware({ keepTurns: 2, limit: 60, saveAtLeast: 0 }),
  ],
  "offloading of tool outputs": () => [toolOutputOffloadingMiddleware({ limit: 100, keep: 30 })],
  "context editing": () => [
    contextEditingMiddleware({
      edits: [new ClearToolUsesEdit({ trigger: { tokens: 1_000 }, keep: { messages: 1 }, saveAtLeast: 0 })],
    }),
  ],
  "run loops": () => [runLoopsMiddleware({ loops: 3, characters: 20 })],
  "offloading, then summaries": () => [
    toolOutputOffloadingMiddleware({ limit: 100, keep: 30 }),
    summarizationMiddleware({
      summarizer: "extractive",
      trigger: { messages: 9 },
      keep: { messages: 5 },
    }),
  ],
};
const THEIRS: Readonly<Record<string, (lc: LangChain) => readonly object[]>> = {
  summarization: (lc) => [
    lc.summarizationMiddleware({
      model: ScriptedModel.saying(...Array.from({ length: 20 }, (_, at) => `summary ${at}`)),
      trigger: { messages: 9 },
      keep: { messages: 5 },
    }),
  ],
  "context editing": (lc) => [
    lc.contextEditingMiddleware({
      edits: [new lc.ClearToolUsesEdit({ trigger: { tokens: 1_000 }, keep: { messages: 1 } })],
    }),
  ],
};

interface Runs {
  invoke(input: unknown, config: object): Promise<Record<string, unknown>>;
  getState(config: object): Promise<{ values: unknown }>;
}
type Make = (options: object) => Runs;

const skein: Make = (options) => createAgent(options as Parameters<typeof createAgent>[0]) as never;
const langchainOf =
  ({ lc }: AgentEngine): Make =>
  (options) =>
    lc.createAgent(options) as never;

/** Turns of a question, a call whose id is used in every turn, and an answer. */
async function talk(make: Make, middleware: readonly object[]) {
  let turn = 0;
  const replies = Array.from({ length: TURNS }, (_, at) => [
    [call("look", {}, "call_0")],
    `answer ${at}`,
  ]).flat();
  const model = new ScriptedModel({ replies, prompts: [], said: 0 });
  const agent = make({
    model,
    tools: [looking("look", () => log(turn))],
    checkpointer: new MemorySaver(),
    middleware,
  });
  for (; turn < TURNS; turn++)
    await agent.invoke({ messages: [new HumanMessage(`question ${turn}`)] }, thread("1"));
  const { values } = await agent.getState(thread("1"));
  return { model, state: values as { messages: BaseMessage[]; full_messages: BaseMessage[] } };
}

const SAID = Array.from({ length: TURNS }, (_, turn) => [
  `question ${turn}`,
  "",
  log(turn),
  `answer ${turn}`,
]).flat();
const sizeOf = (messages: readonly { readonly length: number }[]): number =>
  messages.reduce((sum, { length }) => sum + length, 0);

const HOUSES: readonly (readonly [string, Make])[] = [
  ["our agent", skein],
  ["langchain on LangGraph", langchainOf(there)],
  ["langchain on Skein", langchainOf(here)],
];

describe.each(HOUSES)(
  "our context middleware in %s: the context shrinks, the history stays whole",
  (_, make) => {
    it.each(Object.entries(OURS))("%s", async (_name, middleware) => {
      const { model, state } = await talk(make, middleware());
      const history = fullMessages(state);
      expect(history.map(({ text }) => text)).toEqual(SAID);
      expect(history.filter((message) => shortenedMark(message) ?? isMarkedSummary(message))).toEqual([]);
      expect(new Set(history.map(({ id }) => id)).size).toBe(SAID.length);
      expect(countOrphans(state.messages)).toBe(0);
      expect(sizeOf(model.prompts.at(-1)?.messages ?? [])).toBeLessThan(sizeOf(SAID) / 2);
    });

    it("recall reads what the context no longer shows", async () => {
      const search = call("search_history", { query: "What about heron?" }, "s");
      const recall = call("recall_tool_call", { call_id: "call_0" }, "r");
      const replies = [
        [call("look", {}, "call_0")],
        "first",
        "second",
        "third",
        "fourth",
        [search, recall],
        "done",
      ];
      const agent = make({
        model: new ScriptedModel({ replies, prompts: [], said: 0 }),
        tools: [looking("look", () => "the nest of the heron")],
        checkpointer: new MemorySaver(),
        middleware: [
          summarizationMiddleware({
            summarizer: () => "They looked.",
            trigger: { messages: 6 },
            keep: { messages: 1 },
          }),
          recallMiddleware(),
        ],
      });
      for (const text of ["I saw a heron", "and", "so", "on", "tell me"])
        await agent.invoke({ messages: [new HumanMessage(text)] }, thread("1"));
      const { values } = await agent.getState(thread("1"));
      const [found, recalled] = (values as { messages: BaseMessage[] }).messages
        .filter(({ type }) => type === "tool")
        .slice(-2);
      expect(found?.text).toContain("\nI saw a heron");
      expect(recalled?.text).toBe("look({}) returned:\nthe nest of the heron");
    });
  },
);

const asked = (turn: number, content = `question ${turn}`) => new HumanMessage({ id: `q${turn}`, content });
/** An agent that offloads and summarizes, where no write reaches two channels. */
const onLangGraph = (first: unknown[] = []) => {
  const replies = [...first, ...Array.from({ length: 12 }, (_, at) => `answer ${at}`)] as string[];
  const agent = langchainOf(there)({
    model: new ScriptedModel({ replies, prompts: [], said: 0 }),
    tools: [looking("look", () => log(0))],
    checkpointer: new MemorySaver(),
    middleware: OURS["offloading, then summaries"]?.() ?? [],
  });
  const say = (...messages: BaseMessage[]) => agent.invoke({ messages }, thread("1"));
  const tracks = async () => {
    const { values } = await agent.getState(thread("1"));
    const state = values as { messages: BaseMessage[]; full_messages: BaseMessage[] };
    return { context: state.messages.map(({ id }) => id), history: fullMessages(state) };
  };
  return { say, tracks };
};
const said = (turns: number): string[] =>
  Array.from({ length: turns }, (_, turn) => [`question ${turn}`, `answer ${turn}`]).flat();

describe("inside langchain's agent on LangGraph, where what is posted is appended or replaces", () => {
  it("an edit of a message that a summary covers stands in its place in the history (B4)", async () => {
    const { say, tracks } = onLangGraph();
    for (let turn = 0; turn < 6; turn++) await say(asked(turn));
    expect((await tracks()).context).not.toContain("q1");
    await say(asked(1, "edited"));
    const early = (await tracks()).history.map(({ id, text }) => id ?? text);
    expect(early.filter((id) => id.startsWith("q"))).toEqual(["q0", "q1", "q2", "q3", "q4", "q5"]);
    for (let turn = 6; turn < 10; turn++) await say(asked(turn));
    const { context, history } = await tracks();
    expect(context).not.toContain("q1");
    // the edit was answered where it was told
    const answers = ["question 5", "answer 5", "answer 6"];
    const rest = Array.from({ length: 4 }, (_, at) => [`question ${at + 6}`, `answer ${at + 7}`]).flat();
    const expected = [...said(5), ...answers, ...rest].map((text) => text.replace("question 1", "edited"));
    expect(history.map(({ text }) => text)).toEqual(expected);
  });

  it("an edit of a message that is archived and shown does not get lost with the next summary (B4)", async () => {
    const { say, tracks } = onLangGraph([[call("look", {}, "call_0")]]);
    for (let turn = 0; turn < 3; turn++) await say(asked(turn));
    await say(asked(0, "edited"), asked(3));
    for (let turn = 4; turn < 8; turn++) await say(asked(turn));
    const { context, history } = await tracks();
    expect(context).not.toContain("q0");
    const turns = Array.from({ length: 7 }, (_, at) => [`question ${at + 1}`, `answer ${at + 1}`]).flat();
    expect(history.map(({ text }) => text)).toEqual(["edited", "", log(0), "answer 0", ...turns]);
  });
});

describe("their context middleware in our agent: the history stays whole", () => {
  it.each(Object.entries(THEIRS))("%s", async (_name, middleware) => {
    const { model, state } = await talk(skein, middleware(here.lc));
    expect(state.full_messages.map(({ text }) => text)).toEqual(SAID);
    expect(state.full_messages.filter((message) => AIMessage.isInstance(message))).toHaveLength(2 * TURNS);
    expect(sizeOf(model.prompts.at(-1)?.messages ?? [])).toBeLessThan(sizeOf(SAID) / 2);
  });
});

it("what their middleware appends in our agent reaches both tracks, once (B2)", async () => {
  const { modelCallLimitMiddleware, todoListMiddleware, toolCallLimitMiddleware } = here.lc;
  const agent = skein({
    model: ScriptedModel.saying(
      [call("look", {}, "1"), call("look", {}, "2"), call("write_todos", { todos: [] }, "3")],
      [call("look", {}, "4")],
    ),
    tools: [looking("look", () => "all is well")],
    checkpointer: new MemorySaver(),
    middleware: [
      todoListMiddleware(),
      toolCallLimitMiddleware({ toolName: "look", runLimit: 1, exitBehavior: "continue" }),
      modelCallLimitMiddleware({ runLimit: 2, exitBehavior: "end" }),
    ],
  });
  await agent.invoke({ messages: [new HumanMessage("go")] }, thread("1"));
  const { values } = await agent.getState(thread("1"));
  const { messages, full_messages: history } = values as { [track: string]: BaseMessage[] };
  expect(history?.map(({ id, text }) => [id, text])).toEqual(messages?.map(({ id, text }) => [id, text]));
  const said = history?.map(({ text }) => text).join("\n");
  expect(said).toMatch(/tool call limit/iu);
  expect(said).toMatch(/model call limit/iu);
  expect(new Set(history?.map(({ id }) => id)).size).toBe(history?.length);
});
