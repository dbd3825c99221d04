import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { isMarkedSummary, textOf } from "@skein/context";
import { describe, expect, it } from "vitest";
import {
  isSummarizing,
  summarizationNode,
  type SummaryAhead,
  summaryDerivations,
  type SummarizationOptions,
} from "../src/summarization/index.ts";
import { base, type Held, macrotask, newHeld } from "./background.ts";
import { append, apply, newThread, talk, user } from "./harness.ts";
import { watched } from "./watched-node.ts";

/** A summarizer that a test lets go on. */
function gate() {
  const open: ((text: string) => void)[] = [];
  const asked: readonly BaseMessage[][] = [];
  return {
    asked,
    pending: () => open.length,
    release: (text: string) => open.shift()?.(text),
    summarizer: ({ messages }: { messages: readonly BaseMessage[] }): Promise<string> => {
      (asked as BaseMessage[][]).push([...messages]);
      return new Promise((resolve) => open.push(resolve));
    },
  };
}

const inBackground = (options: Partial<SummarizationOptions> = {}) =>
  watched({ ...base, now: () => 0, ...options });

/** Runs the node and writes what it returns, background and all. */
async function step(thread: Held, node: ReturnType<typeof summarizationNode>, signal?: AbortSignal) {
  const update = await node(thread, signal === undefined ? {} : { signal });
  apply(thread, update);
  if (update._summaryAhead !== undefined) thread._summaryAhead = update._summaryAhead;
  return update;
}

const fill = (thread: Held, from: number, to: number): void =>
  append(
    thread,
    ...Array.from({ length: to - from }, (_, index) => user(`Message ${from + index} about yarn.`)),
  );

describe("a summary in the background (C8)", () => {
  it("begins at the lower mark off the run's path, and is put in force at the upper one", async () => {
    const held = gate();
    const { node, events, of } = inBackground({ summarizer: held.summarizer });
    const thread = newHeld();
    fill(thread, 0, 8);
    await step(thread, node);
    expect(events).toEqual([]);
    fill(thread, 8, 10);
    await step(thread, node);
    // the run goes on before anybody has asked the summarizer
    expect(held.pending()).toBe(0);
    expect(isSummarizing(thread, 0)).toBe(true);
    expect(of("compaction-prepare")).toMatchObject([{ messages: 10, summarize: 6 }]);
    await macrotask();
    expect(held.asked[0]).toEqual(thread.history.slice(0, 6));
    fill(thread, 10, 11);
    const untouched = thread.messages;
    await step(thread, node);
    expect(thread.messages).toBe(untouched);
    held.release("PREPARED: yarn");
    await macrotask();
    await step(thread, node);
    expect(thread._summaryAhead).toMatchObject({ kind: "ready", text: "PREPARED: yarn" });
    expect(isSummarizing(thread, 0)).toBe(false);
    expect(thread.messages).toBe(untouched);
    fill(thread, 11, 12);
    await step(thread, node);
    expect(textOf(thread.messages[0] as BaseMessage)).toContain("PREPARED: yarn");
    expect(thread.messages).toHaveLength(7);
    expect(thread._summaryAhead).toBeNull();
    expect(thread._summary?.at(-1)).toMatchObject({ version: 1, coveredCount: 6 });
    expect(of("compaction-end")).toMatchObject([{ background: true, coveredIds: { length: 6 } }]);
    expect(of("compaction-ready")).toMatchObject([{ messages: 6, by: "custom", tries: 1 }]);
    expect(held.asked).toHaveLength(1);
  });

  it("one that is still being written at the upper mark is waited for, not begun again", async () => {
    const held = gate();
    const { node, of } = inBackground({ summarizer: held.summarizer });
    const thread = newHeld();
    fill(thread, 0, 10);
    await step(thread, node);
    fill(thread, 10, 12);
    const waiting = step(thread, node);
    await macrotask();
    held.release("LATE: yarn");
    await waiting;
    expect(held.asked).toHaveLength(1);
    expect(of("compaction-end")[0]?.background).toBe(true);
    expect(textOf(thread.messages[0] as BaseMessage)).toContain("LATE: yarn");
  });

  it("a run that is aborted while it waits is aborted; the summary is written all the same", async () => {
    const held = gate();
    const { node } = inBackground({ summarizer: held.summarizer });
    const thread = newHeld();
    fill(thread, 0, 10);
    await step(thread, node);
    fill(thread, 10, 12);
    const controller = new AbortController();
    const waiting = step(thread, node, controller.signal);
    controller.abort(new Error("Ctrl-C"));
    await expect(waiting).rejects.toThrow("Ctrl-C");
    await macrotask();
    held.release("yarn");
    await macrotask();
    await step(thread, node);
    expect(held.asked).toHaveLength(1);
    expect(isMarkedSummary(thread.messages[0] as BaseMessage)).toBe(true);
  });

  it("on a branch that does not begin with what it covers it is thrown away, and a new one is begun", async () => {
    const { node, of } = inBackground({ summarizer: () => "yarn" });
    const thread = newHeld();
    fill(thread, 0, 10);
    await step(thread, node);
    await macrotask();
    await step(thread, node);
    expect(thread._summaryAhead?.kind).toBe("ready");
    const other: Held = { ...newHeld(), _summaryAhead: thread._summaryAhead };
    fill(other, 100, 110);
    await step(other, node);
    expect(of("compaction-discard")).toEqual([
      { type: "compaction-discard", reason: "other-branch", messages: 6 },
    ]);
    expect(isSummarizing(other, 0)).toBe(true);
    // an edit keeps its place and its id, so it is found when the summary is to be put in force
    const edited: Held = { ...thread };
    edited.messages = edited.messages.map((message, index) =>
      index === 2 ? new HumanMessage({ id: message.id as string, content: "It was wool." }) : message,
    );
    fill(edited, 10, 12);
    await step(edited, node);
    expect(of("compaction-discard")).toHaveLength(2);
    expect(of("compaction-end").at(-1)?.background).toBeUndefined();
    expect(edited._summary).toHaveLength(1);
  });

  it("a lease keeps others away until its deadline; what a dead process began is begun again", async () => {
    let now = 0;
    const dead = inBackground({ summarizer: gate().summarizer, now: () => now });
    const thread = newHeld();
    fill(thread, 0, 10);
    await step(thread, dead.node);
    const lease = thread._summaryAhead;
    const other = inBackground({ summarizer: () => "yarn", now: () => now });
    await step(thread, other.node);
    expect(other.events).toEqual([]);
    expect(thread._summaryAhead).toBe(lease);
    now = (lease as { deadline: number }).deadline;
    expect(isSummarizing(thread, now)).toBe(false);
    await step(thread, other.node);
    expect(other.of("compaction-prepare")).toHaveLength(1);
    // at the upper mark nobody waits for another process
    now = 0;
    fill(thread, 10, 12);
    thread._summaryAhead = lease;
    const third = inBackground({ summarizer: () => "wool", now: () => now });
    await step(thread, third.node);
    expect(third.of("compaction-end")).toHaveLength(1);
    expect(thread._summaryAhead).toBeNull();
  });

  it("a failure changes no message: three tries, a rest, and at the upper mark the rest still holds", async () => {
    let asked = 0;
    const { node, of } = inBackground({
      summarizer: () => {
        asked++;
        throw new Error("503");
      },
    });
    const thread = newHeld();
    fill(thread, 0, 10);
    await step(thread, node);
    await macrotask();
    await step(thread, node);
    expect(asked).toBe(3);
    expect(thread._summaryStatus).toMatchObject({ tries: 3, restUntil: 60_000 });
    expect(thread._summaryAhead).toBeNull();
    fill(thread, 10, 12);
    const before = thread.messages;
    await step(thread, node);
    expect([thread.messages, asked]).toEqual([before, 3]);
    expect(of("compaction-failure")).toHaveLength(3);
    expect(of("compaction-skip").map(({ reason }) => reason)).toEqual(["resting"]);
  });

  it("a state without its key works as if it were off", async () => {
    const { node, of } = inBackground({ summarizer: "extractive" });
    const thread = newThread();
    await talk(thread, node, 20);
    expect(of("compaction-prepare")).toEqual([]);
    expect(of("compaction-end").length).toBeGreaterThan(2);
  });

  it("what waits is thrown away when a message is erased: nobody can tell whether it speaks of it", async () => {
    const { node } = inBackground({ summarizer: () => "SECRET yarn" });
    const thread = newHeld();
    fill(thread, 0, 10);
    await step(thread, node);
    await macrotask();
    await step(thread, node);
    const stored = thread._summaryAhead as unknown as Record<string, unknown>;
    const derived = summaryDerivations();
    expect(derived.matches(stored)).toBe(true);
    const rewrite = await derived.rewrite({ messageId: "x", found: [stored], states: [] });
    expect(JSON.stringify(rewrite(stored))).not.toContain("SECRET");
    const held: Held = { ...thread, _summaryAhead: rewrite(stored) as unknown as SummaryAhead };
    await step(held, node);
    expect(isSummarizing(held, 0)).toBe(true);
  });
});
