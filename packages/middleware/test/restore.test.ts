import { AIMessage, type BaseMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { type AnyAgentMiddleware, createAgent, type Restore } from "@skein/agent";
import { textOf } from "@skein/context";
import { Command, interrupt } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SAVERS } from "../../agent/test/savers.ts";
import { presetContext } from "../src/presets/index.ts";
import { runLoopsMiddleware } from "../src/run-loops/index.ts";
import { toolOutputCompressionMiddleware } from "../src/tool-output-compression/index.ts";
import { archiveReads, loops, q, summaries, talking, thread, user } from "./restarts.ts";
import { ScriptedModel } from "./scripted-model.ts";

describe.each(SAVERS)('restore: "rebuild", on %s (B6)', (name, makeSaver) => {
  it("the same configuration gives the same prompts, byte for byte, and reads no history", async () => {
    const saver = makeSaver();
    const reads = archiveReads(saver);
    const restarted = talking(saver);
    const exact = talking(makeSaver());
    for (let n = 0; n < 12; n += 1) {
      const prompt = await restarted.say(q(n), summaries());
      expect(prompt).toEqual(await exact.say(q(n), summaries(), "exact"));
    }
    expect(reads.count).toBe(0);
    expect((await restarted.tracks()).full_messages).toHaveLength(24);
  });

  it("a larger window shows again what was summarized, and the summary is not written anew", async () => {
    const saver = makeSaver();
    const { say, tracks, lost, onEvent } = talking(saver);
    const model = new ScriptedModel(() => new AIMessage("Summary of questions."));
    for (let n = 0; n < 10; n += 1) await say(q(n), summaries({ model, onEvent }));
    const before = await tracks();
    const written = model.prompts.length;
    const reads = archiveReads(saver);
    const larger = summaries({ model, onEvent, trigger: { messages: 14 }, keep: { messages: 10 } });
    const prompt = await say(q(10), larger);
    const once = reads.count;
    expect(once).toBe(name.startsWith("a saver") ? 0 : 1);
    expect(user(prompt).length).toBeGreaterThanOrEqual(5);
    expect(user(prompt).at(-1)).toBe("q10");
    expect(prompt[0]).toContain("Summary of questions.");
    expect(model.prompts).toHaveLength(written);
    expect(await lost()).toEqual([]);
    expect((await tracks()).full_messages.slice(0, -2)).toEqual(before.full_messages);
    const read = reads.count;
    await say(q(11), larger);
    expect(reads.count).toBe(read);
    // a window that holds all needs no summary
    const whole = await say(
      q(12),
      summaries({ onEvent, trigger: { messages: 100 }, keep: { messages: 50 } }),
    );
    expect(user(whole)).toEqual(Array.from({ length: 13 }, (_, n) => q(n)));
    expect(whole).toHaveLength(25);
  });

  it("a branch from an old checkpoint is rebuilt from its own history", async () => {
    const { say, agentWith, lost, onEvent } = talking(makeSaver());
    const narrow = summaries({ onEvent });
    for (let n = 0; n < 6; n += 1) await say(q(n), narrow);
    const { config } = await agentWith(narrow).getState(thread, { archive: false });
    for (let n = 6; n < 9; n += 1) await say(q(n), narrow);
    const wide = summaries({ onEvent, trigger: { messages: 40 }, keep: { messages: 20 } });
    const prompt = await say("q20", wide, undefined, config);
    expect(user(prompt)).toEqual(["q0", "q1", "q2", "q3", "q4", "q5", "q20"]);
    expect(await lost()).toEqual([]);
  });

  it("what somebody removed stays removed; an edit that was told as news stays where it was told", async () => {
    const { say, agentWith, onEvent } = talking(makeSaver());
    const narrow = summaries({ onEvent });
    for (let n = 0; n < 8; n += 1) await say(q(n), narrow);
    const agent = agentWith(narrow);
    await agent.updateState(thread, { messages: [new RemoveMessage({ id: "q7" })] });
    await agent.updateState(thread, { messages: [new HumanMessage({ id: "q1", content: "q99" })] });
    const wide = summaries({ onEvent, trigger: { messages: 60 }, keep: { messages: 40 } });
    expect(user(await say(q(8), wide))).toEqual(["q0", "q2", "q3", "q4", "q5", "q6", "q99", "q8"]);
  });
});

describe('restore: "rebuild" (B6)', () => {
  const [, makeSaver] = SAVERS[0] as (typeof SAVERS)[number];

  it("a smaller window summarizes only what the last summary does not cover", async () => {
    const { say, lost, onEvent } = talking(makeSaver());
    const model = new ScriptedModel(() => new AIMessage("Summary of questions."));
    for (let n = 0; n < 10; n += 1) await say(q(n), summaries({ model, onEvent }));
    const written = model.prompts.length;
    const prompt = await say(
      q(10),
      summaries({ model, onEvent, trigger: { messages: 4 }, keep: { messages: 2 } }),
    );
    expect(prompt.length).toBeLessThanOrEqual(4);
    expect(await lost()).toEqual([]);
    const asked = textOf(model.prompts.at(-1)?.at(-1) as BaseMessage);
    expect(model.prompts).toHaveLength(written + 1);
    expect(asked).toContain("Summary of questions.");
    expect(asked).not.toMatch(/\bq0\b/u);
  });

  it('"exact" takes the context as it was saved, whatever the configuration', async () => {
    const saver = makeSaver();
    const { say, tracks } = talking(saver);
    for (let n = 0; n < 10; n += 1) await say(q(n), summaries());
    const { messages } = await tracks();
    const reads = archiveReads(saver);
    const larger = { trigger: { messages: 40 }, keep: { messages: 20 } };
    const prompt = await say(q(10), summaries(larger), "exact");
    expect(prompt).toEqual([...messages.map(({ text }) => text), "q10"]);
    expect(await say(q(11), summaries({ ...larger, restore: "exact" }))).toHaveLength(messages.length + 3);
    expect(reads.count).toBe(0);
  });

  it("an interrupted turn goes on in the context of the new configuration", async () => {
    const saver = makeSaver();
    const { say, prompts } = talking(saver);
    for (let n = 0; n < 10; n += 1) await say(q(n), summaries());
    const ask = tool(() => String(interrupt("?")), { name: "ask", description: "", schema: z.object({}) });
    const agentOf = (middleware: AnyAgentMiddleware[]) =>
      createAgent({
        model: new ScriptedModel((messages) => {
          prompts.push(messages);
          if (messages.at(-1)?.type === "tool") return new AIMessage("done");
          return new AIMessage({ content: "", tool_calls: [{ id: "c", name: "ask", args: {} }] });
        }),
        tools: [ask],
        middleware,
        checkpointer: saver,
      });
    await agentOf(summaries()).invoke(
      { messages: [new HumanMessage({ id: "q10", content: "q10" })] },
      thread,
    );
    const wide = summaries({ trigger: { messages: 60 }, keep: { messages: 40 } });
    await agentOf(wide).invoke(new Command({ resume: "yes" }), thread);
    const texts = (prompts.at(-1) as BaseMessage[]).map(({ text }) => text);
    expect(user(texts)).toEqual(Array.from({ length: 11 }, (_, n) => q(n)));
    expect(texts.slice(-3)).toEqual(["q10", "", "yes"]);
  });

  it("more loops, longer outputs and another preset: each starts from what was said", async () => {
    const { say, tracks } = talking(makeSaver());
    for (let n = 0; n < 6; n += 1) await say(q(n), loops(1));
    expect((await tracks()).messages.length).toBeLessThan(6);
    expect(user(await say(q(6), loops(4)))).toEqual(["q2", "q3", "q4", "q5", "q6"]);
    const preset = presetContext("development", { now: () => 0 });
    const prompt = await say(q(7), preset);
    expect(user(prompt)).toEqual(Array.from({ length: 8 }, (_, n) => q(n)));
    expect(prompt.filter((text) => text.includes("[truncated]"))).toEqual([]);
    expect(user(await say(q(8), loops(2)))).toEqual(["q6", "q7", "q8"]);
  });

  it("outputs that were compressed are whole again where the limit rose", async () => {
    const saver = makeSaver();
    const long = "found it. ".repeat(400);
    const look = tool(() => long, { name: "look", description: "", schema: z.object({}) });
    const prompts: BaseMessage[][] = [];
    const agentOf = (limit: number) =>
      createAgent({
        model: new ScriptedModel((messages) => {
          prompts.push(messages);
          if (messages.at(-1)?.type === "tool") return new AIMessage("done");
          return new AIMessage({ content: "", tool_calls: [{ id: "c", name: "look", args: {} }] });
        }),
        tools: [look],
        middleware: [toolOutputCompressionMiddleware({ limit, keepTurns: 1, saveAtLeast: 1 })],
        checkpointer: saver,
      });
    const outputs = () =>
      (prompts.at(-1) as BaseMessage[]).flatMap((m) => (m.type === "tool" ? m.text.length : []));
    for (const _ of [1, 2, 3]) await agentOf(200).invoke({ messages: "look" }, thread);
    expect(outputs().map((length) => length === long.length)).toEqual([false, false, true]);
    await agentOf(100_000).invoke({ messages: "look" }, thread);
    expect(outputs()).toEqual([long.length, long.length, long.length, long.length]);
  });

  it("a summarizer that fails leaves the context as it was saved; the next turn tries again", async () => {
    const { say, tracks, lost, onEvent } = talking(makeSaver());
    for (let n = 0; n < 6; n += 1) await say(q(n), loops(1));
    const { messages } = await tracks();
    let works = false;
    const summarizer = () => {
      if (!works) throw new Error("no summary today");
      return "Six questions.";
    };
    const options = {
      summarizer,
      onEvent,
      tries: 1,
      cooldown: 0,
      trigger: { messages: 6 },
      keep: { messages: 4 },
    };
    const failed = await say(q(6), summaries(options));
    expect(failed.slice(0, messages.length)).toEqual(messages.map(({ text }) => text));
    works = true;
    const prompt = await say(q(7), summaries(options));
    expect(prompt[0]).toContain("Six questions.");
    expect(await lost()).toEqual([]);
  });

  it("refuses a way of restoring that there is not", () => {
    const wrong = { restore: "rebuilt" as Restore };
    expect(() => runLoopsMiddleware(wrong)).toThrow(/restore must be one of rebuild, exact/u);
    const model = new ScriptedModel(() => new AIMessage(""));
    expect(() => createAgent({ model, ...wrong })).toThrow(/restore must be "rebuild" or "exact"/u);
  });
});
