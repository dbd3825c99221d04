import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { runLoops } from "@skein/context";
import { expect, it } from "vitest";
import { z } from "zod";
import { recallMiddleware } from "../src/recall/index.ts";
import { runLoopsMiddleware, type LoopViewEvent, type RunLoopsOptions } from "../src/run-loops/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const DAY = 86_400_000;

function setup(options: RunLoopsOptions = {}) {
  let today = 0;
  const model = new ScriptedModel((messages) => {
    const last = messages.at(-1) as BaseMessage;
    if (last.type !== "human") return new AIMessage(`Answer. ${"It is long. ".repeat(60)}`);
    return new AIMessage({
      content: "",
      tool_calls: [{ id: "call_0", name: "look", args: { what: last.text } }],
    });
  });
  const agent = createAgent({
    model,
    tools: [
      tool(({ what }: { what: string }) => `found ${what}`, {
        name: "look",
        description: "Looks",
        schema: z.object({ what: z.string() }),
      }),
    ],
    checkpointer: new MemorySaver(),
    now: () => today,
    middleware: [
      runLoopsMiddleware({ now: () => today, ...options }),
      recallMiddleware({ systemPrompt: "" }),
    ],
  });
  const thread = { configurable: { thread_id: "t" } };
  return {
    model,
    ask: async (text: string, day = 0): Promise<LoopViewEvent[]> => {
      today = day * DAY;
      const events: LoopViewEvent[] = [];
      const input = { messages: [new HumanMessage(text)] };
      for await (const chunk of await agent.stream(input, { ...thread, streamMode: "custom" }))
        events.push(chunk as unknown as LoopViewEvent);
      return events;
    },
    history: async () => (await agent.history(thread)).messages,
    context: async () =>
      ((await agent.getState(thread, { archive: false })).values as { messages: BaseMessage[] }).messages,
  };
}

it("past loops show question, answer and calls, the loop under way is whole (D1, D2)", async () => {
  const { model, ask, history } = setup();
  const question = `Where is it? ${"x".repeat(600)}`;
  await ask(question);
  const events = await ask("And now?");
  const prompt = model.prompts.at(-1) as BaseMessage[];
  expect(prompt.map(({ type }) => type)).toEqual(["human", "ai", "human", "ai", "tool"]);
  expect(prompt[0]?.text).toBe(`${question.slice(0, 500)}...[truncated]`);
  expect(prompt[1]?.text).toMatch(
    /^Answer\. It is long\. .*\.\.\.\[truncated\]\n\n\[tool calls of this turn\]\n- call id "call_0": look\(\{"what":"Where is it\? x+\.\.\.\[truncated\]\)$/su,
  );
  expect(prompt.slice(2).map(({ text }) => text)).toEqual(["And now?", "", "found And now?"]);
  expect(events).toEqual([
    { type: "loops-view", condensed: [expect.any(String)], omitted: [], removedMessages: 2 },
  ]);
  const full = await history();
  expect(full).toHaveLength(8);
  expect(full[0]?.text).toBe(question);
});

it("shows ten loops and a week; the history keeps all (D3)", async () => {
  const { ask, context, history } = setup();
  for (let turn = 0; turn < 14; turn++) await ask(`Question ${turn}`);
  const questions = async () =>
    (await context()).filter(({ type }) => type === "human").map(({ text }) => text);
  expect(await questions()).toEqual(Array.from({ length: 11 }, (_, at) => `Question ${at + 3}`));
  const events = await ask("A week later?", 8);
  expect(events[0]?.omitted).toHaveLength(11);
  expect(await questions()).toEqual(["A week later?"]);
  expect(runLoops(await history()).loops).toHaveLength(15);
});

it("a loop is condensed once: nothing changes while it goes on", async () => {
  const { model, ask } = setup();
  for (let turn = 0; turn < 4; turn++) await ask(`Question ${turn}`);
  const [first, second] = model.prompts.slice(-2) as [BaseMessage[], BaseMessage[]];
  expect(second.slice(0, first.length).map(({ text }) => text)).toEqual(first.map(({ text }) => text));
});

it.each([{ loops: -1 }, { characters: 0 }, { maxAge: Number.NaN }])("refuses %o", (options) => {
  expect(() => runLoopsMiddleware(options)).toThrow(
    expect.objectContaining({ code: "INVALID_CONFIGURATION" }),
  );
});
