import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { BaseMessage } from "@langchain/core/messages";
import { MemorySaver as PlainSaver, type BaseStore } from "@langchain/langgraph-checkpoint";
import { MemorySaver } from "@skein/checkpointer";
import { PostgresSaver } from "@skein/checkpointer/postgres";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { InMemoryStore } from "@skein/checkpointer/store";
import { PostgresStore } from "@skein/checkpointer/store/postgres";
import { SqliteStore } from "@skein/checkpointer/store/sqlite";
import { describe, expect, it } from "vitest";
import { bundlePrograms } from "../../bench/src/bundle.ts";
import { newSchema, postgresUrl } from "../../checkpointer/test/support/postgres.ts";
import { SessionManager, type Handoff } from "../src/index.ts";
import {
  agentOf,
  code,
  managers,
  newFolder,
  placesIn,
  START,
  texts,
  twice,
  type Place,
} from "./session-places.ts";

const folder = newFolder();

describe.each(placesIn(folder))("sessions (F7) in %s", (_name, make) => {
  it("begin in one process, are seen, used and ended in another; the history is handed over once", async () => {
    const places = await make();
    const { a, b, taken } = managers(places);
    const made = await a.create({ userId: "ada", metadata: { channel: "web", tier: 2 } });
    expect(made).toMatchObject({ userId: "ada", state: "open", createdAt: START, activeAt: START });
    expect(await b.get(made.id)).toEqual(made);
    const { agent } = agentOf(places[1], b, "one", "two");
    await agent.invoke({ messages: "first" }, made.thread);
    await agent.invoke({ messages: "second" }, made.thread);
    const ended = await b.end(made.id);
    expect(ended).toMatchObject({ state: "ended", reason: "ended", endedAt: START });
    expect(taken.map(texts)).toEqual([["human: first", "ai: one", "human: second", "ai: two"]]);
    expect(taken[0]).toMatchObject({ key: (ended as { key: string }).key, session: { id: made.id } });
    expect(await a.get(made.id)).toEqual(ended);
    expect(await a.end(made.id)).toEqual(ended);
    expect(await a.sweep()).toEqual({ ended: [], delivered: [], pending: [] });
    expect(taken).toHaveLength(1);
    // nothing of what is refused is in the thread, so that nobody takes it for a part of the session
    const late = { messages: "third" };
    const refused = [
      () => agent.invoke(late, made.thread),
      async () => {
        for await (const _ of await agent.stream(late, made.thread));
      },
      () => agent.streamEvents(late, { ...made.thread, version: "v3" }),
    ];
    for (const call of refused) await expect(call()).rejects.toEqual(code("SESSION_ENDED"));
    const { values, next } = await agent.getState(made.thread);
    expect([values.messages.map(({ text }: BaseMessage) => text), next]).toEqual([
      ["first", "one", "second", "two"],
      [],
    ]);
  });

  it("are listed by user, by metadata and by state, a page at a time", async () => {
    const { a, b } = managers(await make());
    const ids: string[] = [];
    for (let at = 0; at < 5; at += 1) {
      const metadata = { channel: at % 2 === 0 ? "web" : "mail" };
      ids.push((await a.create({ userId: "ada", metadata })).id);
    }
    await a.create({ userId: "ad" });
    await b.end(ids[2] as string);
    const idsOf = async (options: Parameters<SessionManager["list"]>[0]): Promise<string[][]> => {
      const pages: string[][] = [];
      let cursor: string | undefined;
      do {
        const page = await b.list({ ...options, ...(cursor === undefined ? {} : { cursor }) });
        pages.push(page.sessions.map(({ id }) => id));
        cursor = page.cursor;
      } while (cursor !== undefined);
      return pages;
    };
    const [p, q, r, s, t] = ids;
    expect(await idsOf({ userId: "ada", limit: 2 })).toEqual([[p, q], [r, s], [t]]);
    expect(await idsOf({ userId: "ada", metadata: { channel: "web" }, limit: 3 })).toEqual([[p, r, t]]);
    expect(await idsOf({ userId: "ada", state: "open", limit: 2 })).toEqual([
      [p, q],
      [s, t],
    ]);
    expect(await idsOf({ state: "ended" })).toEqual([[r]]);
    expect((await idsOf({})).flat()).toHaveLength(6);
    expect(await idsOf({ userId: "a" })).toEqual([[]]);
    await expect(b.list({ cursor: "x" })).rejects.toEqual(code("INVALID_INPUT"));
  });

  it("of one tenant are not there for another, whatever ids and names are alike", async () => {
    const places = await make();
    const { a: none } = managers(places);
    const acme = none.forTenant("acme");
    const other = none.forTenant("acme:records");
    const ids = ["s", "acme$s", "acme%24s", "a.b/c: ü"];
    for (const sessions of [acme, none]) {
      for (const id of ids) await sessions.create({ id, userId: "ada" });
    }
    expect((await other.list()).sessions).toEqual([]);
    expect(await other.get("s")).toBeUndefined();
    await expect(other.end("s")).rejects.toEqual(code("UNKNOWN_SESSION"));
    for (const sessions of [acme, none]) {
      const { sessions: found } = await sessions.list();
      expect(found.map(({ id }) => id)).toEqual(ids);
    }
    const threads = await Promise.all([acme, none].map(async (one) => (await one.list()).sessions));
    expect(new Set(threads.flat().map(({ thread }) => thread.configurable.thread_id)).size).toBe(8);
    for (const { thread } of threads.flat().slice(4)) {
      const { agent: own } = agentOf(places[0], none, "reply");
      expect((await own.invoke({ messages: "x" }, thread)).messages).toHaveLength(2);
    }
    const { agent } = agentOf(places[0], acme, "never");
    await expect(agent.invoke({ messages: "x" }, { configurable: { thread_id: "s" } })).rejects.toEqual(
      code("UNKNOWN_SESSION"),
    );
  });

  it("that are ended and swept by many at once are each handed over, and none is lost", async () => {
    const places = await make();
    const { a, b, taken, clock } = managers(places, { idleMs: 60_000 });
    clock.now = Date.now();
    const { agent } = agentOf(places[0], a, ...Array.from({ length: 6 }, () => "reply"));
    const ids: string[] = [];
    for (let at = 0; at < 6; at += 1) {
      const { id, thread } = await a.create({ userId: "ada" });
      await agent.invoke({ messages: `question ${at}` }, thread);
      ids.push(id);
    }
    clock.now += 600_000;
    await Promise.all([a.sweep(), b.sweep(), ...ids.slice(0, 3).flatMap((id) => [a.end(id), b.end(id)])]);
    await a.sweep();
    expect((await b.list({ state: "ended" })).sessions.map(({ id }) => id)).toEqual(ids);
    expect(new Set(taken.map(({ session }) => session.id))).toEqual(new Set(ids));
    // one key a session, however often it was handed over
    expect(new Set(taken.map(({ key }) => key)).size).toBe(ids.length);
    // our savers let one of them do it; without claims each of the ten may
    expect(taken.length).toBeLessThanOrEqual(places[0].saver instanceof PlainSaver ? 60 : ids.length);
    expect(await b.sweep()).toEqual({ ended: [], delivered: [], pending: [] });
  });

  it("whose offload hook fails wait for a sweep of any process, and come under the same key", async () => {
    const places = await make();
    const failures: unknown[] = [];
    const keys: string[] = [];
    let down = true;
    const offload = ({ key }: Handoff): void => {
      keys.push(key);
      if (down) throw new Error("the memory is down");
    };
    const { a, b } = managers(places, { offload, onFailure: (failure) => failures.push(failure) });
    const { id, thread } = await a.create({ userId: "ada" });
    await agentOf(places[0], a, "reply").agent.invoke({ messages: "hello" }, thread);
    expect(await a.end(id)).toMatchObject({ state: "ending", reason: "ended" });
    expect(failures).toMatchObject([
      { hook: "offload", sessionId: id, error: { message: "the memory is down" } },
    ]);
    expect(await b.sweep()).toEqual({ ended: [], delivered: [], pending: [id] });
    down = false;
    expect(await b.sweep()).toEqual({ ended: [], delivered: [id], pending: [] });
    expect(keys).toHaveLength(3);
    expect(await a.get(id)).toMatchObject({ state: "ended", key: keys[0] });
    expect(new Set(keys).size).toBe(1);
  });
});

/** A place in memory whose store loses its connection within one of its batches. */
function fragile() {
  const saver = new MemorySaver();
  const store = new InMemoryStore();
  const cut = { kind: "", done: 0 };
  const broken = new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (name !== "batch") return typeof member === "function" ? member.bind(target) : member;
      return async (operations: Parameters<BaseStore["batch"]>[0]) => {
        const touched = operations.some((one) => "value" in one && one.namespace.at(-1) === cut.kind);
        if (!touched) return target.batch(operations as never);
        cut.kind = "";
        await target.batch(operations.slice(0, cut.done) as never);
        throw new Error("connection lost");
      };
    },
  });
  const whole: Place = { saver, store };
  return { places: [{ saver, store: broken }, whole] as const, cut };
}

describe("a process that breaks off", () => {
  it.each(["SQLite", "PostgreSQL"])(
    "by kill -9 within the offload hook: another process hands over, under the same key (%s)",
    async (kind) => {
      const bundle = mkdtempSync(join(import.meta.dirname, "../node_modules/.bundle-"));
      const path = join(folder, "killed.db");
      const schema = newSchema();
      const url = await postgresUrl();
      const [script = ""] = await bundlePrograms([join(import.meta.dirname, "session-worker.ts")], bundle);
      const target = kind === "SQLite" ? path : `${url}#${schema}`;
      const child = spawn(process.execPath, [script, target], { stdio: ["ignore", "pipe", "inherit"] });
      const [line] = (await once(createInterface(child.stdout), "line")) as [string];
      const offered = JSON.parse(line) as { id: string; key: string; messages: number };
      const place =
        kind === "SQLite"
          ? { saver: SqliteSaver.fromConnString(path), store: SqliteStore.fromConnString(path) }
          : {
              saver: PostgresSaver.fromConnString(url, { schema }),
              store: PostgresStore.fromConnString(url, { schema }),
            };
      const { a, taken } = managers(twice(place), { waitMs: 50, onFailure: () => {} });
      // what that process has made and ended is there, and nobody may go on with it
      expect(await a.get(offered.id)).toMatchObject({ userId: "ada", state: "ending" });
      expect((await a.list({ userId: "ada" })).sessions.map(({ id }) => id)).toEqual([offered.id]);
      // that process is at it: this one keeps away
      expect(await a.sweep()).toEqual({ ended: [], delivered: [], pending: [offered.id] });
      child.kill("SIGKILL");
      await once(child, "exit");
      await expect.poll(async () => (await a.sweep()).delivered, { timeout: 10_000 }).toEqual([offered.id]);
      expect(taken.map(({ key, messages }) => [key, messages.length])).toEqual([[offered.key, 2]]);
      expect(await a.get(offered.id)).toMatchObject({ state: "ended" });
      rmSync(bundle, { recursive: true });
      await place.store.stop();
      await place.saver.close();
    },
  );

  it("between offload and the note of it: the history comes again, under the same key", async () => {
    const { places, cut } = fragile();
    const { a, b, taken } = managers(places, { onFailure: () => {} });
    const { id, thread } = await a.create({ userId: "ada" });
    await agentOf(places[0], a, "reply").agent.invoke({ messages: "hello" }, thread);
    cut.kind = "handoffs";
    expect(await a.end(id)).toMatchObject({ state: "ending" });
    expect(await b.sweep()).toMatchObject({ delivered: [id] });
    expect(taken.map(({ key }) => key)).toEqual([taken[0]?.key, taken[0]?.key]);
  });

  it("while it writes that a session is over, in a store that does one write after the other", async () => {
    const { places, cut } = fragile();
    const { a, b, taken } = managers(places);
    const { id, thread } = await a.create({ userId: "ada" });
    await agentOf(places[0], a, "reply").agent.invoke({ messages: "hello" }, thread);
    Object.assign(cut, { kind: "ends", done: 1 });
    await expect(a.end(id)).rejects.toThrow("connection lost");
    expect(await b.get(id)).toMatchObject({ state: "open" });
    expect(await b.sweep()).toEqual({ ended: [], delivered: [id], pending: [] });
    expect(taken.map(texts)).toEqual([["human: hello", "ai: reply"]]);
    expect(await b.get(id)).toMatchObject({ state: "ended", reason: "ended" });
  });
});
