import { describe, expect, it } from "vitest";
import { createAgent } from "../src/index.ts";
import { deferred } from "./deferred.ts";
import { ScriptedModel } from "./scripted-model.ts";
import { agentOf, code, inMemory, managers, newFolder, placesIn, twice } from "./session-places.ts";

describe.each(placesIn(newFolder()))("a session that is deleted (F5, F7), in %s", (_name, make) => {
  it("is gone with its thread and all that the store knew, whatever state it was in; others stay", async () => {
    const places = await make();
    const { a, b, taken } = managers(places);
    const { agent } = agentOf(places[0], a, "one", "two", "three");
    const open = await a.create({ userId: "ada", id: "open" });
    const ended = await a.create({ userId: "ada", id: "ended" });
    const kept = await a.create({ userId: "ada", id: "kept" });
    for (const { thread } of [open, ended, kept]) await agent.invoke({ messages: "hello" }, thread);
    await a.end(ended.id);
    for (const { id } of [open, ended]) expect(await b.delete(id)).toBe(true);
    expect(await b.delete(open.id)).toBe(false);

    for (const { id, thread } of [open, ended]) {
      expect(await a.get(id)).toBeUndefined();
      expect(await places[0].saver.getTuple(thread)).toBeUndefined();
      await expect(a.end(id)).rejects.toEqual(code("UNKNOWN_SESSION"));
      await expect(agent.invoke({ messages: "again" }, thread)).rejects.toEqual(code("UNKNOWN_SESSION"));
    }
    expect((await a.list({ userId: "ada" })).sessions.map(({ id }) => id)).toEqual([kept.id]);
    expect((await a.list()).sessions.map(({ id }) => id)).toEqual([kept.id]);
    const left = await places[1].store.search(["skein", "sessions"], { limit: 100 });
    expect(new Set(left.map(({ key }) => key))).toEqual(new Set([kept.id]));
    expect(await a.sweep()).toEqual({ ended: [], delivered: [], pending: [] });
    // what was open was nobody's to take
    expect(taken.map(({ session }) => session.id)).toEqual([ended.id]);
    // its name is free again
    expect(await b.create({ userId: "bob", id: open.id })).toMatchObject({ state: "open", userId: "bob" });
  });
});

describe("deleting a session", () => {
  it("waits for a run, and deletes nothing when that takes too long", async () => {
    const place = inMemory();
    const { a, b } = managers(twice(place), { waitMs: 20 });
    const { id, thread } = await a.create({ userId: "ada" });
    const [started, gate] = [deferred(), deferred()];
    const model = new ScriptedModel(async () => {
      started.resolve();
      await gate.done;
      return "late";
    });
    const agent = createAgent({ model, checkpointer: place.saver, middleware: [a.middleware()] });
    const running = agent.invoke({ messages: "hello" }, thread);
    await started.done;
    await expect(b.delete(id)).rejects.toEqual(code("THREAD_CONFLICT"));
    expect(await b.get(id)).toMatchObject({ state: "open" });
    gate.resolve();
    await running;
    expect(await b.delete(id)).toBe(true);
    expect(await place.saver.getTuple(thread)).toBeUndefined();
  });

  it("between the two steps of an end in another process leaves nothing behind", async () => {
    const place = inMemory();
    const { a, b, taken } = managers(twice(place));
    const { id, thread } = await a.create({ userId: "ada" });
    await agentOf(place, a, "one").agent.invoke({ messages: "hello" }, thread);
    const { batch } = place.store;
    let once = true;
    place.store.batch = (async (operations: readonly object[]) => {
      const ends = operations.some((one) => "namespace" in one && String(one.namespace).endsWith("ends"));
      if (ends && once) {
        once = false;
        await b.delete(id);
      }
      return batch.call(place.store, operations as never);
    }) as typeof batch;
    await expect(a.end(id)).rejects.toEqual(code("UNKNOWN_SESSION"));
    expect(await place.store.search(["skein", "sessions"], { limit: 100 })).toEqual([]);
    expect(taken).toEqual([]);
  });

  it("does not reach another tenant's of the same id", async () => {
    const { a, b } = managers(twice(inMemory()));
    await a.forTenant("acme").create({ userId: "ada", id: "s" });
    expect(await b.delete("s")).toBe(false);
    expect(await a.forTenant("acme").get("s")).toMatchObject({ tenant: "acme" });
  });
});
