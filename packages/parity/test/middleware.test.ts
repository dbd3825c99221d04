import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { createAgent } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { Command } from "@skein/graph";
import * as ours from "@skein/middleware";
import { describe, expect, it } from "vitest";
import { call, flaky, looking } from "../src/agents/kit.ts";
import { type AgentEngine, here, type LangChain, there } from "../src/agents/langchains.ts";
import { ScriptedModel, type Reply } from "../src/agents/model.ts";
import { thread } from "../src/scenarios/kit.ts";

/** One program of an agent, written once; the middleware is ours or theirs, the agent too. */
interface Program {
  readonly replies: readonly Reply[];
  readonly ours: () => readonly object[];
  /** LangChain's, where it has the same. */
  readonly theirs?: (lc: LangChain) => readonly object[];
  readonly tools?: () => readonly object[];
  readonly text?: string;
  /** What a question is answered with. */
  readonly resume?: unknown;
  readonly structured?: unknown;
  /** What holds whoever runs it. */
  readonly expected: (facts: Facts) => void;
}

interface Facts {
  readonly lines: readonly string[];
  readonly prompts: readonly { readonly messages: readonly string[]; readonly tools: readonly string[] }[];
  readonly state: Record<string, unknown>;
  readonly asked: unknown;
}

const atOnce = { initialDelayMs: 0, jitter: false };
const busy = new Error("user: busy");
const look = () => [looking("look", () => "looked"), looking("find", () => "found")];
const broken = () => [
  looking("look", () => {
    throw new Error("user: broken");
  }),
];
const looks = [call("look", {}, "c1")];

const programs: Readonly<Record<string, Program>> = {
  "human approval: approve": {
    replies: [looks, "done"],
    tools: look,
    ours: () => [ours.humanInTheLoopMiddleware({ interruptOn: { look: true } })],
    theirs: (lc) => [lc.humanInTheLoopMiddleware({ interruptOn: { look: true } })],
    resume: { decisions: [{ type: "approve" }] },
    expected: ({ lines, asked }) => {
      expect(asked).toEqual({
        actionRequests: [
          { name: "look", args: {}, description: "Tool execution requires approval\n\nTool: look\nArgs: {}" },
        ],
        reviewConfigs: [{ actionName: "look", allowedDecisions: ["approve", "edit", "reject"] }],
      });
      expect(lines).toEqual(["human: go", "ai:  look({})", "tool: looked", "ai: done"]);
    },
  },
  "human approval: edit": {
    replies: [looks, "done"],
    tools: look,
    ours: () => [ours.humanInTheLoopMiddleware({ interruptOn: { look: true } })],
    theirs: (lc) => [lc.humanInTheLoopMiddleware({ interruptOn: { look: true } })],
    resume: { decisions: [{ type: "edit", editedAction: { name: "find", args: { text: "x" } } }] },
    expected: ({ lines }) =>
      expect(lines).toEqual(["human: go", 'ai:  find({"text":"x"})', "tool: found", "ai: done"]),
  },
  "human approval: reject": {
    replies: [looks, "then not"],
    tools: look,
    ours: () => [ours.humanInTheLoopMiddleware({ interruptOn: { look: true } })],
    theirs: (lc) => [lc.humanInTheLoopMiddleware({ interruptOn: { look: true } })],
    resume: { decisions: [{ type: "reject", message: "no" }] },
    expected: ({ lines }) =>
      expect(lines).toEqual(["human: go", "ai:  look({})", "tool!: no", "ai: then not"]),
  },
  "human approval: one rejected, one approved, with a timeout": {
    replies: [[call("look", {}, "c1"), call("find", {}, "c2")], "done"],
    tools: look,
    ours: () => [ours.humanInTheLoopMiddleware({ interruptOn: "all", timeout: { after: 60_000 } })],
    resume: { decisions: [{ type: "reject", message: "no" }, { type: "approve" }] },
    expected: ({ lines, asked }) => {
      expect(asked).toMatchObject({ expiresAt: expect.any(Number) });
      expect(lines).toEqual(["human: go", "ai:  look({}) find({})", "tool!: no", "tool: found", "ai: done"]);
    },
  },
  "model-call limit": {
    replies: [looks, looks, "never"],
    tools: look,
    ours: () => [ours.modelCallLimitMiddleware({ runLimit: 1 })],
    theirs: (lc) => [lc.modelCallLimitMiddleware({ runLimit: 1 })],
    expected: ({ lines, prompts, state }) => {
      expect(prompts).toHaveLength(1);
      expect(lines.slice(0, -1)).toEqual(["human: go", "ai:  look({})", "tool: looked"]);
      expect(lines.at(-1)).toContain("limit");
      expect(state["threadModelCallCount"]).toBe(1);
    },
  },
  "tool-call limit": {
    replies: [[call("look", {}, "c1"), call("look", {}, "c2")], "done"],
    tools: look,
    ours: () => [ours.toolCallLimitMiddleware({ toolName: "look", runLimit: 1 })],
    theirs: (lc) => [lc.toolCallLimitMiddleware({ toolName: "look", runLimit: 1 })],
    expected: ({ lines, state }) => {
      expect(lines.filter((line) => line.startsWith("tool!: "))).toEqual([expect.stringContaining("limit")]);
      expect(lines.filter((line) => line === "tool: looked")).toHaveLength(1);
      expect(lines.at(-1)).toBe("ai: done");
      expect(state["threadToolCallCount"]).toEqual({ look: 1 });
    },
  },
  "model retry": {
    replies: [busy, "fine"],
    ours: () => [ours.modelRetryMiddleware(atOnce)],
    theirs: (lc) => [lc.modelRetryMiddleware(atOnce)],
    expected: ({ lines }) => expect(lines).toEqual(["human: go", "ai: fine"]),
  },
  "tool retry": {
    replies: [[call("flaky", {}, "c1")], "done"],
    tools: () => [flaky(2)],
    ours: () => [ours.toolRetryMiddleware(atOnce)],
    theirs: (lc) => [lc.toolRetryMiddleware(atOnce)],
    expected: ({ lines }) =>
      expect(lines).toEqual(["human: go", "ai:  flaky({})", "tool: worked", "ai: done"]),
  },
  "model fallback": {
    replies: [busy],
    ours: () => [ours.modelFallbackMiddleware(ScriptedModel.saying(busy), ScriptedModel.saying("third"))],
    theirs: (lc) => [lc.modelFallbackMiddleware(ScriptedModel.saying(busy), ScriptedModel.saying("third"))],
    expected: ({ lines }) => expect(lines).toEqual(["human: go", "ai: third"]),
  },
  PII: {
    replies: ["bob@example.com"],
    text: "I am ann@example.com",
    ours: () => [
      ours.piiMiddleware("email", { strategy: "mask", applyToOutput: true }),
      ours.piiMiddleware("credit_card"),
    ],
    theirs: (lc) => [
      lc.piiMiddleware("email", { strategy: "mask", applyToOutput: true }),
      lc.piiMiddleware("credit_card", {}),
    ],
    expected: ({ lines, prompts }) => {
      expect(prompts[0]?.messages).toEqual(["human: I am a***@example.com"]);
      expect(lines).toEqual(["human: I am a***@example.com", "ai: b***@example.com"]);
    },
  },
  "to-do list": {
    replies: [[call("write_todos", { todos: [{ content: "x", status: "pending" }] }, "c1")], "done"],
    ours: () => [ours.todoListMiddleware()],
    theirs: (lc) => [lc.todoListMiddleware()],
    expected: ({ state, prompts, lines }) => {
      expect(state["todos"]).toEqual([{ content: "x", status: "pending" }]);
      expect(prompts[0]?.tools).toEqual(["write_todos"]);
      expect(prompts[0]?.messages[0]).toContain("write_todos");
      expect(lines.at(-1)).toBe("ai: done");
    },
  },
  "tool selector": {
    replies: ["done"],
    tools: look,
    structured: { tools: ["find"] },
    ours: () => [ours.llmToolSelectorMiddleware({ maxTools: 1 })],
    theirs: (lc) => [lc.llmToolSelectorMiddleware({ maxTools: 1 })],
    expected: ({ prompts }) => expect(prompts.map(({ tools }) => tools)).toEqual([["find"]]),
  },
  "dynamic system prompt": {
    replies: ["done"],
    ours: () => [ours.dynamicSystemPromptMiddleware(({ messages }) => `${messages.length} said`)],
    theirs: (lc) => [lc.dynamicSystemPromptMiddleware(({ messages }) => `${messages.length} said`)],
    expected: ({ prompts }) => expect(prompts[0]?.messages).toEqual(["system: 1 said", "human: go"]),
  },
  "tool emulator": {
    replies: [looks, "done"],
    tools: broken,
    ours: () => [ours.toolEmulatorMiddleware({ model: ScriptedModel.saying("made up") })],
    theirs: (lc) => [lc.toolEmulatorMiddleware({ model: ScriptedModel.saying("made up") })],
    expected: ({ lines }) =>
      expect(lines).toEqual(["human: go", "ai:  look({})", "tool: made up", "ai: done"]),
  },
  "loop guard: the model is told": {
    replies: [looks, looks, looks, "done"],
    tools: broken,
    ours: () => [ours.loopGuardMiddleware(), ours.toolRetryMiddleware({ maxRetries: 0 })],
    expected: ({ prompts, lines }) => {
      expect(prompts.map(({ messages }) => messages.at(-1)?.includes("[loop guard]"))).toEqual([
        false,
        false,
        false,
        true,
      ]);
      expect(lines.at(-1)).toBe("ai: done");
    },
  },
  "loop guard: the user is asked": {
    replies: [looks, looks, "thanks"],
    tools: broken,
    ours: () => [
      ours.loopGuardMiddleware({ consecutiveFailures: 2 }),
      ours.toolRetryMiddleware({ maxRetries: 0 }),
    ],
    resume: "look elsewhere",
    expected: ({ lines, asked }) => {
      expect(asked).toMatchObject({ type: "loop-guard", failures: 2 });
      expect(lines.slice(-2)).toEqual(["human: look elsewhere", "ai: thanks"]);
    },
  },
};

interface Runs {
  invoke(input: unknown, config: object): Promise<Record<string, unknown>>;
}

async function facts(
  program: Program,
  middleware: readonly object[],
  { make, resumed }: House,
): Promise<Facts> {
  // ids of replies differ, as a provider's do
  const model = new ScriptedModel({ replies: program.replies, prompts: [], said: 0 }, program.structured);
  const agent = make({
    model,
    tools: program.tools?.() ?? [],
    checkpointer: new MemorySaver(),
    middleware,
  });
  let state = await agent.invoke({ messages: [new HumanMessage(program.text ?? "go")] }, thread("1"));
  const [question] = (state["__interrupt__"] ?? []) as { value: unknown }[];
  if (program.resume !== undefined) state = await agent.invoke(resumed(program.resume), thread("1"));
  const lines = (state["messages"] as BaseMessage[]).map(inLine);
  return { lines, prompts: model.prompts, state, asked: question?.value };
}

function inLine(message: BaseMessage): string {
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
  const failed = (message as { status?: unknown }).status === "error" ? "!" : "";
  return `${message.type}${failed}: ${message.text}${calls.map(({ name, args }) => ` ${name}(${JSON.stringify(args)})`).join("")}`;
}

/** An agent's house: how it makes agents and resumes them. */
interface House {
  readonly make: (options: object) => Runs;
  readonly resumed: (resume: unknown) => unknown;
}

const skein: House = {
  make: (options) => createAgent(options as Parameters<typeof createAgent>[0]) as never,
  resumed: (resume) => new Command({ resume }),
};
const langchainOf = ({ lc, lg }: AgentEngine): House => ({
  make: (options) => lc.createAgent(options) as never,
  resumed: (resume) => new lg.Command({ resume }),
});

const each = Object.entries(programs);
const both = each.filter(([, program]) => program.theirs !== undefined);

describe.each([
  ["ours in our agent", skein],
  ["ours in langchain on LangGraph", langchainOf(there)],
  ["ours in langchain on Skein", langchainOf(here)],
])("middleware of one house under the agent of the other: %s", (_where, house) => {
  it.each(each)("%s", async (_name, program) => {
    expect.hasAssertions();
    program.expected(await facts(program, program.ours(), house));
  });
});

describe.each([
  ["theirs in our agent", skein, here],
  ["theirs in theirs, to know that the programs are right", langchainOf(there), there],
])("middleware of one house under the agent of the other: %s", (_where, house, { lc }) => {
  it.each(both)("%s", async (_name, program) => {
    expect.hasAssertions();
    program.expected(await facts(program, program.theirs?.(lc) ?? [], house));
  });
});
