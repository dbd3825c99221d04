import { ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { Annotation, interrupt, START, StateGraph } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, createMiddleware } from "../src/index.ts";
import { deferred } from "./deferred.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";
import { code, inMemory, managers, placesIn, newFolder, twice } from "./session-places.ts";

const thread = { configurable: { thread_id: "t" } };
const waiting = { configurable: { thread_id: "t", onConflict: { waitMs: 5_000 } } };
const schema = z.object({});

const SAVERS = [
  ["memory", () => new MemorySaver()],
  ["SQLite", () => SqliteSaver.fromConnString(":memory:")],
] as const;

/** A tool that ends when it is told to. */
function gated() {
  const gate = deferred();
  const begun = deferred();
  const pay = tool(
    async () => {
      begun.resolve();
      await gate.done;
      return "paid";
    },
    { name: "pay", description: "", schema },
  );
  return { pay, begun: begun.done, open: () => gate.resolve() };
}

const results = (messages: readonly BaseMessage[]) =>
  messages.filter((message) => ToolMessage.isInstance(message)).map(({ text }) => text.split(":")[0]);

describe("healing that waits for a run (E10)", () => {
  it.each(SAVERS)("leaves the results that the run gives meanwhile alone: %s", async (_name, make) => {
    const { pay, begun, open } = gated();
    const model = new ScriptedModel(calls(["pay"]), "Done.");
    const agent = createAgent({ model, tools: [pay], checkpointer: make() });
    const run = agent.invoke({ messages: "pay" }, thread);
    await begun;
    const healed = agent.heal(waiting);
    open();
    await run;
    expect(await healed).toEqual({ cancelled: [], partial: false });
    const { values, next } = await agent.getState(thread);
    expect([results(values.full_messages), next]).toEqual([["paid"], []]);
  });

  it.each(SAVERS)("answers a call once, however many heal at once: %s", async (_name, make) => {
    const stop = new AbortController();
    const hang = tool(() => new Promise<string>(() => stop.abort()), {
      name: "hang",
      description: "",
      schema,
    });
    const model = new ScriptedModel(calls(["hang"]));
    const agent = createAgent({ model, tools: [hang], checkpointer: make(), onStop: "leave" });
    await expect(agent.invoke({ messages: "go" }, { ...thread, signal: stop.signal })).rejects.toThrow(
      /abort/iu,
    );
    const healed = await Promise.all([agent.heal(waiting), agent.heal(waiting)]);
    expect(healed.flatMap(({ cancelled }) => cancelled)).toHaveLength(1);
    const { values } = await agent.getState(thread);
    expect(results(values.full_messages)).toEqual(["Cancelled"]);
  });

  it.each(SAVERS)(
    "says that a run has the thread, and knows no thread that there is not: %s",
    async (_name, make) => {
      const { pay, begun, open } = gated();
      const checkpointer = make();
      const agent = createAgent({
        model: new ScriptedModel(calls(["pay"]), "."),
        tools: [pay],
        checkpointer,
      });
      const run = agent.invoke({ messages: "pay" }, thread);
      await begun;
      await expect(agent.heal(thread)).rejects.toEqual(code("THREAD_CONFLICT"));
      open();
      await run;
      expect(await agent.heal({ configurable: { thread_id: "other" } })).toEqual({
        cancelled: [],
        partial: false,
      });
      const known: unknown[] = [];
      for await (const { config } of checkpointer.list({ configurable: { thread_id: "other" } }))
        known.push(config);
      expect(known).toEqual([]);
    },
  );
});

describe("a session that ends while a run is on (F7)", () => {
  const places = placesIn(newFolder()).filter(([name]) => !name.startsWith("a foreign"));

  it.each(places)("hands over what the run gave, each call with one result: %s", async (_name, make) => {
    const [one, two] = await make();
    const handed: BaseMessage[][] = [];
    const { a, b } = managers([one, two], {
      heal: (of) => agent.heal(of),
      offload: ({ messages }) => void handed.push([...messages]),
    });
    const { pay, begun, open } = gated();
    const agent = createAgent({
      model: new ScriptedModel(calls(["pay"]), "Done."),
      tools: [pay],
      checkpointer: one.saver,
      middleware: [a.middleware()],
    });
    const session = await a.create({ userId: "ada" });
    const run = agent.invoke({ messages: "pay" }, session.thread).catch((error: unknown) => error);
    await begun;
    const ends = [a.end(session.id), b.end(session.id)];
    open();
    // refused when it asks the model again, unless the end came later than that
    await run;
    expect((await Promise.all(ends)).map(({ state }) => state)).toEqual(["ended", "ended"]);
    expect(handed.map(results)).toEqual([["paid"]]);
    expect((await agent.history(session.thread)).messages).toHaveLength(handed[0]?.length ?? 0);
  });

  it("hands over results of calls that have ended beside one that waits, with or without `heal`", async () => {
    for (const heals of [false, true]) {
      const here = inMemory();
      const handed: BaseMessage[] = [];
      const { a } = managers(twice(here), {
        ...(heals && { heal: (of) => agent.heal(of) }),
        offload: ({ messages }) => void handed.push(...messages),
      });
      const pay = tool(() => "paid", { name: "pay", description: "", schema });
      const ask = tool(() => String(interrupt("sure?")), { name: "ask", description: "", schema });
      const agent = createAgent({
        model: new ScriptedModel(calls(["pay"], ["ask"])),
        tools: [pay, ask],
        checkpointer: here.saver,
        middleware: [a.middleware()],
      });
      const session = await a.create({ userId: "ada" });
      await agent.invoke({ messages: "pay" }, session.thread);
      await a.end(session.id);
      expect(results(handed)).toEqual(heals ? ["paid", "Cancelled"] : ["paid"]);
    }
  });

  it("hands over all of a thread, whenever the run was admitted", async () => {
    for (let later = 0; later < 12; later += 1) {
      const here = inMemory();
      let handed = 0;
      const { a } = managers(twice(here), {
        heal: (of) => agent.heal(of),
        offload: ({ messages }) => void (handed = messages.length),
      });
      const agent = createAgent({
        model: new ScriptedModel("one", "two"),
        checkpointer: here.saver,
        middleware: [a.middleware()],
      });
      const session = await a.create({ userId: "ada" });
      await agent.invoke({ messages: "1" }, session.thread);
      const run = agent.invoke({ messages: "2" }, session.thread).catch(() => undefined);
      for (let turn = 0; turn < later; turn += 1) await Promise.resolve();
      await a.end(session.id);
      await run;
      expect((await agent.history(session.thread)).messages).toHaveLength(handed);
    }
  });
});

describe("who is admitted", () => {
  it("is asked also of an agent that a node of another graph calls, and heard when it is stopped", async () => {
    const asked: string[] = [];
    const gate = createMiddleware({
      name: "gate",
      admit: async (id) => {
        asked.push(id);
        if (id === "closed") throw new Error("refused");
        if (id === "stopped") stop.abort();
      },
    });
    const stop = new AbortController();
    const checkpointer = new MemorySaver();
    const inner = createAgent({ model: new ScriptedModel("a", "b"), checkpointer, middleware: [gate] });
    const run = async (id: string, signal?: AbortSignal) =>
      inner.invoke({ messages: "x" }, { configurable: { thread_id: id }, ...(signal && { signal }) });
    const State = Annotation.Root({ said: Annotation<string> });
    const outer = new StateGraph(State)
      .addNode("n", async () => ({
        said: await run("closed").then(
          () => "ran",
          (error: Error) => error.message,
        ),
      }))
      .addEdge(START, "n")
      .compile();
    expect(await outer.invoke({})).toEqual({ said: "refused" });
    await expect(run("stopped", stop.signal)).rejects.toThrow(/abort/iu);
    await run("open");
    // before the thread was made and when it was held
    expect(asked.splice(0)).toEqual(["closed", "stopped", "open", "open"]);
    await run("open");
    expect(asked).toEqual(["open"]);
    for (const id of ["closed", "stopped"])
      expect(await checkpointer.getTuple({ configurable: { thread_id: id } })).toBeUndefined();
  });
});
