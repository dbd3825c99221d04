import { ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import { Command } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };
const schema = z.object({ stops: z.boolean().default(false) });

describe.each(["v1", "v2"] as const)("a run of version %s that is stopped", (version) => {
  it.each(["a text", "a command"])("keeps the results of calls that have ended: %s", async (kind) => {
    const stop = new AbortController();
    const slow = tool(
      ({ stops }) =>
        stops
          ? new Promise<string>(() => setTimeout(() => stop.abort(), 5))
          : Promise.resolve("of an earlier call"),
      { name: "slow", description: "", schema },
    );
    const charge = tool(
      (_, config): string =>
        kind === "a text"
          ? "charged"
          : (new Command({
              update: { messages: [new ToolMessage("charged", config.toolCall?.id ?? "")] },
            }) as never),
      { name: "charge", description: "", schema },
    );
    // ids are used again: an earlier result is none of a later call
    const model = new ScriptedModel(
      calls(["slow", {}, "1"], ["slow", {}, "2"]),
      calls(["slow", { stops: true }, "1"], ["charge", {}, "2"]),
      "back",
    );
    const agent = createAgent({ model, tools: [slow, charge], version, checkpointer: new MemorySaver() });
    const run = agent.invoke({ messages: "go" }, { ...thread, signal: stop.signal });
    await expect(run).rejects.toThrow(/abort/iu);
    const { messages } = (await agent.getState(thread)).values;
    const results = messages.slice(-2) as ToolMessage[];
    const told = results.map(({ tool_call_id: id, text }) => [id, text.split(":")[0]] as const);
    expect(Object.fromEntries(told)).toEqual({ 1: "Cancelled", 2: "charged" });
    expect((await agent.invoke({ messages: "and?" }, thread)).messages.at(-1)?.text).toBe("back");
  });
});
