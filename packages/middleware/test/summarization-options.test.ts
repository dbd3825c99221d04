import { GraphError } from "@skein/errors";
import { describe, expect, it, vi } from "vitest";
import { summarizationNode, type SummarizationOptions } from "../src/summarization/index.ts";
import { append, newThread, user } from "./harness.ts";
import { base, watched } from "./watched-node.ts";

const failing = (): never => {
  throw new Error("broken");
};

describe("configuration", () => {
  it.each([
    [{}, "either a `model` or a `summarizer`"],
    [{ summarizer: "extractive", trigger: { messages: 6 } }, "nothing would be older"],
    [{ summarizer: "extractive", timeout: 0 }, "timeout"],
    [{ summarizer: "extractive", timeout: Infinity }, "timeout"],
    [{ model: { invoke: async () => "x" }, maxInputTokens: 100 }, "maxInputTokens"],
    [{ model: { invoke: async () => "x" }, summaryPrompt: "Sum up." }, "{messages}"],
    [{ model: "" }, "model must be a chat model"],
    [{ summarizer: "abstractive" as never }, "summarizer must be"],
    [{ summarizer: "extractive", fallback: "maybe" as never }, "fallback must be"],
    [{ summarizer: "extractive", tokenCounter: "gpt2" as never }, "tokenCounter must be"],
    [{ summarizer: "extractive", trigger: { messages: -1 } }, "trigger.messages"],
    [{ summarizer: "extractive", trigger: { tokens: 100 }, target: { tokens: 200 } }, "above the target"],
    [{ summarizer: "extractive", trigger: { tokens: 900 }, max: { tokens: 500 } }, "below the trigger"],
    [{ summarizer: "extractive", trigger: { tokens: 40 } }, "fill the 20 tokens"],
  ] as [Partial<SummarizationOptions>, string][])("%j is refused at once", (options, why) => {
    let error: unknown;
    try {
      summarizationNode({ ...base, ...options });
    } catch (caught) {
      error = caught;
    }
    expect(GraphError.is(error, "INVALID_CONFIGURATION")).toBe(true);
    expect((error as Error).message).toContain(why);
  });

  it("token triggers count as they are told: a function, js-tiktoken, the profile's window", async () => {
    const thread = newThread();
    append(thread, ...Array.from({ length: 9 }, (_, index) => user(`message ${index}`)));
    const due = async (options: Partial<SummarizationOptions>): Promise<boolean> =>
      (
        await watched({
          summarizer: "extractive",
          keep: { messages: 2 },
          summaryTokens: 20,
          ...options,
        }).node(thread)
      ).messages !== undefined;
    expect(await due({ trigger: { tokens: 9003 }, tokenCounter: (messages) => messages.length * 1000 })).toBe(
      true,
    );
    expect(await due({ trigger: { tokens: 9004 }, tokenCounter: (messages) => messages.length * 1000 })).toBe(
      false,
    );
    expect(await due({ trigger: { tokens: 1000 }, tokenCounter: "tiktoken" })).toBe(false);
    expect(await due({ trigger: { messages: 9 }, tokenCounter: "tiktoken" })).toBe(true);
    const model = Object.assign({ invoke: async () => "short" }, { profile: { maxInputTokens: 20_000 } });
    const node = summarizationNode({
      model,
      trigger: { fraction: 0.5 },
      keep: { messages: 2 },
      tokenCounter: (messages) => messages.length * 1200,
    });
    expect((await node(thread)).messages).toBeDefined();
  });
});

describe("a function of the configuration that fails", () => {
  it.each([
    ["a trigger", { trigger: () => failing() }],
    ["a counter", { tokenCounter: () => failing() }],
    ["a clock", { now: () => failing(), trigger: { age: 1 } }],
  ] as [string, Partial<SummarizationOptions>][])(
    "%s that throws is reported, and the run goes on (E3)",
    async (_what, options) => {
      const { node, of } = watched({ summarizer: "extractive", ...options });
      const thread = newThread();
      const timed = user("when?");
      timed.additional_kwargs["timestamp"] = 1;
      append(thread, timed, ...Array.from({ length: 9 }, (_, index) => user(`message ${index}`)));
      expect(await node(thread, {})).toEqual({});
      expect(of("compaction-error")).toEqual([{ type: "compaction-error", message: "broken" }]);
    },
  );

  it.each([
    ["throws", () => failing()],
    ["rejects", async () => failing()],
  ])("a trigger that fires for nothing says so; a listener that %s stops nothing", async (_how, onEvent) => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const node = summarizationNode({
      ...base,
      summarizer: "extractive",
      trigger: { turns: 1 },
      onEvent,
    });
    const thread = newThread();
    append(thread, user("only one"));
    const written: unknown[] = [];
    expect(await node(thread, { writer: (chunk) => written.push(chunk) })).toEqual({});
    expect(written).toMatchObject([
      { type: "compaction-skip", reason: "nothing-older", fired: "turns 1 >= 1" },
    ]);
    expect(warn).toHaveBeenCalledOnce();
    warn.mockRestore();
  });
});
