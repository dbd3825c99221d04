import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { GraphError } from "@skein/errors";
import { describe, expect, it } from "vitest";
import type { ChannelChange, Claim, StoredCheckpoint } from "../src/index.ts";
import { ALL_SAVERS } from "./savers.ts";
import { change, contents, message, openedFor, ROOT } from "./support/change-sets.ts";

const appended = (...add: unknown[]): ChannelChange => ({
  op: "list",
  segments: [{ keep: [0, 1] }, { add }],
});

const of = (...texts: string[]) => [
  { taskId: "a", writes: texts.map((text): [string, unknown] => ["log", text]) },
];

describe.each(ALL_SAVERS)("change sets of $name", (kind) => {
  const { storage, sets, told, again, open, load, take } = openedFor(kind);

  it("finds nothing in an empty storage, and creates nothing by looking", async () => {
    expect(await open()).toEqual({ checkpoint: undefined, headId: undefined, claim: undefined });
    expect(await storage().saver.listThreads()).toEqual([]);
  });

  it("stores a chain of changes and reads it back, answering without promises", async () => {
    const claim = await take();
    const [hello, reply] = [
      new HumanMessage({ id: "1", content: "hello" }),
      new AIMessage({ id: "2", content: "hi" }),
    ];
    await told(
      sets().commit(
        claim,
        change("1", undefined, {
          messages: { op: "list", segments: [{ add: [hello] }] },
          n: { op: "set", value: 1 },
        }),
      ),
    );
    await told(
      sets().commit(
        claim,
        change("2", "1", { messages: { op: "list", segments: [{ keep: [0, 1] }, { add: [reply] }] } }),
      ),
    );
    await told(sets().commit(claim, change("3", "2", { n: { op: "clear" } })));
    await told(sets().release(claim));
    for (const from of [sets(), again()]) {
      const opened = await open({}, from);
      expect(opened.headId).toBe("3");
      expect(opened.checkpoint).toMatchObject({
        id: "3",
        parentId: "2",
        channelVersions: { messages: 2, n: 3 },
      });
      expect([...(opened.checkpoint as StoredCheckpoint).channels.keys()]).toEqual(["messages"]);
      expect(await load(opened, "messages")).toEqual([hello, reply]);
      const first = await open({ checkpointId: "1" }, from);
      expect(await load(first, "messages")).toEqual([hello]);
      expect(await load(first, "n")).toBe(1);
      expect(first.checkpoint?.metadata).toEqual({ source: "loop", step: 1, parents: {} });
    }
  });

  it("stores a message once, though it is a write, in the list and in the archive", async () => {
    const claim = await take();
    const text = "a".repeat(1000);
    const message = new HumanMessage({ id: "1", content: text });
    await told(sets().commit(claim, change("1", undefined, {})));
    await told(
      sets().commit(claim, {
        ...change("2", "1", {
          messages: { op: "list", segments: [{ add: [message], lane: "messages" }] },
          full_messages: { op: "log", lane: "messages", entries: [{ add: message }] },
        }),
        writes: [{ taskId: "task", writes: [["messages", [message]]] }],
      }),
    );
    const report = await storage().saver.storageReport("t");
    expect(report?.items).toBe(1);
    expect((report?.itemBytes ?? 0) + (report?.writeBytes ?? 0) + (report?.manifestBytes ?? 0)).toBeLessThan(
      1500,
    );
    expect((await open({ checkpointId: "1" }, again())).checkpoint?.pendingWrites).toEqual([
      ["task", "messages", [message]],
    ]);
  });

  it("stores an input's message once, too, and reads the input as it was", async () => {
    const claim = await take();
    const input = { messages: [message("1", "a".repeat(1000))], other: { $: "item", l: 0, o: 0 } };
    await told(sets().commit(claim, change("1", undefined, { __start__: { op: "set", value: input } })));
    const added: ChannelChange = { op: "list", segments: [{ add: input.messages }] };
    await told(sets().commit(claim, change("2", "1", { __start__: { op: "clear" }, messages: added })));
    expect((await storage().saver.storageReport("t"))?.itemBytes).toBeLessThan(1250);
    for (const from of [sets(), again()]) {
      expect(await load(await open({ checkpointId: "1" }, from), "__start__")).toEqual(input);
      expect(await load(await open({}, from), "messages")).toEqual(input.messages);
    }
  });

  it("keeps recorded writes, and moves their bytes to items when the step commits (A6)", async () => {
    const claim = await take();
    await told(sets().commit(claim, change("1", undefined, {})));
    const message = new AIMessage({ id: "1", content: "b".repeat(1000) });
    const writes = [{ taskId: "a", writes: [["messages", message] as [string, unknown]] }];
    await told(sets().record(claim, { ...ROOT, checkpointId: "1" }, writes));
    expect((await open({}, again())).checkpoint?.pendingWrites).toEqual([["a", "messages", message]]);
    await told(
      sets().record(claim, { ...ROOT, checkpointId: "1" }, [
        { taskId: "a", writes: [["messages", "another outcome"]] },
      ]),
    );
    expect((await open({}, again())).checkpoint?.pendingWrites).toEqual([["a", "messages", message]]);
    await told(
      sets().commit(claim, change("2", "1", { messages: { op: "list", segments: [{ add: [message] }] } })),
    );
    expect((await open({ checkpointId: "1" }, again())).checkpoint?.pendingWrites).toEqual([
      ["a", "messages", message],
    ]);
    expect((await storage().saver.storageReport("t"))?.writeBytes).toBeLessThan(100);
  });

  it("adds to recorded writes, but not for a run whose thread was taken (C4, F6)", async () => {
    const at = { ...ROOT, checkpointId: "1" };
    const lost = await take();
    await told(sets().commit(lost, change("1", undefined, {})));
    await told(sets().record(lost, at, of("one")));
    const { claim } = await told(again().open(ROOT, { claim: "take" }));
    await expect(async () => sets().record(lost, at, of("one", "late"))).rejects.toThrow(
      /another run took it/,
    );
    await told(again().record(claim as Claim, at, of("one", "two")));
    const { checkpoint } = await open({}, again());
    expect(checkpoint?.pendingWrites.map(([, , text]) => text)).toEqual(["one", "two"]);
  });

  it.each([
    [1, false],
    [1, true],
    [5, false],
    [5, true],
  ])(
    "refuses a commit of %i items when the thread was taken, be it the run's last: %s (C2, F6)",
    async (count, release) => {
      const lost = await take();
      await told(sets().commit(lost, change("1", undefined, { n: { op: "set", value: 1 } })));
      const { claim } = await told(again().open(ROOT, { claim: "take" }));
      const add = Array.from(
        { length: count },
        (_, i) => new HumanMessage({ id: `late ${i}`, content: "late" }),
      );
      const late = change("2", "1", { messages: { op: "list", segments: [{ add }] } });
      await expect(async () => sets().commit(lost, { ...late, release })).rejects.toThrow(
        expect.objectContaining({ code: "THREAD_CONFLICT" }),
      );
      const opened = await open({}, again());
      expect([opened.headId, opened.checkpoint?.channels.has("messages")]).toEqual(["1", false]);
      await told(again().commit(claim as Claim, change("2", "1", { n: { op: "set", value: 2 } })));
      expect(await load(await open({}, again()), "n")).toBe(2);
    },
  );

  it("refuses a second claim while a live run holds the thread (F6)", async () => {
    const claim = await take();
    await expect(async () => again().open(ROOT, { claim: "fail" })).rejects.toThrow(
      /Thread "t" is busy: another run works on it/,
    );
    const waiting = again().open(ROOT, { claim: { waitMs: 5000 } });
    expect(waiting).toBeInstanceOf(Promise);
    await told(sets().release(claim));
    expect((await waiting).claim?.epoch).not.toBe(claim.epoch);
    await expect(async () => again().open(ROOT, { claim: { waitMs: 20 } })).rejects.toThrow(GraphError);
  });

  it("refuses the commit of a run whose head moved, and changes nothing", async () => {
    const claim = await take();
    await told(sets().commit(claim, change("1", undefined, { n: { op: "set", value: 1 } })));
    await storage()
      .reopen()
      .put(
        { configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: "1" } },
        { v: 4, id: "5", ts: "x", channel_values: { n: 5 }, channel_versions: { n: 5 }, versions_seen: {} },
        { source: "update", step: 5, parents: {} },
        { n: 5 },
      );
    await expect(async () =>
      sets().commit(claim, change("6", "1", { n: { op: "set", value: 6 } })),
    ).rejects.toThrow(expect.objectContaining({ code: "THREAD_CONFLICT" }));
    expect(await load(await open({}, again()), "n")).toBe(5);
  });

  it("forks where a commit's parent is not the head; both branches read their own list", async () => {
    const claim = await take();
    const first = new HumanMessage({ id: "first", content: "first" });
    await told(
      sets().commit(
        claim,
        change("1", undefined, { messages: { op: "list", segments: [{ add: [first] }] } }),
      ),
    );
    await told(sets().commit(claim, change("2", "1", { messages: appended(message("left")) })));
    await told(
      sets().commit(claim, {
        ...change("3", "1", { messages: appended(message("right")) }),
        expectedHead: "2",
      }),
    );
    for (const from of [sets(), again()]) {
      expect(contents(await load(await open({ checkpointId: "2" }, from), "messages"))).toEqual([
        "first",
        "left",
      ]);
      expect(contents(await load(await open({ checkpointId: "3" }, from), "messages"))).toEqual([
        "first",
        "right",
      ]);
      expect((await open({}, from)).checkpoint?.parentId).toBe("1");
    }
  });

  it("gives the thread back with the last commit", async () => {
    const claim = await take();
    await told(sets().commit(claim, { ...change("1", undefined, {}), release: true }));
    const next = await told(again().open(ROOT, { claim: "fail" }));
    expect(next.claim?.epoch).not.toBe(claim.epoch);
    await expect(async () => sets().commit(claim, change("2", "1", {}))).rejects.toThrow(
      expect.objectContaining({ code: "THREAD_CONFLICT" }),
    );
  });
});
