import { join } from "node:path";
import { AIMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { tool } from "@langchain/core/tools";
import { createAgent } from "@skein/agent";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { toolOutputOffloadingMiddleware } from "@skein/middleware/tool-output-offloading";
import { expect, it } from "vitest";
import { z } from "zod";
import { makeFolder } from "./folder.ts";
import { inside } from "./inside.ts";

it("shows which messages the context has shortened, and the history whole beside them", async () => {
  const db = join(makeFolder(), "skein.db");
  const saver = SqliteSaver.fromConnString(db);
  const long = "all is well\n".repeat(400);
  const agent = createAgent({
    model: fakeModel()
      .respondWithTools([{ name: "read", args: {}, id: "call_1" }])
      .respond(new AIMessage("Done.")),
    tools: [tool(() => long, { name: "read", description: "Reads", schema: z.object({}) })],
    checkpointer: saver,
    middleware: [toolOutputOffloadingMiddleware({ limit: 200, keep: 40 })],
  });
  await agent.invoke({ messages: "Read it" }, { configurable: { thread_id: "t" } });
  await saver.close();

  const { json } = await inside(["show", "t", "--db", db, "--json"]);
  const { context, history } = json[0] as {
    context: { content: string }[];
    history: { content: string; place: string }[];
  };
  expect(history.map(({ place }) => place)).toEqual(["context", "context", "shortened", "context"]);
  expect(history[2]?.content).toBe(long);
  expect(context[2]?.content).toContain('the whole result is kept under call id "call_1"');
  const { stdout } = await inside(["show", "t", "--db", db]);
  expect(stdout).toMatch(/offloaded; it had [\d,.]+ tokens|^< 3 tool/mu);
});
