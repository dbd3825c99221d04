import {
  AIMessage,
  AIMessageChunk,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { OfflineChatModel } from "../src/model/offline/index.ts";
import { folderTools, openFolder } from "../src/tools/index.ts";
import { commitAll, makeFolder, PROJECT } from "./folder.ts";

/** A bare agent loop: what the model needs around it, and nothing more. */
async function ask(root: string, question: string, before: BaseMessage[] = []) {
  const tools = folderTools(await openFolder(root));
  const model = new OfflineChatModel().bindTools(tools);
  const messages: BaseMessage[] = [...before, new HumanMessage({ id: "q", content: question })];
  const calls: string[][] = [];
  for (let round = 0; round < 8; round += 1) {
    const reply = await model.invoke(messages);
    messages.push(reply);
    if (!reply.tool_calls?.length) return { answer: reply.text, calls, messages };
    calls.push(reply.tool_calls.map((call) => call.name));
    for (const call of reply.tool_calls) {
      const tool = tools.find(({ name }) => name === call.name);
      const result = await tool?.invoke(call.args as never).then(
        (text: unknown) => ({ content: String(text), status: "success" as const }),
        (error: Error) => ({ content: error.message, status: "error" as const }),
      );
      messages.push(new ToolMessage({ tool_call_id: call.id ?? "", ...(result ?? { content: "" }) }));
    }
  }
  throw new Error("the model never answered");
}

const readCall = (path: string) =>
  new AIMessage({ content: "", tool_calls: [{ id: "same", name: "read_file", args: { path } }] });

describe("the offline model", () => {
  it("says where something is defined, from what the search returned", async () => {
    const { answer, calls } = await ask(makeFolder(PROJECT), "Where is Boiler defined?");
    expect(answer).toContain("src/boiler.ts:2");
    expect(answer).toContain("src/schedule.ts");
    expect(calls[0]).toEqual(["search_files", "search_files"]);
  });

  it("says what changed, or that there is no repository", async () => {
    const root = makeFolder(PROJECT);
    expect((await ask(root, "what changed?")).answer).toMatch(/not in a git repository/);
    commitAll(root, "Boil water");
    expect((await ask(root, "what changed?")).answer).toMatch(/Boil water \(Ada, 5 files\)/);
  });

  it("summarises a file, also one that it has to find first", async () => {
    const root = makeFolder(PROJECT);
    expect((await ask(root, "summarise README.md")).answer).toMatch(
      /Safety · Schedule[\s\S]*schedule of who wants tea/,
    );
    const found = await ask(root, "Summarise guide");
    expect(found.calls).toEqual([["read_file"], ["list_files"], ["read_file"]]);
    expect(found.answer).toMatch(/docs\/guide\.md[\s\S]*vinegar/);
    expect((await ask(root, "summarise nowhere.md")).answer).toMatch(/There is no "nowhere.md"/);
  });

  it("shows a file that it is to read, the beginning of a long one, and one that has no sentence", async () => {
    const root = makeFolder({
      ...PROJECT,
      "a.txt": "x\n",
      "long.txt": Array.from({ length: 600 }, (_, line) => `row ${line}\n`).join(""),
    });
    expect((await ask(root, "Read a.txt")).answer).toBe("a.txt (1 line):\nx");
    expect((await ask(root, "summarise a.txt")).answer).toBe("a.txt (1 line):\nx");
    expect((await ask(root, "show me src/boiler.ts")).answer).toContain("  heat(): void {}");
    const { answer, calls } = await ask(root, "Please read long.txt");
    expect(calls).toEqual([["read_file"]]);
    expect(answer).toMatch(/^long\.txt \(600 lines\):\nrow 0\n[\s\S]*row 39\n\.\.\. \(560 more\)$/);
    expect((await ask(root, "Read README.md and summarise it")).answer).toMatch(/Safety · Schedule/);
  });

  it("explores a folder in several steps, some of them parallel", async () => {
    const { answer, calls } = await ask(makeFolder(PROJECT), "Explore the folder");
    expect(calls.length).toBeGreaterThan(1);
    expect(calls.some((round) => round.length > 1)).toBe(true);
    expect(answer).toMatch(/5 files[\s\S]*boils water/);
  });

  it("answers other questions with sentences of the files", async () => {
    const { answer } = await ask(makeFolder(PROJECT), "How often should I descale the kettle?");
    expect(answer).toMatch(/vinegar once a month.*\(docs\/guide\.md\)/);
  });

  it("knows what 'it' is when only a summary still says so", async () => {
    const summary = new SystemMessage({
      content: "Summary: the user asked about docs/guide.md.",
      additional_kwargs: { lc_source: "summarization" },
    });
    expect((await ask(makeFolder(PROJECT), "summarise it", [summary])).answer).toMatch(/vinegar/);
  });

  it("understands the same in Chinese", async () => {
    const root = makeFolder(PROJECT);
    expect((await ask(root, "总结一下 README.md")).answer).toMatch(/schedule of who wants tea/);
    expect((await ask(root, "Boiler 在哪里定义？")).answer).toContain("src/boiler.ts:2");
    expect((await ask(root, "最近改了什么？")).answer).toMatch(/not in a git repository/);
  });

  it("does not try to find a file name at every letter of a very long word", async () => {
    const { answer } = await ask(makeFolder(PROJECT), "x".repeat(1_000_000));
    expect(answer).toMatch(/^Ask me about the files/);
  });

  it("repeats what a tool said, and not the advice that came with it", async () => {
    const reply = await new OfflineChatModel().invoke([
      new HumanMessage("summarise a.md"),
      readCall("a.md"),
      new ToolMessage({
        content: 'Tool "read_file" failed: "a.md" is too large.\nCheck the arguments, or go on without it.',
        status: "error",
        tool_call_id: "same",
      }),
    ]);
    expect(reply.text).toBe('I could not read "a.md": "a.md" is too large.');
  });

  it("closes a turn whose question went under the summary", async () => {
    const call = { id: "c1", name: "read_file", args: { path: "a.md" }, type: "tool_call" as const };
    const reply = await new OfflineChatModel().invoke([
      new SystemMessage({ content: "Summary: ...", additional_kwargs: { lc_source: "summarization" } }),
      new AIMessage({ content: "", tool_calls: [call] }),
      new ToolMessage({ content: "a.md lines 1-1 of 1\nhello", tool_call_id: "c1" }),
    ]);
    expect(reply.text).toContain("read_file");
    expect(reply.tool_calls).toEqual([]);
  });

  it("pairs a reused call id with the result that follows its call", async () => {
    const reply = await new OfflineChatModel().invoke([
      new HumanMessage("summarise a.md"),
      readCall("a.md"),
      new ToolMessage({
        content: "a.md lines 1-1 of 1\nThe first file is about apples and their trees.",
        tool_call_id: "same",
      }),
      new AIMessage("done"),
      new HumanMessage("summarise b.md"),
      readCall("b.md"),
      new ToolMessage({
        content: "b.md lines 1-1 of 1\nThe second file is about bees and their hives.",
        tool_call_id: "same",
      }),
    ]);
    expect(reply.text).toMatch(/bees/);
    expect(reply.text).not.toMatch(/apples/);
  });

  it("gives equal replies to equal messages, and streams what it would say at once", async () => {
    const messages = [new HumanMessage({ id: "h", content: "help" })];
    const model = new OfflineChatModel();
    const whole = await model.invoke(messages);
    const chunks: AIMessageChunk[] = [];
    for await (const chunk of await model.stream(messages)) chunks.push(chunk);
    expect(chunks.length).toBeGreaterThan(10);
    expect(chunks.map((chunk) => chunk.text).join("")).toBe(whole.text);
    expect(chunks.at(-1)?.usage_metadata).toMatchObject({ output_tokens: expect.any(Number) });
    const bound = model.bindTools(folderTools(await openFolder(makeFolder(PROJECT))));
    const question = [new HumanMessage({ id: "h", content: "where is Boiler?" })];
    expect((await bound.invoke(question)).tool_calls).toEqual((await bound.invoke(question)).tool_calls);
  });

  it("stops in mid-answer when it is told to", async () => {
    const controller = new AbortController();
    const read = async (): Promise<void> => {
      for await (const _chunk of await new OfflineChatModel().stream([new HumanMessage("help")], {
        signal: controller.signal,
      })) {
        controller.abort();
      }
    };
    await expect(read()).rejects.toThrow(/abort/i);
  });

  it("asks for no tool that it was not given", async () => {
    const reply = await new OfflineChatModel().invoke([new HumanMessage("what changed?")]);
    expect(reply.tool_calls).toEqual([]);
    expect(reply.text).toMatch(/git_log/);
  });
});
