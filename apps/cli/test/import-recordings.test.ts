import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolder } from "./folder.ts";
import { inside } from "./inside.ts";
import { oddRecordings } from "./recordings.ts";

const line = (id: string, ...messages: unknown[]): string => `${JSON.stringify({ id, messages })}\n`;
const said = (role: string, content: string) => ({ role, content });
const openAICall = { id: "1", type: "function", function: { name: "f", arguments: "{}" } };
const recorded = line(
  "a",
  said("system", "Be brief."),
  said("user", "hi"),
  said("system", "Be kind."),
  said("assistant", "ho"),
);

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
    "openai.jsonl": line("a", { role: "assistant", content: null, tool_calls: [openAICall] }),
    "thread.jsonl": '{"skein":"thread","format":1,"thread":"t"}\n',
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
    ["openai.jsonl", [], /"tool_calls"\?: \[\{"id", "name", "args"\}\].*OpenAI's form/],
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
    expect((await run("import", file("a.jsonl"), "--as", "b")).json).toMatchObject([{ threadId: "b" }]);
  });
});

it("skein replay --system: system messages in the tracks are as good as others", async () => {
  const { file, run } = inFolder({ "odd.jsonl": oddRecordings() });
  const options = ["--system", "keep-in-place", "--join", "--window", "6", "--trigger", "8"];
  const { code, json } = await run("replay", file("odd.jsonl"), ...options);
  expect(code).toBe(0);
  expect(json.at(-1)).toMatchObject({ ok: true, equal: true, orphans: 0, uncovered: 0 });
});
