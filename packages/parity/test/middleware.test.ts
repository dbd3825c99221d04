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

/** Asks about looking far, and about everything found. */
const farOnly = {
  interruptOn: {
    look: {
      allowedDecisions: ["approve" as const],
      description: ({ args }: { args: Record<string, unknown> }) => `look ${String(args["text"])}?`,
      argsSchema: { type: "object" },
      when: ({ toolCall }: { toolCall: { args: Record<string, unknown> } }) =>
        toolCall.args["text"] === "far",
    },
    find: true,
  },
  descriptionPrefix: "Ask first",
};
const inWords = (error: Error): string => `in words: ${error.message}`;
const isBroken = (error: Error): boolean => error.message.includes("broken");
const TYPES = ["email", "credit_card", "ip", "mac_address", "url"];
const MASKED = ["email", "credit_card", "ip"];
const masked = { strategy: "mask" as const };
const key = { ...masked, detector: /KEY-\d+/g };
const resultsOnly = { applyToInput: false, applyToToolResults: true };

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
  "human approval: a description, a schema, and a rule for some arguments": {
    replies: [
      [call("look", { text: "far" }, "c1"), call("look", { text: "near" }, "c2"), call("find", {}, "c3")],
      "done",
    ],
    tools: look,
    ours: () => [ours.humanInTheLoopMiddleware(farOnly)],
    theirs: (lc) => [lc.humanInTheLoopMiddleware(farOnly)],
    resume: { decisions: [{ type: "approve" }, { type: "approve" }] },
    expected: ({ lines, asked }) => {
      expect(asked).toEqual({
        actionRequests: [
          { name: "look", args: { text: "far" }, description: "look far?" },
          { name: "find", args: {}, description: "Ask first\n\nTool: find\nArgs: {}" },
        ],
        reviewConfigs: [
          { actionName: "look", allowedDecisions: ["approve"], argsSchema: { type: "object" } },
          { actionName: "find", allowedDecisions: ["approve", "edit", "reject"] },
        ],
      });
      expect(lines.filter((line) => line.startsWith("tool: "))).toHaveLength(3);
      expect(lines.at(-1)).toBe("ai: done");
    },
  },
  "human approval: false and tools that are not named run unasked": {
    replies: [[call("look", {}, "c1"), call("find", {}, "c2")], "done"],
    tools: look,
    ours: () => [ours.humanInTheLoopMiddleware({ interruptOn: { look: false } })],
    theirs: (lc) => [lc.humanInTheLoopMiddleware({ interruptOn: { look: false } })],
    expected: ({ lines, asked }) => {
      expect(asked).toBeUndefined();
      expect(lines).toEqual([
        "human: go",
        "ai:  look({}) find({})",
        "tool: looked",
        "tool: found",
        "ai: done",
      ]);
    },
  },
  "human approval: a rejection without words": {
    replies: [looks, "then not"],
    tools: look,
    ours: () => [ours.humanInTheLoopMiddleware({ interruptOn: { look: true } })],
    theirs: (lc) => [lc.humanInTheLoopMiddleware({ interruptOn: { look: true } })],
    resume: { decisions: [{ type: "reject" }] },
    expected: ({ lines }) => {
      expect(lines[2]).toMatch(/^tool!: .*rejected/u);
      expect(lines.at(-1)).toBe("ai: then not");
    },
  },
  "model-call limit: of the thread": {
    replies: [looks, looks, "never"],
    tools: look,
    ours: () => [ours.modelCallLimitMiddleware({ threadLimit: 2, exitBehavior: "end" })],
    theirs: (lc) => [lc.modelCallLimitMiddleware({ threadLimit: 2, exitBehavior: "end" })],
    expected: ({ lines, prompts }) => {
      expect(prompts).toHaveLength(2);
      expect(lines.at(-1)).toMatch(/^ai: .*limit/u);
    },
  },
  "tool-call limit: of all tools, ending the run": {
    replies: [looks, looks, "never"],
    tools: look,
    ours: () => [ours.toolCallLimitMiddleware({ runLimit: 1, exitBehavior: "end" })],
    theirs: (lc) => [lc.toolCallLimitMiddleware({ runLimit: 1, exitBehavior: "end" })],
    expected: ({ lines, prompts, state }) => {
      expect(prompts).toHaveLength(2);
      expect(lines.slice(2, 4)).toEqual(["tool: looked", "ai:  look({})"]);
      expect(lines[4]).toMatch(/^tool!: .*limit/u);
      expect(lines.at(-1)).toMatch(/^ai: .*limit/u);
      expect(state["threadToolCallCount"]).toEqual({ __all__: 1 });
    },
  },
  "model retry: a class of errors that is not meant, and words of one's own": {
    replies: [busy, "never"],
    ours: () => [ours.modelRetryMiddleware({ ...atOnce, retryOn: [TypeError], onFailure: inWords })],
    theirs: (lc) => [lc.modelRetryMiddleware({ ...atOnce, retryOn: [TypeError], onFailure: inWords })],
    expected: ({ lines, prompts }) => {
      expect(prompts).toHaveLength(1);
      expect(lines).toEqual(["human: go", "ai: in words: user: busy"]);
    },
  },
  "model retry: two attempts after the first by default, then a message": {
    replies: [busy, busy, busy, "never"],
    ours: () => [ours.modelRetryMiddleware(atOnce)],
    theirs: (lc) => [lc.modelRetryMiddleware(atOnce)],
    expected: ({ lines, prompts }) => {
      expect(prompts).toHaveLength(3);
      expect(lines.at(-1)).toMatch(/^ai: .*3.*user: busy/u);
    },
  },
  "tool retry: only the tools that are named, by a test, with words of one's own": {
    replies: [[call("look", {}, "c1")], "done"],
    tools: broken,
    ours: () => [
      ours.toolRetryMiddleware({ ...atOnce, tools: ["look"], retryOn: isBroken, onFailure: inWords }),
    ],
    theirs: (lc) => [
      lc.toolRetryMiddleware({ ...atOnce, tools: ["look"], retryOn: isBroken, onFailure: inWords }),
    ],
    expected: ({ lines }) =>
      expect(lines).toEqual(["human: go", "ai:  look({})", "tool!: in words: user: broken", "ai: done"]),
  },
  "PII: every type, redacted": {
    replies: ["done"],
    text: "ann@example.com 4242 4242 4242 4242 10.0.0.1 00:1B:44:11:3A:B7 https://example.com/a?b=c",
    ours: () => TYPES.map((type) => ours.piiMiddleware(type)),
    theirs: (lc) => TYPES.map((type) => lc.piiMiddleware(type, {})),
    expected: ({ prompts }) =>
      expect(prompts[0]?.messages).toEqual([
        "human: [REDACTED_EMAIL] [REDACTED_CREDIT_CARD] [REDACTED_IP] [REDACTED_MAC_ADDRESS] [REDACTED_URL]",
      ]),
  },
  "PII: masks": {
    replies: ["done"],
    text: "ann@example.com 4242-4242-4242-4242 10.20.30.40 KEY-12345678",
    ours: () => [...MASKED.map((type) => ours.piiMiddleware(type, masked)), ours.piiMiddleware("key", key)],
    theirs: (lc) => [...MASKED.map((type) => lc.piiMiddleware(type, masked)), lc.piiMiddleware("key", key)],
    expected: ({ prompts }) =>
      expect(prompts[0]?.messages).toEqual([
        "human: a***@example.com ****-****-****-4242 *******0.40 ********5678",
      ]),
  },
  "PII: results of tools, and not the input": {
    replies: [looks, "done"],
    text: "I am ann@example.com",
    tools: () => [looking("look", () => "bob@example.com")],
    ours: () => [ours.piiMiddleware("email", resultsOnly)],
    theirs: (lc) => [lc.piiMiddleware("email", resultsOnly)],
    expected: ({ lines, prompts }) => {
      expect(prompts[1]?.messages).toEqual([
        "human: I am ann@example.com",
        "ai:  look({})",
        "tool: [REDACTED_EMAIL]",
      ]);
      expect(lines[2]).toBe("tool: [REDACTED_EMAIL]");
    },
  },
  "to-do list: texts of one's own": {
    replies: ["done"],
    ours: () => [ours.todoListMiddleware({ systemPrompt: "Plan.", toolDescription: "Lists." })],
    theirs: (lc) => [lc.todoListMiddleware({ systemPrompt: "Plan.", toolDescription: "Lists." })],
    expected: ({ prompts }) => expect(prompts[0]?.messages[0]).toMatch(/^system: \s*Plan\.$/u),
  },
  "tool selector: what is always offered is not asked about": {
    replies: ["done"],
    tools: () => [...look(), looking("help", () => "helped")],
    structured: { tools: ["find", "look"] },
    ours: () => [ours.llmToolSelectorMiddleware({ maxTools: 1, alwaysInclude: ["help"] })],
    theirs: (lc) => [lc.llmToolSelectorMiddleware({ maxTools: 1, alwaysInclude: ["help"] })],
    expected: ({ prompts }) => expect(prompts.map(({ tools }) => tools)).toEqual([["find", "help"]]),
  },
  "tool emulator: only the tools that are named": {
    replies: [[call("look", {}, "c1"), call("find", {}, "c2")], "done"],
    tools: look,
    ours: () => [ours.toolEmulatorMiddleware({ tools: ["look"], model: ScriptedModel.saying("made up") })],
    theirs: (lc) => [lc.toolEmulatorMiddleware({ tools: ["look"], model: ScriptedModel.saying("made up") })],
    expected: ({ lines }) => expect(lines.slice(2, 4)).toEqual(["tool: made up", "tool: found"]),
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
