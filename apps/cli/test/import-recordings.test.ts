import { join } from "node:path";
import type { BaseMessage } from "@langchain/core/messages";
import { toAnthropic, toGrouped, toOpenAI } from "@skein/context";
import { describe, expect, it } from "vitest";
import { openStore } from "../src/database.ts";
import { makeFolder } from "./folder.ts";
import { inside } from "./inside.ts";
import { oddRecordings } from "./recordings.ts";

const line = (id: string, ...messages: unknown[]): string => `${JSON.stringify({ id, messages })}\n`;
const said = (role: string, content: string) => ({ role, content });
const recorded = line(
  "a",
  said("system", "Be brief."),
  said("user", "hi"),
  said("system", "Be kind."),
  said("assistant", "ho"),
);

const call = (id: string, name: string, args: string) => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const one = (id: string) => ({ id, name: "f", args: {} });

function inFolder(files: Record<string, string>) {
  const cwd = makeFolder(files);
  const db = join(cwd, "t.db");
  return {
    file: (name: string): string => join(cwd, name),
    run: (...args: string[]) => inside([...args, "--db", db, "--json"]),
  };
}

describe("skein import of recorded conversations (B5, B8)", () => {
  it.each([
    ["external", ["hi", "ho"], "Be kind."],
    ["keep-first", ["Be brief.", "hi", "ho"], "Be kind."],
    ["keep-in-place", ["Be brief.", "hi", "Be kind.", "ho"], null],
  ])("--system %s", async (policy, texts, systemPrompt) => {
    const { file, run } = inFolder({ "a.jsonl": recorded + line("b", said("user", "only")) });
    const { code, json } = await run("import", file("a.jsonl"), "--system", policy);
    expect(code).toBe(0);
    expect(json).toMatchObject([{ thread: "a", messages: texts.length, systemPrompt }, { thread: "b" }]);
    const shown = await run("show", "a");
    const { history, context } = shown.json[0] as { [key: string]: { content: string }[] };
    expect(history?.map(({ content }) => content)).toEqual(texts);
    expect(context?.map(({ content }) => content)).toEqual(texts);
    const again = await run("import", file("a.jsonl"));
    expect(again.json).toMatchObject([{ thread: "a.2" }, { thread: "b.2" }]);
  });

  it("takes a name for one conversation, and says what is wrong", async () => {
    const { file, run } = inFolder({
      "one.jsonl": recorded,
      "two.jsonl": recorded + recorded,
      "no.jsonl": "{}\n",
    });
    expect((await run("import", file("one.jsonl"), "--as", "x")).json).toMatchObject([{ thread: "x" }]);
    const two = await run("import", file("two.jsonl"), "--as", "y");
    expect([two.code, two.stderr]).toEqual([2, expect.stringContaining("holds 2 conversations")]);
    expect((await run("import", file("no.jsonl"))).code).toBe(2);
    expect((await run("import", file("one.jsonl"), "--system", "drop")).code).toBe(2);
  });
});

describe("skein import says what a file is", () => {
  const files = {
    "marked.jsonl": `\uFEFF${recorded}`,
    "empty.jsonl": "",
    "blank.jsonl": "\n \n",
    "cut.jsonl": recorded.slice(0, 40),
    "text.jsonl": '{"id":"a","messages":"x"}\n',
    "other.jsonl": '{"a":1}\n',
    "calls.jsonl": line("a", { role: "assistant", content: null, tool_calls: [{ id: 1 }] }),
    "openai.jsonl": line("a", { ...said("assistant", ""), tool_calls: [{ function: { name: "f" } }] }),
    "no-id.jsonl": '{"messages":[]}\n',
    "thread.jsonl": '{"skein":"thread","format":1,"thread":"t"}\n',
    "list.jsonl": `${JSON.stringify([said("user", "hi")])}\n`,
    "later-list.jsonl": `${recorded}${JSON.stringify([said("user", "hi")])}\n`,
    "anthropic.jsonl": line("a", {
      role: "assistant",
      content: [{ type: "tool_use", id: "u", name: "f", input: {} }],
    }),
    "system.jsonl": `${JSON.stringify({ system: "Be brief.", messages: [said("user", "hi")] })}\n`,
  };

  it("reads one that begins with the mark of its byte order", async () => {
    const { file, run } = inFolder(files);
    expect((await run("import", file("marked.jsonl"))).json).toMatchObject([{ thread: "a" }]);
  });

  it.each([
    ["empty.jsonl", [], /is empty/],
    ["blank.jsonl", [], /is empty/],
    ["cut.jsonl", [], /Line 1 of .* cut off/],
    ["text.jsonl", [], /messages must be an array/],
    ["other.jsonl", [], /neither the head of an exported thread nor a conversation/],
    ["calls.jsonl", [], /calls.jsonl:1: .*tool_calls\[0\].id .*"tool_calls"\?: \[\{"id", "name", "args"\}\]/],
    ["openai.jsonl", [], /messages\[0\].tool_calls\[0\] must be .* OpenAI's chat completions .* --format/],
    ["no-id.jsonl", [], /id must be a string/],
    ["thread.jsonl", ["--format", "openai"], /--format is for recorded conversations/],
    ["list.jsonl", [], /Line 1 of .* is a list by itself.* {"id": "a name", "messages": \[\.\.\.\]}/],
    ["later-list.jsonl", [], /later-list.jsonl:2: Line 2 is a list by itself/],
    ["anthropic.jsonl", ["--format", "openai"], /no tool_use, which is Anthropic's/],
    [
      "system.jsonl",
      ["--format", "openai"],
      /"system" beside the messages is Anthropic's: --format anthropic/,
    ],
    [".", [], /is a folder/],
    ["/dev/null", [], /no regular file/],
    ["missing.jsonl", [], /There is no file/],
    ["thread.jsonl", ["--system", "keep-first"], /--system is for recorded conversations/],
  ])("%s %j", async (name, options, wanted) => {
    const { file, run } = inFolder(files);
    const { code, stderr } = await run("import", name.startsWith("/") ? name : file(name), ...options);
    expect([code, stderr]).toEqual([2, expect.stringMatching(wanted)]);
  });

  it("reads an exported thread without --system", async () => {
    const { file, run } = inFolder(files);
    await run("import", file("marked.jsonl"));
    const db = file("t.db");
    const { stdout } = await inside(["export", "a", file("a.jsonl"), "--db", db]);
    expect(stdout).toContain(`import ${file("a.jsonl")} --db ${db}`);
    expect((await run("import", file("a.jsonl"), "--as", "b")).json).toMatchObject([{ thread: "b" }]);
  });
});

it("the form of OpenAI's before tool_calls is read, and show tells of calls whose arguments are no JSON", async () => {
  const asked = { role: "assistant", content: null };
  const { file, run } = inFolder({
    "old.jsonl": line(
      "a",
      said("user", "hi"),
      { ...asked, function_call: { name: "weather", arguments: '{"city":"Oslo"}' } },
      { role: "function", name: "weather", content: "rain" },
      { ...asked, function_call: { name: "odd", arguments: "{" } },
    ),
  });
  expect((await run("import", file("old.jsonl"))).json).toMatchObject([{ thread: "a", messages: 4 }]);
  const shown = await inside(["show", "a", "--db", file("t.db")]);
  expect(shown.stdout).toContain("odd (arguments are no JSON: {)");
  const { history } = (await run("show", "a")).json[0] as { history: object[] };
  expect(history).toMatchObject([
    {},
    { tool_calls: [{ name: "weather", args: { city: "Oslo" } }] },
    { role: "tool", name: "weather", content: "rain" },
    { invalid_tool_calls: [{ name: "odd", args: "{" }] },
  ]);
});

describe("skein import of conversations as providers write them (B8)", () => {
  const openai = [
    said("system", "Be brief."),
    said("user", "What is the weather, and what is not JSON?"),
    {
      role: "assistant",
      content: null,
      tool_calls: [call("c1", "weather", '{"city": "Oslo"}'), call("c2", "odd", "{")],
    },
    { role: "tool", tool_call_id: "c1", content: "rain" },
    { role: "tool", tool_call_id: "c2", content: "what?" },
    {
      role: "user",
      content: [
        { type: "text", text: "And here?" },
        { type: "image_url", image_url: { url: "https://e.org/a" } },
      ],
    },
    said("assistant", "Rain, too."),
  ];
  const anthropic = [
    said("user", "hi"),
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "c1", name: "weather", input: { city: "Oslo" } }],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "rain" }] },
    said("assistant", "Rain."),
  ];
  const grouped = [
    { id: "m1", ...said("user", "hi") },
    { id: "m2", role: "assistant", content: null, tool_calls: [one("1"), one("2")] },
    {
      role: "tool",
      tool_results: [
        { id: "m3", tool_call_id: "1", content: "a" },
        { id: "m4", tool_call_id: "2", content: "b" },
      ],
    },
    { id: "m5", ...said("assistant", "ho") },
  ];

  it.each([
    ["OpenAI's", openai, toOpenAI, []],
    ["OpenAI's", openai, toOpenAI, ["--format", "openai"]],
    ["Anthropic's", anthropic, (read: BaseMessage[]) => toAnthropic(read).messages, []],
    ["several results in one message", grouped, toGrouped, []],
  ])("%s: what was imported can be written as it was", async (_, messages, written, options) => {
    const { file, run } = inFolder({ "a.jsonl": `${JSON.stringify({ messages })}\n` });
    const { json } = await run("import", file("a.jsonl"), "--system", "keep-in-place", ...options);
    expect(json).toMatchObject([{ thread: "a-1" }]);
    const store = await openStore(file("t.db"), "read");
    expect(written(await store.history("a-1"))).toEqual(messages);
    await store.close();
  });
});

it("skein replay --system: system messages in the tracks are as good as others", async () => {
  const { file, run } = inFolder({ "odd.jsonl": oddRecordings() });
  const options = ["--system", "keep-in-place", "--join", "--window", "6", "--trigger", "8"];
  const { code, json } = await run("replay", file("odd.jsonl"), ...options);
  expect(code).toBe(0);
  expect(json.at(-1)).toMatchObject({ ok: true, equal: true, orphans: 0, uncovered: 0 });
});
