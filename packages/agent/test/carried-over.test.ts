import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import { interrupt } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };

describe("what agents without a graph keep in fields of their own (E8)", () => {
  it("the pending action is what the thread's tasks ask, and the scratchpad what follows the user's message", async () => {
    const ask = tool(({ what }) => String(interrupt({ action: "send", what })), {
      name: "ask",
      description: "",
      schema: z.object({ what: z.string() }),
    });
    const agent = createAgent({
      model: new ScriptedModel(calls(["ask", { what: "mail" }, "c1"])),
      tools: [ask],
      checkpointer: new MemorySaver(),
    });
    await agent.invoke({ messages: "send it" }, thread);
    const { tasks, values, next } = await agent.getState(thread);
    expect(tasks.flatMap(({ interrupts }) => interrupts.map(({ value }) => value))).toEqual([
      { action: "send", what: "mail" },
    ]);
    expect(next).toEqual(["tools"]);
    const begun = values.messages.findLastIndex(({ type }) => type === "human");
    expect(values.messages.slice(begun + 1).map(({ type }) => type)).toEqual(["ai"]);
  });

  it("callbacks are told agent, run, thread and node; messages carry their time", async () => {
    const told: Record<string, unknown>[] = [];
    const handler = BaseCallbackHandler.fromMethods({
      handleChatModelStart(_model, _messages, runId, parentRunId, _params, _tags, metadata) {
        told.push({ ...metadata, runId, parentRunId });
      },
    });
    const agent = createAgent({
      model: new ScriptedModel("ok"),
      name: "helper",
      checkpointer: new MemorySaver(),
      now: () => 1_700_000_000_000,
    });
    const { messages } = await agent.invoke(
      { messages: "hello" },
      { ...thread, callbacks: [handler], metadata: { user: "ada" } },
    );
    expect(told).toMatchObject([
      { lc_agent_name: "helper", thread_id: "t", langgraph_node: "model_request", user: "ada" },
    ]);
    expect(told[0]?.["runId"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(told[0]?.["parentRunId"]).toMatch(/^[0-9a-f-]{36}$/);
    const times = messages.map((message) => message.additional_kwargs["timestamp"]);
    expect(times).toEqual([1_700_000_000_000, 1_700_000_000_000]);
  });

  it("checkpoints are automatic, and there are none where no checkpointer is", async () => {
    const saver = new MemorySaver();
    const agent = createAgent({ model: new ScriptedModel("ok"), checkpointer: saver });
    await agent.invoke({ messages: "hello" }, thread);
    expect((await saver.checkpoints("t")).length).toBeGreaterThan(1);
    const without = createAgent({ model: new ScriptedModel("ok") });
    await without.invoke({ messages: "hello" }, thread);
    await expect(without.getState(thread)).rejects.toMatchObject({ code: "MISSING_CHECKPOINTER" });
  });
});
