import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import type { Checkpoint, CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CHANGE_SETS, MemorySaver, type Claim, type StoredCheckpoint } from "../src/index.ts";
import { ALL_SAVERS, type Saver } from "./savers.ts";

const ROOT = { threadId: "t", namespace: "" };
const ID = (n: number): string => String(n).padStart(4, "0");

/** Commits a list of elements as the first checkpoint of a thread. */
async function store(saver: Saver, elements: readonly unknown[]): Promise<void> {
  const opened = await saver[CHANGE_SETS].open(ROOT, { claim: "fail" });
  await saver[CHANGE_SETS].commit(opened.claim as Claim, {
    namespace: "",
    parentId: undefined,
    expectedHead: undefined,
    checkpoint: {
      id: ID(1),
      ts: "2026-01-01T00:00:00.000Z",
      metadata: { source: "input", step: -1, parents: {} },
      channelVersions: { list: 1 },
      versionsSeen: {},
    },
    channels: new Map([["list", { op: "list", segments: [{ add: elements }] }]]),
    writes: [],
    release: true,
  });
}

const load = async (saver: Saver): Promise<unknown[]> =>
  (await (await saver[CHANGE_SETS].open(ROOT)).checkpoint?.channels.get("list")?.load()) as unknown[];

const called = (n: number): AIMessage =>
  new AIMessage({ id: `m${n}`, content: `text ${n}`, tool_calls: [{ id: `c${n}`, name: "f", args: { n } }] });

const made = (): unknown[] => [...Array.from({ length: 8 }, (_, n) => called(n)), { plain: { n: 1 } }];

/** The arguments of a message's only tool call. */
const call = (message: unknown): { args: unknown } =>
  (message as { tool_calls: [{ args: unknown }] }).tool_calls[0];

describe.each(ALL_SAVERS)("edits in place under $name", (kind) => {
  let storage: ReturnType<typeof kind.open>;
  let saver: Saver;
  beforeEach(() => {
    storage = kind.open();
    saver = storage.saver;
  });
  afterEach(() => storage.close());

  it("of what was committed do not reach the storage or the next reader", async () => {
    const messages = Array.from({ length: 12 }, (_, n) => called(n));
    await store(saver, messages);
    for (const message of messages) message.content = "edited";
    expect(((await load(saver)) as BaseMessage[]).map(({ content }) => content)).toEqual(
      messages.map((_, n) => `text ${n}`),
    );
  });

  it("of the text of a message far back are gone within a few readings", async () => {
    await store(
      saver,
      Array.from({ length: 1_500 }, (_, n) => called(n)),
    );
    for (const at of [0, 200, 1_100]) ((await load(saver))[at] as BaseMessage).content = "edited";
    let read: BaseMessage[] = [];
    for (let reading = 0; reading < 4; reading += 1) read = (await load(saver)) as BaseMessage[];
    expect(read.map(({ content }) => content)).toEqual(Array.from({ length: 1_500 }, (_, n) => `text ${n}`));
  });

  it("of what was loaded do not reach the next reader", async () => {
    await store(saver, made());
    for (let round = 0; round < 3; round += 1) {
      const loaded = (await load(saver)) as AIMessage[];
      expect(loaded).toEqual(made());
      (loaded[round] as AIMessage).content = "edited";
      (loaded[7] as AIMessage).tool_calls = [];
      call(loaded[6]).args = "edited deep inside";
      (loaded[8] as unknown as { plain: { n: number } }).plain.n = 2;
      loaded.length = 2;
    }
  });

  it("of loaded messages and objects are stored when a plain put brings them back", async () => {
    const config = { configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: ID(1) } };
    await store(saver, [called(1), { id: "o", text: "old" }, called(2)]);
    const tuple = await saver.getTuple(config);
    const list = tuple?.checkpoint.channel_values["list"] as [AIMessage, { text: string }, AIMessage];
    list[1].text = "new";
    call(list[2]).args = { n: "edited" };
    const next: Checkpoint = {
      ...(tuple?.checkpoint as Checkpoint),
      id: ID(2),
      channel_versions: { list: 2 },
    };
    await saver.put(config, next, { source: "update", step: 0, parents: {} }, { list: 2 });
    for (const from of [saver, storage.reopen()]) {
      const stored = (await load(from)) as [AIMessage, { text: string }, AIMessage];
      expect(stored[1]).toEqual({ id: "o", text: "new" });
      expect(stored[2].tool_calls?.[0]?.args).toEqual({ n: "edited" });
      expect(stored[0]).toEqual(called(1));
    }
    // the one that nobody edited is still one item
    expect((await saver.storageReport("t"))?.items).toBe(5);
    const first = await storage.reopen().getTuple(config);
    const before = (first as CheckpointTuple).checkpoint.channel_values["list"] as AIMessage[];
    expect(call(before[2]).args).toEqual({ n: 2 });
  });

  it("of an element that a task writes are in the write", async () => {
    await store(saver, [called(1), called(2)]);
    const opened = await saver[CHANGE_SETS].open(ROOT, { claim: "fail" });
    const last = await (opened.checkpoint as StoredCheckpoint).channels.get("list")?.load();
    const [, written] = last as [AIMessage, AIMessage];
    call(written).args = { n: "edited" };
    await saver[CHANGE_SETS].commit(opened.claim as Claim, {
      namespace: "",
      parentId: ID(1),
      expectedHead: ID(1),
      checkpoint: {
        id: ID(2),
        ts: "x",
        metadata: { source: "loop", step: 0, parents: {} },
        channelVersions: {},
        versionsSeen: {},
      },
      channels: new Map(),
      writes: [{ taskId: "a", writes: [["list", written]] }],
    });
    const old = await storage.reopen()[CHANGE_SETS].open({ ...ROOT, checkpointId: ID(1) });
    const [write] = (old.checkpoint as StoredCheckpoint).pendingWrites;
    expect(call(write?.[2]).args).toEqual({ n: "edited" });
  });
});

describe("the cache of decoded lists", async () => {
  it("may be of any size", async () => {
    for (const cacheBytes of [0, 2000, 1e9]) {
      const saver = new MemorySaver({ cacheBytes });
      const messages = Array.from(
        { length: 20 },
        (_, n) => new HumanMessage({ id: `h${n}`, content: `${n}` }),
      );
      await store(saver, messages);
      for (let i = 0; i < 3; i += 1) expect(await load(saver)).toEqual(messages);
    }
  });
});
