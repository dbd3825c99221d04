import { AIMessage, HumanMessage, RemoveMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { createAgent, type AnyAgentMiddleware, type Restore } from "@skein/agent";
import { CHANGE_SETS, type ChangeSets, type Opened, type StoredLog } from "@skein/checkpointer";
import { textOf } from "@skein/context";
import { Command, interrupt, Overwrite, REMOVE_ALL_MESSAGES } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { SAVERS } from "../../agent/test/savers.ts";
import { presetContext } from "../src/presets/index.ts";
import { runLoopsMiddleware } from "../src/run-loops/index.ts";
import { summarizationMiddleware, type SummarizationMiddlewareOptions } from "../src/summarization/index.ts";
import { toolOutputCompressionMiddleware } from "../src/tool-output-compression/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };
type Values = { messages: BaseMessage[]; full_messages: BaseMessage[] };
type Told = { readonly coveredIds: readonly string[] };

/** How often archives were read as a whole. */
function archiveReads(saver: BaseCheckpointSaver): { count: number } {
  const reads = { count: 0 };
  const sets = (saver as { [CHANGE_SETS]?: ChangeSets })[CHANGE_SETS];
  if (sets === undefined) return reads;
  const watched = (opened: Opened): Opened => {
    for (const image of opened.checkpoint?.channels.values() ?? []) {
      if (image.kind !== "log") continue;
      const log = image as { -readonly [K in keyof StoredLog]: StoredLog[K] };
      const { load } = log;
      log.load = () => {
        reads.count += 1;
        return load.call(image);
      };
    }
    return opened;
  };
  const open = sets.open.bind(sets);
  sets.open = (...args) => {
    const opened = open(...args);
    return opened instanceof Promise ? opened.then(watched) : watched(opened);
  };
  return reads;
}

/** Turns of a thread, each by an agent of its own, as after a restart. */
function talking(saver: BaseCheckpointSaver) {
  const prompts: BaseMessage[][] = [];
  const covered = new Set<string>();
  const onEvent = (event: object): void => {
    for (const id of (event as Partial<Told>).coveredIds ?? []) covered.add(id);
  };
  const agentWith = (middleware: AnyAgentMiddleware[], restore?: Restore) => {
    const model = new ScriptedModel((messages) => {
      prompts.push(messages);
      return new AIMessage(
        `Answer to: ${textOf(messages.at(-1) as BaseMessage)}. ${"It is long. ".repeat(8)}`,
      );
    });
    return createAgent({
      model,
      tools: [],
      middleware,
      checkpointer: saver,
      ...(restore === undefined ? {} : { restore }),
    });
  };
  const say = async (
    text: string,
    middleware: AnyAgentMiddleware[],
    restore?: Restore,
    config: object = thread,
  ) => {
    const agent = agentWith(middleware, restore);
    await agent.invoke({ messages: [new HumanMessage({ id: text, content: text })] }, config);
    return (prompts.at(-1) as BaseMessage[]).map(({ text: said }) => said);
  };
  const tracks = async () => (await agentWith([]).getState(thread)).values as unknown as Values;
  /** Ids of the history that are neither in the last prompt nor covered. */
  const lost = async (): Promise<(string | undefined)[]> => {
    const shown = new Set((prompts.at(-1) as BaseMessage[]).map(({ id }) => id));
    const { full_messages: history } = await tracks();
    return history.slice(0, -1).flatMap(({ id }) => (shown.has(id) || covered.has(id as string) ? [] : [id]));
  };
  return { say, tracks, lost, agentWith, onEvent, prompts };
}

const summaries = (options: Partial<SummarizationMiddlewareOptions> = {}): AnyAgentMiddleware[] => [
  summarizationMiddleware({
    ...(options.model === undefined ? { summarizer: "extractive" as const } : {}),
    trigger: { messages: 8 },
    keep: { messages: 4 },
    now: () => 0,
    ...options,
  }),
];

const loops = (count: number): AnyAgentMiddleware[] => [
  runLoopsMiddleware({ loops: count, characters: 20, now: () => 0 }),
];
const user = (prompt: readonly string[]): string[] => prompt.filter((text) => /^q\d+$/u.test(text));
const q = (n: number): string => `q${n}`;

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

const removeAll = () => new RemoveMessage({ id: REMOVE_ALL_MESSAGES });
const CLEARS: readonly [string, (context: readonly BaseMessage[]) => unknown, string[]][] = [
  ["remove-all", () => [removeAll()], []],
  ["an Overwrite", () => new Overwrite([new HumanMessage({ id: "q20", content: "q20" })]), ["q20"]],
  [
    "the removal of the summary",
    ([summary]) => new RemoveMessage({ id: summary?.id as string }),
    ["q5", "q6"],
  ],
];

describe.each(SAVERS)("what was cleared stays cleared, on %s (B3, B6)", (_name, makeSaver) => {
  const wide = summaries({ trigger: { messages: 60 }, keep: { messages: 40 } });

  it.each(CLEARS)("with %s goes what a summary covered", async (_by, clear, left) => {
    const { say, agentWith, tracks } = talking(makeSaver());
    for (let n = 0; n < 7; n += 1) await say(q(n), summaries());
    const { messages } = await tracks();
    expect(user(messages.map(({ text }) => text))).toEqual(["q5", "q6"]);
    const write = { messages: clear(messages) } as { messages: BaseMessage[] };
    await agentWith(summaries()).updateState(thread, write);
    expect(user(await say(q(7), wide))).toEqual([...left, "q7"]);
    const asked = (await tracks()).full_messages.flatMap(({ id }) => (/^q[0-7]$/u.test(id ?? "") ? id : []));
    expect(asked).toEqual(Array.from({ length: 8 }, (_, n) => q(n)));
  });

  it("and what run loops left out, also where the write that rebuilds the context clears it", async () => {
    const { say, agentWith, prompts } = talking(makeSaver());
    for (let n = 0; n < 5; n += 1) await say(q(n), loops(1));
    await agentWith(wide).invoke({ messages: [removeAll(), new HumanMessage("q5")] }, thread);
    expect((prompts.at(-1) as BaseMessage[]).map(({ text }) => text)).toEqual(["q5"]);
    expect(user(await say(q(6), loops(4)))).toEqual(["q5", "q6"]);
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
