import { HumanMessage, type BaseMessage, type ToolMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { afterAll, describe, expect, it } from "vitest";
import { closingOpenCalls } from "../src/agent/closing.ts";
import type { OnBusy } from "../src/index.ts";
import { newFolder, pairsOfSavers, seen, slowTool } from "./busy-runs.ts";
import { team, textsOf } from "./busy-teams.ts";
import { calls } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" }, durability: "sync" as const };
const conflict = expect.objectContaining({ code: "THREAD_CONFLICT" });
const { newPath, remove } = newFolder();
afterAll(remove);

/** A thread whose run was taken over while an agent that its tool asks was at work. */
async function takeOver(pair: readonly [BaseCheckpointSaver, BaseCheckpointSaver], onBusy: OnBusy) {
  const [one, other] = pair;
  const { work, running, letGo } = slowTool();
  const before = team(one, { question: "q0", inner: ["zero"], memory: true, reply: "earlier" });
  await before.agent.invoke({ messages: "before" }, thread);
  const inner = [calls(["work", {}, "w"]), "late"] as const;
  const first = team(one, { question: "q1", inner: [...inner], tools: [work], memory: true });
  const stopped = first.agent.invoke({ messages: "first" }, thread);
  stopped.catch(() => undefined);
  await running;
  const asked = await textsOf(other, "t");
  const next = team(other, {
    question: "q2",
    inner: ["two"],
    tools: [work],
    memory: true,
    onBusy,
    reply: "second is done",
  });
  const { messages } = await next.agent.invoke({ messages: "second" }, thread);
  letGo();
  await expect(stopped).rejects.toEqual(conflict);
  const memory = await memoryOf(other);
  return {
    asked,
    memory: seen(memory),
    messages: seen(messages).slice(4),
    helper: next.helper.sent,
    texts: await textsOf(other, "t"),
  };
}

/** What the newest state of the agent that is asked holds, in its part of the thread. */
async function memoryOf(saver: BaseCheckpointSaver): Promise<BaseMessage[]> {
  for await (const { config, checkpoint } of saver.list({ configurable: { thread_id: "t" } })) {
    const isInner = config.configurable?.["checkpoint_ns"] !== "";
    if (isInner) return (checkpoint.channel_values as { messages: BaseMessage[] }).messages;
  }
  return [];
}

/** One in memory, and where two savers share a database. */
const PAIRS = pairsOfSavers(newPath).filter(([name]) => name.includes("memory") || name.startsWith("two"));

describe.each(PAIRS)("a thread whose run is within a subgraph (F6, D4), %s", (_name, make) => {
  it("rollback: nested checkpoints of the first run are gone, and its words from the memory of the subgraph", async () => {
    const { asked, messages, helper, texts } = await takeOver(make(), "rollback");
    expect(asked).toEqual(new Set(["before", "q0", "zero", "earlier", "first", "q1"]));
    expect(messages).toEqual(["human: second", "ai: ", "tool: two", "ai: second is done"]);
    expect(helper.map(seen)).toEqual([["human: q0", "ai: zero", "human: q2"]]);
    expect([...texts].toSorted()).toEqual(
      ["before", "earlier", "q0", "q2", "second", "second is done", "two", "zero"].toSorted(),
    );
  });

  it.each([
    ["interrupt", []],
    ["cancel-and-heal", ["tool: Cancelled"]],
  ] as const)(
    "%s: what was stored stays, and no model is sent a call without a result",
    async (onBusy, healed) => {
      const { messages, helper, memory, texts } = await takeOver(make(), onBusy);
      expect(messages).toEqual([
        "human: first",
        "ai: ",
        ...healed,
        "human: second",
        "ai: ",
        "tool: two",
        "ai: second is done",
      ]);
      // the call that the subgraph was in
      const [sent = []] = helper.map(seen);
      expect(sent.slice(2)).toEqual(["human: q1", "ai: ", expect.stringMatching(/^tool: /), "human: q2"]);
      // which its next use closed, in its memory too
      expect(memory).toEqual([...sent.slice(0, 4), "tool: Cancelled", "human: q2", "ai: two"]);
      expect(texts).not.toContain("late");
    },
  );
});

it("an input that answers open calls itself closes the others only", () => {
  const reply = calls(["work", {}, "a"], ["work", {}, "b"]);
  const result = { role: "tool", tool_call_id: "a", content: "worked" };
  const input = closingOpenCalls([result, "go on"], [reply]) as (ToolMessage | object)[];
  expect(input.map((one) => (one as { tool_call_id?: string }).tool_call_id)).toEqual(["b", "a", undefined]);
  expect(closingOpenCalls("hello", [new HumanMessage("hi")])).toBe("hello");
});
