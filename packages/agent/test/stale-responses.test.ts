import { AIMessage } from "@langchain/core/messages";
import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, createMiddleware, toolStrategy, type AnyAgentMiddleware } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const Sum = z.object({ sum: z.number() }).meta({ title: "Sum" });
const thread = { configurable: { thread_id: "t" } };
const none = createMiddleware({ name: "none", beforeAgent: () => undefined, beforeModel: () => undefined });

/** The structured response of each of two turns; the model answers in the first one. */
async function twoTurns(...middleware: AnyAgentMiddleware[]) {
  const model = new ScriptedModel(calls(["Sum", { sum: 1 }]), "just text");
  const responseFormat = toolStrategy(Sum);
  const agent = createAgent({ model, responseFormat, checkpointer: new MemorySaver(), middleware });
  const first = await agent.invoke({ messages: "one" }, thread);
  const second = await agent.invoke({ messages: "two" }, thread);
  const { values } = await agent.getState(thread);
  expect(values.structuredResponse).toEqual(second.structuredResponse);
  return [first.structuredResponse, second.structuredResponse];
}

describe("the structured response of the turn before (E7)", () => {
  it.each([
    ["beforeModel", []],
    ["beforeModel", [none]],
    ["beforeAgent", []],
  ] as const)("is not this turn's when %s ends it before the model", async (kind, others) => {
    let turn = 0;
    const hook = () => {
      turn += 1;
      return turn === 2 ? { jumpTo: "end" as const, messages: [new AIMessage("closed")] } : undefined;
    };
    const gate = createMiddleware({ name: "gate", [kind]: { canJumpTo: ["end"], hook } });
    expect(await twoTurns(...others, gate)).toEqual([{ sum: 1 }, undefined]);
  });

  it.each(["beforeAgent", "beforeModel"] as const)("is not taken for one that %s wrote", async (kind) => {
    let turn = 0;
    const answers = createMiddleware({
      name: "answers",
      [kind]: () => {
        turn += 1;
        return turn === 2 ? { structuredResponse: { sum: 2 } } : undefined;
      },
    });
    const gate = createMiddleware({
      name: "gate",
      [kind]: { canJumpTo: ["end"], hook: () => (turn === 2 ? { jumpTo: "end" as const } : undefined) },
    });
    expect(await twoTurns(answers, gate)).toEqual([{ sum: 1 }, { sum: 2 }]);
  });

  it("stays this turn's where a hook sends it back to the model and another one ends it", async () => {
    let round = 0;
    const again = createMiddleware({
      name: "again",
      beforeModel: {
        canJumpTo: ["end"],
        hook: () => {
          round += 1;
          return round === 2 ? { jumpTo: "end" as const } : undefined;
        },
      },
      afterModel: { canJumpTo: ["model"], hook: () => ({ jumpTo: "model" as const }) },
    });
    const model = new ScriptedModel(calls(["Sum", { sum: 1 }]));
    const agent = createAgent({ model, responseFormat: toolStrategy(Sum), middleware: [again] });
    expect((await agent.invoke({ messages: "one" })).structuredResponse).toEqual({ sum: 1 });
  });
});
