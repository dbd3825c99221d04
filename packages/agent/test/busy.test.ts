import { MemorySaver as PlainSaver } from "@langchain/langgraph-checkpoint";
import { MemorySaver } from "@skein/checkpointer";
import { afterAll, describe, expect, it } from "vitest";
import { createAgent, type OnBusy } from "../src/index.ts";
import { newFolder, pairsOfSavers, second, seen, slowAgent } from "./busy-runs.ts";
import { ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" }, durability: "sync" as const };
const conflict = expect.objectContaining({ code: "THREAD_CONFLICT" });
const { newPath, remove } = newFolder();
afterAll(remove);
const SAVERS = pairsOfSavers(newPath);

describe.each(SAVERS)("a thread that another run holds (F6, D4), %s", (name, make) => {
  async function meet(onBusy: OnBusy | undefined) {
    const [one, other] = make();
    const first = slowAgent(one);
    const running = first.agent.invoke({ messages: "first" }, thread);
    running.catch(() => undefined);
    await first.running;
    const next = second(other, onBusy).invoke({ messages: "second" }, thread);
    return { first, running, next, state: () => second(other).getState(thread) };
  }

  it("error: the second run is refused, the first one ends as if nothing had been", async () => {
    const { first, running, next } = await meet(undefined);
    await expect(next).rejects.toEqual(conflict);
    first.letGo();
    expect(seen((await running).messages).at(-1)).toBe("ai: first is done");
  });

  it("queue: the second run begins when the first has ended", async () => {
    const { first, running, next } = await meet("queue");
    first.letGo();
    await running;
    const { messages } = await next;
    expect(seen(messages)).toEqual([
      "human: first",
      "ai: ",
      "tool: worked",
      "ai: first is done",
      "human: second",
      "ai: second is done",
    ]);
  });

  it("interrupt: the first run is stopped, what it stored stays", async () => {
    const { first, running, next, state } = await meet("interrupt");
    const { messages } = await next;
    expect(seen(messages)).toEqual(["human: first", "ai: ", "human: second", "ai: second is done"]);
    // the run of the same saver is told at once, another one at its next step
    if (name.startsWith("two")) first.letGo();
    await expect(running).rejects.toEqual(conflict);
    first.letGo();
    expect(seen((await state()).values.messages)).toEqual(seen(messages));
  });

  it("rollback: the thread is as it was before the first run's input", async () => {
    const { first, running, next, state } = await meet("rollback");
    const { messages } = await next;
    expect(seen(messages)).toEqual(["human: second", "ai: second is done"]);
    first.letGo();
    await expect(running).rejects.toEqual(conflict);
    const { values } = await state();
    expect(seen(values.full_messages)).toEqual(["human: second", "ai: second is done"]);
  });

  it("rollback: turns that had ended before stay", async () => {
    const [one, other] = make();
    await second(one, undefined, "earlier").invoke({ messages: "before" }, thread);
    const first = slowAgent(one);
    const running = first.agent.invoke({ messages: "first" }, thread);
    running.catch(() => undefined);
    await first.running;
    const agent = second(other, "rollback");
    await agent.invoke({ messages: "second" }, thread);
    const kept = ["human: before", "ai: earlier", "human: second", "ai: second is done"];
    expect(seen((await agent.getState(thread)).values.full_messages)).toEqual(kept);
    const texts: string[] = [];
    for await (const { values } of agent.getStateHistory(thread)) texts.push(...seen(values.messages ?? []));
    expect(texts).not.toContain("human: first");
    first.letGo();
    await expect(running).rejects.toEqual(conflict);
  });

  it("cancel-and-heal: the calls that the first run left open are answered", async () => {
    const { first, running, next } = await meet("cancel-and-heal");
    const { messages } = await next;
    expect(seen(messages)).toEqual([
      "human: first",
      "ai: ",
      "tool: Cancelled",
      "human: second",
      "ai: second is done",
    ]);
    first.letGo();
    await expect(running).rejects.toEqual(conflict);
  });

  it("a call says for itself, streams too, and of several that take it the last has it", async () => {
    const [one, other] = make();
    const first = slowAgent(one);
    const running = first.agent.invoke({ messages: "first" }, thread);
    running.catch(() => undefined);
    await first.running;
    const chunks: unknown[] = [];
    const options = { ...thread, onBusy: "rollback" as const };
    for await (const chunk of await second(other).stream({ messages: "second" }, options)) chunks.push(chunk);
    expect(chunks.map((chunk) => Object.keys(chunk as object))).toEqual([["model_request"]]);
    first.letGo();
    await expect(running).rejects.toEqual(conflict);
  });
});

describe.each(["queue", "rollback"] as const)(
  "LangChain's events of a run whose thread is held: %s",
  (onBusy) => {
    it("begin once, when it has the thread", async () => {
      const saver = new MemorySaver();
      const first = slowAgent(saver);
      const running = first.agent.invoke({ messages: "first" }, thread);
      running.catch(() => undefined);
      await first.running;
      const begun: string[] = [];
      const reading = (async () => {
        const events = second(saver, onBusy).streamEvents({ messages: "second" }, thread);
        for await (const { event, name } of events) if (event === "on_chain_start") begun.push(name);
      })();
      if (onBusy === "queue") first.letGo();
      await reading;
      first.letGo();
      await running.catch(() => undefined);
      expect(begun.filter((name) => name === "LangGraph")).toHaveLength(1);
      expect(seen((await second(saver).getState(thread)).values.messages).slice(-2)).toEqual([
        "human: second",
        "ai: second is done",
      ]);
    });
  },
);

describe("a queue", () => {
  it("of one agent goes in the order of the calls", async () => {
    const saver = new MemorySaver();
    const first = slowAgent(saver);
    const running = first.agent.invoke({ messages: "first" }, thread);
    await first.running;
    const replying = createAgent({
      model: new ScriptedModel("1", "2", "3"),
      checkpointer: saver,
      onBusy: "queue",
    });
    const waiting = ["a", "b", "c"].map((messages) => replying.invoke({ messages }, thread));
    first.letGo();
    await running;
    await Promise.all(waiting);
    const { values } = await replying.getState(thread);
    expect(seen(values.messages).slice(4)).toEqual([
      "human: a",
      "ai: 1",
      "human: b",
      "ai: 2",
      "human: c",
      "ai: 3",
    ]);
  });

  it("lets go of a call that is stopped while it waits, and the next one waits for those before", async () => {
    const saver = new MemorySaver();
    const first = slowAgent(saver);
    const running = first.agent.invoke({ messages: "first" }, thread);
    await first.running;
    const replying = createAgent({ model: new ScriptedModel("c"), checkpointer: saver, onBusy: "queue" });
    const head = replying.invoke({ messages: "a" }, { ...thread, signal: AbortSignal.timeout(600_000) });
    const stop = new AbortController();
    const { signal } = stop;
    const stopped = replying.invoke({ messages: "b" }, { ...thread, signal });
    const left = (async () => {
      for await (const _ of await replying.stream({ messages: "b" }, { ...thread, signal })) void _;
    })();
    stop.abort(new Error("enough"));
    for (const refused of await Promise.allSettled([stopped, left]))
      expect(refused).toEqual({ status: "rejected", reason: new Error("enough") });
    first.letGo();
    await running;
    const { messages } = await head;
    expect(seen(messages).slice(4)).toEqual(["human: a", "ai: c"]);
  });

  it("lets other threads pass", async () => {
    const saver = new MemorySaver();
    const first = slowAgent(saver);
    const running = first.agent.invoke({ messages: "first" }, { ...thread, onBusy: "queue" });
    await first.running;
    const other = { configurable: { thread_id: "other" } };
    const { messages } = await second(saver, "queue").invoke({ messages: "x" }, other);
    expect(seen(messages)).toEqual(["human: x", "ai: second is done"]);
    first.letGo();
    await running;
  });
});

describe("a policy that can not be", () => {
  it("is refused: unknown, without a thread, or on a saver that does not know who runs a thread", async () => {
    const refused = expect.objectContaining({ code: "INVALID_CONFIGURATION" });
    expect(() => second(new MemorySaver(), "later" as OnBusy)).toThrow(refused);
    const alone = createAgent({ model: new ScriptedModel("a") });
    await expect(alone.invoke({ messages: "x" }, { onBusy: "queue" })).rejects.toEqual(refused);
  });

  it("a foreign saver never tells that a thread is held, so nothing is taken", async () => {
    const { messages } = await second(new PlainSaver(), "interrupt").invoke({ messages: "x" }, thread);
    expect(seen(messages)).toEqual(["human: x", "ai: second is done"]);
  });
});
