import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent, type AnyAgentMiddleware } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { createTokenCounter, shortenedMark } from "@skein/context";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ClearToolUsesEdit, contextEditingMiddleware } from "../src/context-editing/index.ts";
import { toolOutputCompressionMiddleware } from "../src/tool-output-compression/index.ts";
import { toolOutputOffloadingMiddleware } from "../src/tool-output-offloading/index.ts";
import { call, recorded, saying, says } from "./replies.ts";
import { ScriptedModel } from "./scripted-model.ts";

const rows = (count: number) =>
  JSON.stringify({
    success: true,
    count,
    rows: Array.from({ length: count }, (_, id) => ({ id, fare: 100 + id })),
  });
const log = (lines: number) => Array.from({ length: lines }, (_, at) => `line ${at}: all is well`).join("\n");

/** Calls `list` and `read` in every turn, always with the same ids. */
function setup(middleware: readonly AnyAgentMiddleware[], size = 60) {
  const model = new ScriptedModel((messages) => {
    const last = messages.at(-1) as BaseMessage;
    if (last.type !== "human") return new AIMessage("Here you are.");
    return new AIMessage({
      content: "",
      tool_calls: [
        { id: "call_0", name: "list", args: { what: last.text } },
        { id: "call_1", name: "read", args: { what: last.text } },
      ],
    });
  });
  const schema = z.object({ what: z.string() });
  const agent = createAgent({
    model,
    systemPrompt: "You help.",
    tools: [
      tool(() => rows(size), { name: "list", description: "Lists", schema }),
      tool(() => log(size), { name: "read", description: "Reads", schema }),
    ],
    checkpointer: new MemorySaver(),
    middleware,
  });
  const thread = { configurable: { thread_id: "t" } };
  return {
    model,
    ask: async (turns: number) => {
      for (let turn = 0; turn < turns; turn++)
        await agent.invoke({ messages: [new HumanMessage(`question ${turn}`)] }, thread);
      return (await agent.getState(thread)).values as unknown as {
        messages: BaseMessage[];
        full_messages: BaseMessage[];
      };
    },
  };
}

const results = (messages: readonly BaseMessage[]) => messages.filter(({ type }) => type === "tool");
const shortened = (messages: readonly BaseMessage[]) =>
  messages.filter((one) => shortenedMark(one) !== undefined);
const lineOf = (message: BaseMessage): string =>
  JSON.stringify([message.type, message.content, (message as AIMessage).tool_calls ?? []]);

/** How often a prompt is not the one before it and something more. */
function changes(prompts: readonly (readonly BaseMessage[])[]): number {
  return prompts.slice(1).filter((prompt, at) => {
    const before = (prompts[at] as BaseMessage[]).map(lineOf);
    return before.some((line, index) => line !== lineOf(prompt[index] as BaseMessage));
  }).length;
}

function expectHistoryWhole(history: readonly BaseMessage[], turns: number, size = 60): void {
  expect(history).toHaveLength(turns * 5);
  expect(shortened(history)).toEqual([]);
  expect(new Set(results(history).map(({ text }) => text))).toEqual(new Set([rows(size), log(size)]));
}

describe("compression of tool outputs (C12)", () => {
  it("outlines JSON and keeps the ends of texts, never of the last five turns; the history keeps all", async () => {
    const { ask } = setup([toolOutputCompressionMiddleware({ saveAtLeast: 0 })]);
    const { messages, full_messages } = await ask(7);
    expectHistoryWhole(full_messages, 7);
    expect(results(messages).map((one) => shortenedMark(one)?.by)).toEqual([
      ...Array.from({ length: 4 }, () => "compressed"),
      ...Array.from({ length: 10 }, () => undefined),
    ]);
    const [list, read] = results(messages) as [BaseMessage, BaseMessage];
    expect(list.text).toBe(
      '{"success":true,"count":60,"rows":[{"id":0,"fare":100},{"id":1,"fare":101},"[56 of 60 elements left out]",' +
        `{"id":58,"fare":158},{"id":59,"fare":159}]}\n[outline of ${createTokenCounter().text(rows(60))} tokens of JSON]`,
    );
    expect(read.text).toMatch(
      /^line 0: .*\[\.\.\. \d+ of \d+ tokens left out \.\.\.\].*line 59: all is well$/su,
    );
    expect(createTokenCounter().text(read.text)).toBeLessThan(230);
  });
  it("waits until it saves enough, and changes the prompt's beginning only then", async () => {
    const often = setup([toolOutputCompressionMiddleware({ saveAtLeast: 0 })]);
    await often.ask(12);
    const seldom = setup([toolOutputCompressionMiddleware({ saveAtLeast: 3_000 })]);
    await seldom.ask(12);
    expect(changes(often.model.prompts)).toBe(7);
    expect(changes(seldom.model.prompts)).toBeLessThan(3);
  });
  it("leaves excluded tools alone", async () => {
    const { ask } = setup([toolOutputCompressionMiddleware({ saveAtLeast: 0, excludeTools: ["list"] })]);
    const { messages } = await ask(6);
    expect(shortened(messages).map(({ name }) => name)).toEqual(["read"]);
  });
});

describe("offloading of tool outputs", () => {
  it("keeps beginning, end, size and call id of what is too large, before a model sees it", async () => {
    const size = 2_000;
    const { ask, model } = setup([toolOutputOffloadingMiddleware({ limit: 500, keep: 100 })], size);
    const { messages, full_messages } = await ask(3);
    expectHistoryWhole(full_messages, 3, size);
    expect(results(messages).map((one) => shortenedMark(one)?.by)).toEqual(
      Array.from({ length: 6 }, () => "offloaded"),
    );
    const [, read] = results(messages) as [BaseMessage, BaseMessage];
    expect(read.text).toMatch(
      /^line 0: .*tokens left out; the whole result is kept under call id "call_1" \.\.\.\].*line 1999: all is well$/su,
    );
    expect(changes(model.prompts)).toBe(0);
    expect(Math.max(...model.prompts.map((prompt) => createTokenCounter().messages(prompt)))).toBeLessThan(
      1_500,
    );
  });
});

const clearing = (options = {}) =>
  contextEditingMiddleware({
    edits: [new ClearToolUsesEdit({ trigger: { tokens: 4_000 }, saveAtLeast: 0, ...options })],
  });

describe("context editing (C13)", () => {
  it("clears all but the newest three results above its trigger, once, and the history keeps them", async () => {
    const { ask, model } = setup([clearing()]);
    const { messages, full_messages } = await ask(6);
    expectHistoryWhole(full_messages, 6);
    const cleared = results(messages).filter(({ text }) => text === "[cleared]");
    expect(cleared.length).toBeGreaterThan(0);
    expect(
      results(messages)
        .slice(-3)
        .every(({ text }) => text !== "[cleared]"),
    ).toBe(true);
    expect(changes(model.prompts)).toBe(1);
  });
  it("clears the arguments as well when told to, and spares excluded tools", async () => {
    const { ask } = setup([
      clearing({ clearToolInputs: true, excludeTools: ["read"], keep: { messages: 0 } }),
    ]);
    const { messages, full_messages } = await ask(5);
    expectHistoryWhole(full_messages, 5);
    const names = new Set(
      results(messages)
        .filter(({ text }) => text === "[cleared]")
        .map(({ name }) => name),
    );
    expect(names).toEqual(new Set(["list"]));
    const first = messages.find((one) => AIMessage.isInstance(one));
    expect(first?.tool_calls).toMatchObject([{ args: {} }, { args: { what: "question 0" } }]);
    const [cleared] = first?.tool_calls ?? [];
    expect(first?.response_metadata).toEqual({ context_editing: { cleared_tool_inputs: [cleared?.id] } });
  });
  it("a reply without its arguments still says how it is to be read", () => {
    const args = { what: "x".repeat(9_000) };
    const reply = new AIMessage({
      id: "a",
      content: [{ type: "tool_call", id: "c1", name: "list", args }],
      tool_calls: [{ name: "list", args, id: "c1" }],
      response_metadata: {
        output_version: "v1",
        model_provider: "openai",
        output: [args],
        usage: { input: 1 },
        context_editing: { cleared_tool_inputs: ["b1"] },
      } as object,
    });
    const result = new ToolMessage({ id: "t", content: "list", tool_call_id: "c1" });
    const all = { trigger: { messages: 1 }, keep: { messages: 0 }, clearToolInputs: true };
    const scope = { counter: createTokenCounter(), tokens: 1, window: 1 };
    const { replace } = new ClearToolUsesEdit(all).plan([reply, result], scope);
    const shown = replace.find((one) => AIMessage.isInstance(one));
    expect(shown?.content).toEqual([{ type: "tool_call", id: "c1", name: "list", args: {} }]);
    expect(shown?.response_metadata).toEqual({
      output_version: "v1",
      model_provider: "openai",
      context_editing: { cleared_tool_inputs: ["b1", "c1"] },
    });
  });
  it("fractions are of the window that the profile of the agent's model says", async () => {
    const options = { trigger: { fraction: 0.9 }, keep: { messages: 0 }, saveAtLeast: 1 };
    const shownBy = async (maxInputTokens: number | undefined, window?: number) => {
      const model = saying([call("list")], "done");
      Object.defineProperty(model, "profile", { value: { maxInputTokens } });
      const agent = createAgent({
        model,
        tools: [recorded("list", () => "word ".repeat(400))],
        middleware: [
          contextEditingMiddleware({
            edits: [new ClearToolUsesEdit(options)],
            ...(window === undefined ? {} : { window }),
          }),
        ],
      });
      const { messages } = await agent.invoke(says("go"));
      return messages[2]?.text === "[cleared]";
    };
    expect(await shownBy(200)).toBe(true);
    expect(await shownBy(20_000)).toBe(false);
    expect(await shownBy(200, 20_000)).toBe(false);
    expect(await shownBy(undefined)).toBe(false);
  });
  it.each([
    ["an empty trigger", { trigger: [] }],
    ["a trigger of nothing", { trigger: {} }],
    ["a negative number", { trigger: { tokens: -1 } }],
    ["a fraction above 1", { keep: { fraction: 2 } }],
    ["two sizes to keep", { keep: { messages: 3, tokens: 500 } }],
  ])("refuses %s", (_what, options) => {
    expect(() => new ClearToolUsesEdit(options)).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIGURATION" }),
    );
  });
});

it("options that contradict each other are refused", () => {
  const invalid = expect.objectContaining({ code: "INVALID_CONFIGURATION" });
  expect(() => toolOutputOffloadingMiddleware({ limit: 100, keep: 100 })).toThrow(invalid);
  expect(() => toolOutputCompressionMiddleware({ limit: -1 })).toThrow(invalid);
  expect(() => contextEditingMiddleware({ edits: [{ apply: () => undefined } as never] })).toThrow(
    /LangChain/u,
  );
});
