import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  fromAnthropic,
  fromGrouped,
  fromJsonLines,
  fromOpenAI,
  toAnthropic,
  toGrouped,
  toJsonLines,
  toOpenAI,
} from "../src/index.ts";
import { thread } from "./threads.ts";

const call = (id: string, args: string) => ({
  id,
  type: "function",
  function: { name: "find", arguments: args },
});
const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };

const use = (id: string) => ({ type: "tool_use", id, name: "find", input: { q: id } });
const found = (id: string, more = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content: `found ${id}`,
  ...more,
});
const results = (...ids: string[]) => ids.map((id) => ({ tool_call_id: id, content: `found ${id}` }));
const asked = (name: string) => ({
  role: "assistant",
  content: null,
  function_call: { name, arguments: "{}" },
});
const answer = (name: string, content: string) => ({ role: "function", name, content });
const timesOf = (list: readonly BaseMessage[]) =>
  list.map(({ id, additional_kwargs }) => [id, additional_kwargs["timestamp"]]);
const facts = (messages: readonly BaseMessage[]) =>
  messages.map((one) => [
    one.type,
    one.text,
    ((one as AIMessage).tool_calls ?? []).map(({ id, name, args }) => [id, name, args]),
    (one as ToolMessage).tool_call_id,
  ]);
const invalid = (field: string) =>
  expect.objectContaining({ code: "INVALID_MESSAGE", message: expect.stringContaining(field) });

describe("OpenAI's chat completions (B8)", () => {
  it.each([
    [{ role: "system", content: "Be brief." }],
    [{ role: "developer", content: "Be brief.", name: "dev" }],
    [{ role: "user", content: "" }],
    [{ role: "user", content: [{ type: "text", text: "See" }, image] }],
    [{ role: "assistant", content: null, tool_calls: [call("a", '{"q":1}'), call("b", "{}")] }],
    [{ role: "assistant", content: "both", tool_calls: [call("a", '{ "q": 1 }')] }],
    [{ role: "assistant", tool_calls: [call("a", "{}")] }],
    [{ role: "assistant", content: "", tool_calls: [call("a", "{}")] }],
    [{ role: "assistant", content: null }],
    [{ role: "assistant", content: null, refusal: "no" }],
    [{ role: "assistant", content: null, tool_calls: [call("a", '{"q":')] }],
    [{ role: "tool", content: "found", tool_call_id: "a" }],
    [{ role: "assistant", content: "done", tool_calls: null, function_call: null }],
    [{ role: "assistant", content: null, function_call: { name: "find", arguments: '{ "q": 1 }' } }],
    [{ role: "assistant", content: null, function_call: { name: "find", arguments: '{"q":' } }],
    [{ role: "function", name: "find", content: "found" }],
  ])("reads and writes back %j", (message) => expect(toOpenAI(fromOpenAI([message]))).toEqual([message]));

  it("a function_call and its answer, the form before tool_calls, belong together and come back as they were", () => {
    const given = [
      { role: "user", content: "go" },
      asked("find"),
      answer("find", "first"),
      asked("find"),
      answer("find", "second"),
      { role: "assistant", content: "done" },
    ];
    const read = fromOpenAI(given);
    expect(facts(read).map(([type, , calls, answered]) => [type, calls, answered])).toEqual([
      ["human", [], undefined],
      ["ai", [["function_call_1", "find", {}]], undefined],
      ["tool", [], "function_call_1"],
      ["ai", [["function_call_3", "find", {}]], undefined],
      ["tool", [], "function_call_3"],
      ["ai", [], undefined],
    ]);
    expect(toOpenAI(read)).toEqual(given);
    const [, call, answered] = read as [BaseMessage, AIMessage, ToolMessage];
    call.tool_calls?.push({ id: "b", name: "find", args: {} });
    expect(toOpenAI([call, answered])).toMatchObject([
      { tool_calls: [{ id: "function_call_1" }, { id: "b" }] },
      { role: "tool", tool_call_id: "function_call_1" },
    ]);
  });
  it.each([
    ["a call beside tool_calls", { role: "assistant", function_call: {}, tool_calls: [] }, "function_call"],
    ["a user's call", { role: "user", content: "", function_call: {} }, "function_call"],
    ["a call that is none", { role: "assistant", function_call: "find" }, "function_call"],
    ["an answer without a name", { role: "function", content: "" }, "messages[0].name"],
    [
      "a call of Anthropic's",
      { role: "assistant", content: [use("a")] },
      "no tool_use, which is Anthropic's",
    ],
    ["a result of Anthropic's", { role: "user", content: [found("a")] }, "no tool_result"],
  ])("refuses %s", (_, message, field) => expect(() => fromOpenAI([message])).toThrow(invalid(field)));

  it("arguments that are no JSON become invalid calls, and edited arguments are written anew", () => {
    const [broken, spaced] = fromOpenAI([
      { role: "assistant", content: null, tool_calls: [call("a", '{"q":')] },
      { role: "assistant", content: null, tool_calls: [call("a", '{ "q": 1 }')] },
    ]) as [AIMessage, AIMessage];
    expect([broken.tool_calls, broken.invalid_tool_calls]).toMatchObject([[], [{ id: "a", args: '{"q":' }]]);
    spaced.tool_calls = [{ id: "a", name: "find", args: { q: 2 } }];
    expect(toOpenAI([spaced])[0]?.tool_calls?.[0]?.function.arguments).toBe('{"q":2}');
  });
  it.each([
    ["nothing", undefined, "messages must"],
    ["no object", [null], "messages[0] must"],
    ["an unknown role", [{ role: "robot", content: "" }], "messages[0].role"],
    ["a wrong content", [{ role: "user", content: 5 }], "messages[0].content"],
    [
      "calls that are none",
      [{ role: "assistant", content: "", tool_calls: [{}] }],
      "messages[0].tool_calls[0]",
    ],
    ["a result of no call", [{ role: "tool", content: "" }], "messages[0].tool_call_id"],
  ])("refuses %s and names the field", (_what, messages, field) =>
    expect(() => fromOpenAI(messages)).toThrow(invalid(field)),
  );
});

describe("Anthropic's messages (B8)", () => {
  it.each([
    [{ system: "Be brief.", messages: [{ role: "user", content: "hi" }] }],
    [{ system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }], messages: [] }],
    [
      {
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "See" },
              { type: "image", source: { type: "url", url: "x" } },
            ],
          },
          { role: "assistant", content: [{ type: "text", text: "Looking" }, use("a"), use("b")] },
          { role: "user", content: [found("a"), found("b", { is_error: true })] },
          { role: "assistant", content: [use("a")] },
          { role: "user", content: [found("a", { content: [{ type: "text", text: "again" }] })] },
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "hm", signature: "s" },
              { type: "text", text: "Done" },
            ],
          },
        ],
      },
    ],
  ])("reads and writes back %j", (conversation) =>
    expect(toAnthropic(fromAnthropic(conversation))).toEqual(conversation),
  );

  it("one message per result is canonical, each with the name of its call (B7)", () => {
    const read = fromAnthropic({
      messages: [
        { role: "assistant", content: [use("a"), use("b")] },
        { role: "user", content: [found("a"), found("b"), { type: "text", text: "and now?" }] },
      ],
    });
    expect(read.map(({ type, name, text }) => [type, name, text])).toEqual([
      ["ai", undefined, ""],
      ["tool", "find", "found a"],
      ["tool", "find", "found b"],
      ["human", undefined, "and now?"],
    ]);
  });
  it("images are written in each one's way", () => {
    const content = [{ type: "text", text: "See" }, image];
    const [written] = toAnthropic(fromOpenAI([{ role: "user", content }])).messages;
    expect(written?.content).toMatchObject([
      { type: "text" },
      { type: "image", source: { media_type: "image/png", data: "AAAA" } },
    ]);
    expect(toOpenAI(fromAnthropic({ messages: [written] }))).toEqual([{ role: "user", content }]);
  });
  it.each([
    ["a list", [], "it must"],
    ["an unknown role", { messages: [{ role: "tool", content: "" }] }, "messages[0].role"],
    ["a wrong content", { messages: [{ role: "user", content: null }] }, "messages[0].content"],
    [
      "a result of nothing",
      { messages: [{ role: "user", content: [{ type: "tool_result" }] }] },
      "tool_use_id",
    ],
  ])("refuses %s and names the field", (_what, conversation, field) =>
    expect(() => fromAnthropic(conversation)).toThrow(invalid(field)),
  );
});

describe("several results in one tool message (B7, B8)", () => {
  it.each([
    [[{ role: "tool", tool_results: results("a", "b") }]],
    [
      [
        { role: "tool", tool_results: results("a") },
        { role: "tool", tool_results: results("b", "c") },
      ],
    ],
    [
      [
        {
          role: "tool",
          content: "see results",
          tool_results: [{ tool_call_id: "a", content: null, name: "find", ok: true }],
        },
      ],
    ],
    [
      [
        { role: "assistant", content: null, tool_calls: [{ id: "a", name: "find", args: {} }] },
        { role: "tool", tool_results: results("a") },
      ],
    ],
  ])("reads and writes back %j", (messages) => expect(toGrouped(fromGrouped(messages))).toEqual(messages));
  it.each([
    [
      "results of a user",
      [{ role: "user", content: "", tool_results: results("a") }],
      "there only if role is tool",
    ],
    ["no results", [{ role: "tool", tool_results: [] }], "messages[0].tool_results"],
    ["a result without call", [{ role: "tool", tool_results: [{ content: "x" }] }], "tool_call_id"],
  ])("refuses %s", (_what, messages, field) => expect(() => fromGrouped(messages)).toThrow(invalid(field)));
});

it("JSON Lines: what was read is written back, and a wrong line is named", () => {
  const text =
    '{"id":"a","topic":"t","messages":[{"role":"user","content":"hi"}]}\n{"id":"b","messages":[]}\n';
  expect(toJsonLines(fromJsonLines(text))).toBe(text);
  expect(() => fromJsonLines(`${text}\n{"id":"c"}`)).toThrow(invalid("line 4"));
});

it("ids and times are kept in files and not sent to providers (E9)", () => {
  const messages = [
    new HumanMessage({ id: "u", content: "hi", additional_kwargs: { timestamp: 7 } }),
    new ToolMessage({ id: "r", content: "x", tool_call_id: "1", additional_kwargs: { timestamp: 8 } }),
  ];
  for (const back of [
    fromOpenAI(toOpenAI(messages, { metadata: true })),
    fromAnthropic(toAnthropic(messages, { metadata: true })),
  ])
    expect(timesOf(back)).toEqual([
      ["u", 7],
      ["r", 8],
    ]);
  expect(JSON.stringify([toOpenAI(messages), toAnthropic(messages)])).not.toMatch(/"id":"u"|timestamp/u);
});

it("generated threads survive every format", () => {
  fc.assert(
    fc.property(thread, (messages) => {
      expect(facts(fromOpenAI(toOpenAI(messages)))).toEqual(facts(messages));
      expect(facts(fromGrouped(toGrouped(messages)))).toEqual(facts(messages));
      // there are no system messages in between there
      const rest = messages.filter((message) => !SystemMessage.isInstance(message));
      expect(facts(fromAnthropic(toAnthropic(rest)))).toEqual(facts(rest));
    }),
    { numRuns: 30 },
  );
});
