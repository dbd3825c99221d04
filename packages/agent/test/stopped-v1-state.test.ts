import { type AIMessage, ToolMessage } from "@langchain/core/messages";
import { tool, type ToolRuntime } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import { Command, Overwrite, ReducedValue, StateSchema } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };
const stateSchema = new StateSchema({
  paid: z.number().default(0),
  total: new ReducedValue(z.number().default(0), { reducer: (sum: number, more: number) => sum + more }),
});

/** An agent with a tool that writes what its call says, and one during which the run is stopped. */
function stopping(version: "v1" | "v2", ...script: AIMessage[]) {
  const stop = new AbortController();
  const pay = tool(
    ({ sum, overwrite }, { toolCall }: ToolRuntime) =>
      new Command({
        update: {
          paid: sum,
          total: overwrite === true ? new Overwrite(sum) : sum,
          messages: [new ToolMessage(`paid ${sum}`, toolCall?.id ?? "")],
        },
      }),
    {
      name: "pay",
      description: "",
      schema: z.object({ sum: z.number(), overwrite: z.boolean().optional() }),
    },
  );
  const slow = tool(
    () =>
      new Promise<string>((resolve) => {
        setTimeout(() => stop.abort(), 5);
        stop.signal.addEventListener("abort", () => resolve("stopped early"));
      }),
    { name: "slow", description: "", schema: z.object({}) },
  );
  const agent = createAgent({
    model: new ScriptedModel(...script, "back"),
    tools: [pay, slow],
    version,
    checkpointer: new MemorySaver(),
    stateSchema,
  });
  return { agent, signal: stop.signal };
}

describe.each(["v1", "v2"] as const)(
  "a run of version %s that is stopped keeps what its calls wrote",
  (version) => {
    it("beside their results, once", async () => {
      const { agent, signal } = stopping(
        version,
        // ids are used again: what was stored is not written once more
        calls(["pay", { sum: 3 }, "1"]),
        calls(["pay", { sum: 100 }, "1"], ["slow", {}, "2"]),
      );
      await expect(agent.invoke({ messages: "go" }, { ...thread, signal })).rejects.toThrow(/abort/iu);
      const { values } = await agent.getState(thread);
      expect([values.paid, values.total]).toEqual([100, 103]);
      const told = values.messages.slice(-2).map((message) => message.text.split(":")[0]);
      expect(told).toEqual(["paid 100", "Cancelled"]);
      const next = await agent.invoke({ messages: "and?" }, thread);
      expect([next.total, next.messages.at(-1)?.text]).toEqual([103, "back"]);
    });
  },
);

describe("a run of version v1 that is stopped", () => {
  it("is closed where several calls wrote a key of one value: the last one counts", async () => {
    const { agent, signal } = stopping(
      "v1",
      calls(
        ["pay", { sum: 1, overwrite: true }, "1"],
        ["pay", { sum: 20, overwrite: true }, "2"],
        ["pay", { sum: 300 }, "3"],
        ["slow", {}, "4"],
      ),
    );
    await expect(agent.invoke({ messages: "go" }, { ...thread, signal })).rejects.toThrow(/abort/iu);
    const { values } = await agent.getState(thread);
    expect(values.paid).toBe(300);
    const told = values.messages.slice(-4).map((message) => message.text.split(":")[0]);
    expect(told).toEqual(["paid 1", "paid 20", "paid 300", "Cancelled"]);
    expect((await agent.invoke({ messages: "and?" }, thread)).messages.at(-1)?.text).toBe("back");
  });
});
