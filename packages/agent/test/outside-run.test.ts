import { AsyncResource } from "node:async_hooks";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import { GraphError } from "@skein/errors";
import { interrupt, isInterrupted, type LangGraphRunnableConfig } from "@skein/graph";
import { expect, test } from "vitest";
import { z } from "zod";
import { createAgent, createMiddleware } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };
const described = { name: "ask", description: "", schema: z.object({}) };
/** Runs where no node is found, as everything does in a page. */
const lost = AsyncResource.bind(() => interrupt<string, string>("Add?"));
const open = createMiddleware({
  name: "open",
  failure: "open",
  wrapToolCall: (request, handler) => handler(request),
});

test.each([[[]], [[open]]])(
  "a tool whose question finds no run ends the run: no model can answer it",
  async (middleware) => {
    const model = new ScriptedModel(calls(["ask"]), "done");
    const agent = createAgent({
      model,
      tools: [tool(() => lost(), described)],
      middleware,
      checkpointer: new MemorySaver(),
    });
    const refused: unknown = await agent.invoke({ messages: "go" }, thread).catch((error: unknown) => error);
    expect(GraphError.is(refused, "OUTSIDE_RUN")).toBe(true);
  },
);

test("it asks through its config, wherever it runs", async () => {
  const asks = tool(
    AsyncResource.bind((_: object, config: LangGraphRunnableConfig) => config.interrupt?.("Add?") as string),
    described,
  );
  const model = new ScriptedModel(calls(["ask"]), "done");
  const agent = createAgent({ model, tools: [asks], checkpointer: new MemorySaver() });
  expect(isInterrupted(await agent.invoke({ messages: "go" }, thread))).toBe(true);
});
