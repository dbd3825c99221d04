import { join } from "node:path";
import { AIMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import { tool } from "@langchain/core/tools";
import { createAgent } from "@skein/agent";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { presetMiddleware } from "@skein/middleware/presets";
import { recallMiddleware } from "@skein/middleware/recall";
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

it("shows loops, every version of the summary, and what was recalled", async () => {
  const db = join(makeFolder(), "skein.db");
  const saver = SqliteSaver.fromConnString(db);
  let asked = 0;
  const model = fakeModel();
  for (let turn = 0; turn < 9; turn++) model.respond(new AIMessage(`Answer ${turn} about the red yarn.`));
  model
    .respondWithTools([{ name: "search_history", args: { query: "red yarn" }, id: "s" }])
    .respond(new AIMessage("It was red."));
  const agent = createAgent({
    model,
    tools: [],
    checkpointer: saver,
    middleware: [...presetMiddleware("minimal"), recallMiddleware()],
  });
  const config = { configurable: { thread_id: "t" } };
  for (; asked < 10; asked++) await agent.invoke({ messages: `Question ${asked} about the yarn` }, config);
  await saver.close();

  const { json } = await inside(["show", "t", "--db", db, "--json"]);
  const { versions, loops, history } = json[0] as {
    versions: { version: number; coveredCount: number; by: string }[];
    loops: { calls: { name: string }[]; open: boolean; start: number; end: number }[];
    history: { place: string }[];
  };
  expect(versions.map(({ version }) => version)).toEqual(versions.map((_, at) => at + 1));
  expect(versions.length).toBeGreaterThan(2);
  expect(versions.at(-1)).toMatchObject({ by: "extractive" });
  expect(versions.at(-1)?.coveredCount).toBe(history.filter(({ place }) => place === "summary").length);
  expect(loops).toHaveLength(10);
  expect(loops.at(-1)).toMatchObject({
    calls: [{ name: "search_history" }],
    open: false,
    end: history.length,
  });
  expect(history.filter(({ place }) => place === "recalled")).toHaveLength(1);
  const { stdout } = await inside(["show", "t", "--db", db, "--last", "4"]);
  expect(stdout).toMatch(/summary version 1 \(extractive, .*\): \d+ messages, \d+ tokens in \d+;/u);
  expect(stdout).toContain("loop 10, 1 call");
  expect(stdout).not.toContain("loop 9");
});

it.each([
  [["--preset", "none", "--clear", "3000"], "cleared", /messages of tools cleared: \d+/u],
  [["--preset", "watermarks"], "compressed", /tool outputs compressed: \d+/u],
  [["--preset", "run-loops"], "condensed", /loops shown by question, answer and calls: \d+/u],
])("after a replay with %j the context names what was %s", async (options, by, said) => {
  const turns = Array.from({ length: 12 }, (_, turn) => [
    { role: "user", content: `Where is parcel ${turn}?` },
    { role: "assistant", content: null, tool_calls: [{ id: `c${turn}`, name: "track", args: { turn } }] },
    { role: "tool", tool_call_id: `c${turn}`, content: `row ${turn} left the depot\n`.repeat(90) },
    { role: "assistant", content: "It left the depot." },
  ]).flat();
  const cwd = makeFolder({ "a.jsonl": `${JSON.stringify({ id: "a", messages: turns })}\n` });
  const [file, db] = [join(cwd, "a.jsonl"), join(cwd, "skein.db")];
  expect((await inside(["replay", file, "--db", db, ...options])).stdout).toMatch(said);

  const { json } = await inside(["show", "a", "--db", db, "--json"]);
  const { context, history } = json[0] as {
    context: { shortened?: { by: string; tokens: number } }[];
    history: { role: string; content: string; place: string }[];
  };
  const shortened = context.filter((message) => message.shortened?.by === by);
  expect(shortened.length).toBeGreaterThan(4);
  expect(shortened.every((message) => (message.shortened?.tokens ?? 0) > 0)).toBe(true);
  expect(history.filter(({ place }) => place === "shortened")).toHaveLength(shortened.length);
  const outputs = history.filter(({ role }) => role === "tool").map(({ content }) => content);
  expect(outputs).toEqual(turns.flatMap(({ role, content }) => (role === "tool" ? [content] : [])));
  const { stdout } = await inside(["show", "a", "--db", db]);
  expect(stdout).toMatch(new RegExp(`\\(${by}; it had [\\d,.]+ tokens\\)`, "u"));
});

it.each([["a text"], [{ not: "a list" }], [["some texts", 7]]])(
  "shows a thread whose messages are something else: %j",
  async (messages) => {
    const db = join(makeFolder(), "skein.db");
    const saver = SqliteSaver.fromConnString(db);
    const checkpoint = {
      v: 4,
      id: "1",
      ts: "2026-01-01T00:00:00.000Z",
      channel_values: { messages },
      channel_versions: { messages: 1 },
      versions_seen: {},
    };
    const at = { configurable: { thread_id: "t", checkpoint_ns: "" } };
    await saver.put(at, checkpoint, { source: "update", step: 0, parents: {} }, { messages: 1 });
    await saver.close();
    for (const command of ["show", "history"]) {
      const { code, stderr } = await inside([command, "t", "--db", db]);
      expect([code, stderr]).toEqual([0, ""]);
    }
  },
);
