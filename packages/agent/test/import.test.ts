import { SystemMessage, type BaseMessage } from "@langchain/core/messages";
import { MemorySaver } from "@skein/checkpointer";
import type { SystemPolicy } from "@skein/context";
import { describe, expect, it } from "vitest";
import { createAgent, createMiddleware } from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };
type Tracks = { messages: BaseMessage[]; full_messages: BaseMessage[] };
const texts = (messages: readonly BaseMessage[]): string[] => messages.map(({ text }) => text);

const said = (id: string, content: string) => ({ role: "user", id, content });

const conversation = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "hi" },
  { role: "assistant", content: "ho" },
  { role: "system", content: "Be kind." },
  { role: "user", content: "still there?" },
  { role: "assistant", content: "yes" },
];

describe("an imported conversation (B5)", () => {
  it.each<[SystemPolicy, string[], string | undefined]>([
    ["external", ["hi", "ho", "still there?", "yes"], "Be kind."],
    ["keep-first", ["Be brief.", "hi", "ho", "still there?", "yes"], "Be kind."],
    ["keep-in-place", conversation.map(({ content }) => content), undefined],
  ])(
    "%s: what stays is in both tracks, the prompt is in neither and comes first",
    async (policy, kept, prompt) => {
      const checkpointer = new MemorySaver();
      const goodbye = createMiddleware({ name: "goodbye", afterAgent: () => undefined });
      const importer = createAgent({ model: new ScriptedModel(), middleware: [goodbye], checkpointer });
      const { systemPrompt, added } = await importer.importMessages(thread, conversation, {
        systemMessages: policy,
      });
      expect([systemPrompt, added]).toEqual([prompt, kept.length]);
      const { next, values } = await importer.getState(thread);
      expect(next).toEqual([]);
      const { messages, full_messages } = values as unknown as Tracks;
      expect(texts(messages)).toEqual(kept);
      expect(texts(full_messages)).toEqual(kept);
      expect(
        full_messages.every(({ id, additional_kwargs }) => id && additional_kwargs["timestamp"]),
      ).toBeTruthy();

      const model = new ScriptedModel("on we go", "and on");
      const agent = createAgent({ model, checkpointer, systemPrompt: systemPrompt ?? "" });
      for (const text of ["go on", "and?"]) await agent.invoke({ messages: text }, thread);
      const before = [...(prompt === undefined ? [] : [prompt]), ...kept, "go on"];
      expect(model.sent.map(texts)).toEqual([before, [...before, "on we go", "and?"]]);
      const after = (await agent.getState(thread)).values as unknown as Tracks;
      expect(texts(after.full_messages)).toEqual([...kept, "go on", "on we go", "and?", "and on"]);
    },
  );

  it.each([
    ["no prompt", undefined],
    ["an empty one", ""],
    ["an empty message", new SystemMessage("")],
    ["an empty block", new SystemMessage({ content: [{ type: "text", text: "" }] })],
  ])("%s means no system message", async (_, systemPrompt) => {
    const model = new ScriptedModel("ok");
    const agent = createAgent({ model, ...(systemPrompt === undefined ? {} : { systemPrompt }) });
    await agent.invoke({ messages: "hi" });
    expect(model.sent.map((sent) => sent.map(({ type }) => type))).toEqual([["human"]]);
  });

  it("counts what it appended: of messages with one id the last stands, in the place of the first", async () => {
    const agent = createAgent({ model: new ScriptedModel(), checkpointer: new MemorySaver() });
    const none = null as never;
    const first = await agent.importMessages(thread, [said("a", "1"), said("a", "2"), said("b", "3")], none);
    expect(first.added).toBe(2);
    const second = await agent.importMessages(thread, [
      said("b", "4"),
      said("c", "5"),
      { role: "user", content: "6" },
    ]);
    expect(second.added).toBe(2);
    const { full_messages } = (await agent.getState(thread)).values as unknown as Tracks;
    expect(texts(full_messages)).toEqual(["2", "4", "5", "6"]);
  });

  it("refuses what is no message, and a policy that there is not, before anything is stored", async () => {
    const agent = createAgent({ model: new ScriptedModel(), checkpointer: new MemorySaver() });
    const wrong = [{ nonsense: 1 }] as never;
    await expect(agent.importMessages(thread, wrong)).rejects.toMatchObject({ code: "INVALID_MESSAGE" });
    await expect(agent.importMessages(undefined as never, conversation)).rejects.toMatchObject({
      code: "MISSING_THREAD_ID",
    });
    const drop = { systemMessages: "drop" as never };
    await expect(agent.importMessages(thread, conversation, drop)).rejects.toMatchObject({
      code: "INVALID_CONFIGURATION",
    });
    expect((await agent.getState(thread)).values).toEqual({});
  });
});
