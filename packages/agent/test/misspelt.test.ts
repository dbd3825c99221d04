import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, providerStrategy, toolStrategy } from "../src/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };
const wrong = expect.objectContaining({ code: "INVALID_CONFIGURATION" }) as unknown;

/** An agent with a turn of two messages. */
async function spoken() {
  const agent = createAgent({ model: new ScriptedModel("said 4711"), checkpointer: new MemorySaver() });
  await agent.invoke({ messages: [{ role: "user", id: "m1", content: "4711" }] }, thread);
  const texts = async () => (await agent.getState(thread)).values.full_messages.map(({ text }) => text);
  return { agent, texts };
}

describe("what is misspelt, or of another kind, is refused and nothing is done", () => {
  it.each([[{ texts: null }], [{ texts: 5 }], [{ texts: "4711" }], [{ derived: null }], [5], ["4711"]])(
    "eraseMessage %j",
    async (options) => {
      const { agent, texts } = await spoken();
      await expect(agent.eraseMessage(thread, "m1", options as never)).rejects.toEqual(wrong);
      expect(await texts()).toEqual(["4711", "said 4711"]);
    },
  );

  it.each([
    [{ remove: ["m1"], replase: [] }],
    [{ remove: ["m1"], Replace: [{ role: "user", id: "m1", content: "x" }] }],
  ])("reviseHistory %j", async (revision) => {
    const { agent, texts } = await spoken();
    await expect(agent.reviseHistory(thread, revision as never)).rejects.toEqual(wrong);
    expect(await texts()).toEqual(["4711", "said 4711"]);
  });

  it.each([[{ limt: 1 }], [{ limit: 1, Before: 1 }], [[1]], ["1"], [1], [() => 1]])(
    "history %j",
    async (options) => {
      const { agent } = await spoken();
      await expect(agent.history(thread, options as never)).rejects.toEqual(wrong);
      expect((await agent.history(thread, { limit: 1 })).messages).toHaveLength(1);
    },
  );
});

describe("options of response formats", () => {
  const schema = z.object({ a: z.number() });

  it.each([
    [{ handleErrors: false }],
    [{ handleError: 42 }],
    [{ handleError: 0 }],
    [{ handleError: null }],
    [{ toolMessageContents: "x" }],
    [{ toolMessageContent: 42 }],
    [5],
  ])("toolStrategy refuses %j", (options) => {
    expect(() => toolStrategy(schema, options as never)).toThrow(wrong as Error);
    expect(() => toolStrategy([schema, schema], options as never)).toThrow(wrong as Error);
  });

  it.each([[{ strct: false }], [{ strict: "yes" }], [{ strict: 0 }]])(
    "providerStrategy refuses %j",
    (more) => {
      expect(() => providerStrategy({ schema, ...(more as object) })).toThrow(wrong as Error);
    },
  );

  it("those that there are may be given", () => {
    for (const handleError of [true, false, "again", () => "again", undefined])
      expect(toolStrategy(schema, { handleError, toolMessageContent: "" } as never)).toHaveLength(1);
    expect(providerStrategy({ schema, strict: false }).strict).toBe(false);
    expect(providerStrategy({ schema }).strict).toBe(true);
  });
});
