import { describe, expect, it } from "vitest";
import { createAgent } from "../src/index.ts";
import { deferred } from "./deferred.ts";
import { ScriptedModel } from "./scripted-model.ts";
import { agentOf, inMemory, managers, texts, twice } from "./session-places.ts";

describe("a sweep", () => {
  it("ends what was idle for long enough or is too old, and nothing that was used since", async () => {
    const place = inMemory();
    const { a, clock, taken } = managers(twice(place), { idleMs: 60_000, maxAgeMs: 600_000 });
    clock.now = Date.now();
    const idle = await a.create({ userId: "ada" });
    const used = await a.create({ userId: "bob" });
    const { agent } = agentOf(place, a, "1", "2", "3");
    await agent.invoke({ messages: "hello" }, idle.thread);
    clock.now += 40_000;
    await agent.invoke({ messages: "hello" }, used.thread);
    clock.now += 40_000;
    expect(await a.sweep()).toMatchObject({ ended: [idle.id], delivered: [idle.id] });
    expect(await a.get(idle.id)).toMatchObject({ state: "ended", reason: "idle" });
    expect(await a.get(used.id)).toMatchObject({ state: "open", activeAt: clock.now - 40_000 });
    clock.now += 520_000;
    await a.touch(used.id);
    expect(await a.sweep()).toMatchObject({ ended: [used.id] });
    expect(await a.get(used.id)).toMatchObject({ reason: "expired" });
    expect(taken).toHaveLength(2);
  });

  it("looks at the thread before: a program may use it without telling", async () => {
    const place = inMemory();
    const { a, clock } = managers(twice(place), { idleMs: 60_000 });
    clock.now = Date.now() - 80_000;
    const { id, thread } = await a.create({ userId: "ada" });
    const agent = createAgent({ model: new ScriptedModel("reply"), checkpointer: place.saver });
    await agent.invoke({ messages: "hello" }, thread);
    clock.now += 90_000;
    expect(await a.sweep()).toMatchObject({ ended: [] });
    clock.now += 60_000;
    expect(await a.sweep()).toMatchObject({ ended: [id] });
  });

  it("leaves a session alone whose thread is at work; its end waits, and hands all of it over", async () => {
    const place = inMemory();
    const { a, b, clock, taken } = managers(twice(place), {
      idleMs: 60_000,
      waitMs: 20,
      onFailure: () => {},
    });
    clock.now = Date.now();
    const { id, thread } = await a.create({ userId: "ada" });
    const [started, gate] = [deferred(), deferred()];
    const agent = createAgent({
      model: new ScriptedModel(async () => {
        started.resolve();
        await gate.done;
        return "late";
      }),
      checkpointer: place.saver,
      middleware: [a.middleware()],
    });
    const running = agent.invoke({ messages: "hello" }, thread);
    await started.done;
    clock.now += 61_000;
    expect(await b.sweep()).toEqual({ ended: [], delivered: [], pending: [] });
    expect(await b.end(id)).toMatchObject({ state: "ending" });
    expect(taken).toEqual([]);
    gate.resolve();
    await running;
    expect(await b.sweep()).toMatchObject({ delivered: [id] });
    expect(taken.map(texts)).toEqual([["human: hello", "ai: late"]]);
  });

  it("runs in the background until it is told to stop", async () => {
    const { a, clock, taken } = managers(twice(inMemory()), { idleMs: 1 });
    await a.create({ userId: "ada" });
    clock.now += 10;
    const stop = a.startSweeper({ everyMs: 5 });
    await expect.poll(async () => (await a.list({ state: "ended" })).sessions.length).toBe(1);
    stop();
    // nothing was said: there is nothing to take
    expect(taken).toEqual([]);
  });
});
