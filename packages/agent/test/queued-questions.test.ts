import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver as PlainSaver } from "@langchain/langgraph-checkpoint";
import { MemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { Command, interrupt } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };
const schema = z.object({});

const SAVERS = [
  ["memory", () => new MemorySaver()],
  ["SQLite", () => SqliteSaver.fromConnString(":memory:")],
  ["a foreign saver", () => new PlainSaver()],
] as const;

/** An agent whose tool asks some questions one after the other, and what it was told. */
function asking(questions: readonly unknown[], checkpointer = new MemorySaver()) {
  const told: unknown[][] = [];
  const ask = tool(
    () => {
      told.push(questions.map((question) => interrupt(question)));
      return "told";
    },
    { name: "ask", description: "", schema },
  );
  const model = new ScriptedModel(calls(["ask"]), "Done.");
  const agent = createAgent({ model, tools: [ask], checkpointer, onBusy: "queue" });
  return { agent, ask, told, answer: (resume: string) => agent.invoke(new Command({ resume }), thread) };
}

const outcomes = (settled: readonly PromiseSettledResult<unknown>[]) =>
  settled.map((one) => (one.status === "rejected" ? (one.reason as { code?: string }).code : one.status));

describe("a question that waits in a queue (F6)", () => {
  it.each([
    ["with a bigint", { sum: 10n }, { sum: 11n }],
    ["with the same bigint", { sum: 10n }, { sum: 10n }],
    ["of maps", new Map([["sum", 1]]), new Map([["sum", 1000]])],
    ["with the same text", "Approve?", "Approve?"],
  ])("is not the next one of its call: %s", async (_name, first, second) => {
    const { agent, told, answer } = asking([first, second]);
    await agent.invoke({ messages: "go" }, thread);
    const both = await Promise.allSettled([answer("one"), answer("two")]);
    expect(outcomes(both)).toEqual(["fulfilled", "NOTHING_TO_RESUME"]);
    await answer("two");
    expect(told).toEqual([["one", "two"]]);
  });

  it("is not the next one of a call within an agent that a tool calls", async () => {
    const inner = asking(["Approve?", "Approve?"]);
    const delegate = tool(
      async () => {
        const { messages } = await createAgent({
          model: new ScriptedModel(calls(["ask"]), "Done."),
          tools: [inner.ask],
        }).invoke({ messages: "go" });
        return messages.at(-1)?.text ?? "";
      },
      { name: "delegate", description: "", schema },
    );
    const outer = createAgent({
      model: new ScriptedModel(calls(["delegate"]), "Done."),
      tools: [delegate],
      checkpointer: new MemorySaver(),
      onBusy: "queue",
    });
    await outer.invoke({ messages: "go" }, thread);
    const answer = (resume: string) => outer.invoke(new Command({ resume }), thread);
    const both = await Promise.allSettled([answer("one"), answer("two")]);
    expect([outcomes(both), inner.told]).toEqual([["fulfilled", "NOTHING_TO_RESUME"], []]);
    await answer("two");
    expect(inner.told).toEqual([["one", "two"]]);
  });

  it("is the same when a call before has only made it ask again", async () => {
    const { agent, told, answer } = asking([{ sum: 10n }, "sure?"]);
    await agent.invoke({ messages: "go" }, thread);
    await answer("one");
    const both = await Promise.allSettled([agent.invoke(null, thread), answer("two")]);
    expect([outcomes(both), told]).toEqual([["fulfilled", "fulfilled"], [["one", "two"]]]);
  });

  it.each(SAVERS)("is the only one beside a call that was answered by its id: %s", async (_name, make) => {
    const told: string[] = [];
    const ask = tool(
      ({ of }) => {
        told.push(`${of}: ${String(interrupt(of))}`);
        return "told";
      },
      { name: "ask", description: "", schema: z.object({ of: z.string() }) },
    );
    const asked = new AIMessage({
      content: "",
      tool_calls: ["A", "B"].map((of) => ({ id: of, name: "ask", args: { of } })),
    });
    const agent = createAgent({
      model: new ScriptedModel(asked, "Done."),
      tools: [ask],
      checkpointer: make(),
      onBusy: "queue",
    });
    await agent.invoke({ messages: "go" }, thread);
    const both = (await agent.getState(thread)).tasks.flatMap(({ interrupts }) => interrupts);
    const answer = (resume: unknown) => agent.invoke(new Command({ resume }), thread);
    expect(outcomes(await Promise.allSettled([answer({}), answer("yes")]))).toContain("AMBIGUOUS_RESUME");
    await answer({ [String(both[0]?.id)]: "yes" });
    const ended = await Promise.allSettled([agent.invoke(null, thread), answer("no")]);
    expect([outcomes(ended), told]).toEqual([
      ["fulfilled", "fulfilled"],
      ["A: yes", "B: no"],
    ]);
  });

  it("is not said to have gone on when there was none", async () => {
    const agent = createAgent({
      model: new ScriptedModel("Done."),
      checkpointer: new MemorySaver(),
      onBusy: "queue",
    });
    const [, answered] = await Promise.allSettled([
      agent.invoke({ messages: "go" }, thread),
      agent.invoke(new Command({ resume: "yes" }), thread),
    ]);
    expect(answered).toMatchObject({
      reason: { code: "NOTHING_TO_RESUME", message: expect.stringMatching(/^No question waited/u) },
    });
  });
});
