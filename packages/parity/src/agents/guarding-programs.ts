import * as ours from "@skein/middleware";
import { expect } from "vitest";
import { call, looking } from "./kit.ts";
import type { Program } from "./programs.ts";

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

export const guarding: Readonly<Record<string, Program>> = {
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
