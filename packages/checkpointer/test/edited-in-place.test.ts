import type { Checkpoint, CheckpointTuple, PendingWrite } from "@langchain/langgraph-checkpoint";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  CHANGE_SETS,
  type ChangeSet,
  type ChangeSets,
  type ChannelChange,
  type Claim,
} from "../src/index.ts";
import { ALL_SAVERS } from "./savers.ts";
import { change, contents, message, ROOT } from "./support/change-sets.ts";

/** A value that is an item, and not a part of the manifest. */
const PAD = "x".repeat(600);
const TASK = "task";

const appended = (...add: unknown[]): ChannelChange => ({ op: "list", segments: [{ add }] });
const set = (value: unknown): ChannelChange => ({ op: "set", value });
const at = (id: string) => ({ configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: id } });
const wrote = (...writes: [string, unknown][]) => [{ taskId: TASK, writes }];
const documentOf = (part: unknown) => ({ title: "as stored", part, pad: PAD }) as Record<string, unknown>;
const longer = (title: string) => ({ title, more: PAD.repeat(3) });

/** What a program does to an object that it handed over before; the second cannot be stored. */
const EDITS: [string, (document: Record<string, unknown>) => void][] = [
  ["to something else", (document) => void (document["title"] = "EDITED")],
  ["to what cannot be stored", (document) => void (document["title"] = () => {})],
];

describe.each(ALL_SAVERS)("what was edited in place since it was handed to $name", (kind) => {
  let storage: ReturnType<typeof kind.open>;
  let sets: ChangeSets;
  let claim: Claim;
  beforeEach(async () => {
    storage = kind.open();
    sets = storage.saver[CHANGE_SETS];
    claim = await take();
    // SQLite answers with promises where several runs are under way
    await sets.open({ threadId: "another", namespace: "" }, { claim: "fail" });
  });
  afterEach(() => storage.close());

  const take = async (address: object = {}): Promise<Claim> =>
    (await sets.open({ ...ROOT, ...address }, { claim: "fail" })).claim as Claim;
  const commit = (...args: Parameters<typeof change>) => sets.commit(claim, change(...args));
  const record = (id: string, ...writes: [string, unknown][]) =>
    sets.record(claim, { ...ROOT, checkpointId: id }, wrote(...writes));
  const read = async (id: string) => (await storage.reopen().getTuple(at(id))) as CheckpointTuple;
  const values = async (id: string) => (await read(id)).checkpoint.channel_values;
  const writesOf = async (id: string) =>
    ((await read(id)).pendingWrites ?? []).map(([, channel, value]) => [channel, value]);

  /** Takes ordinals without a claim: what is committed next is refused, and planned anew. */
  async function putBySomebodyElse(under: string): Promise<void> {
    const forked: Checkpoint = {
      ...(await read(under)).checkpoint,
      id: `${under}a`,
      channel_values: { lane: ["another"] },
      channel_versions: { lane: 9 },
    };
    const metadata = { source: "update", step: 9, parents: {} } as const;
    await storage.reopen().put(at(under), forked, metadata, { lane: 9 });
  }
  /** The writes that came with a checkpoint. */
  const writesBefore = async (id: string) =>
    writesOf((await read(id)).parentConfig?.configurable?.["checkpoint_id"]);

  describe("is in older checkpoints as it was stored there, when its parts become items:", () => {
    it.each(EDITS)("a value, %s", async (_name, edit) => {
      const part = message("m");
      const document = documentOf(part);
      await commit("1", undefined, { document: set(document) });
      edit(document);
      await commit("2", "1", { document: set("another"), list: appended(part) });
      expect(await values("1")).toEqual({ document: documentOf(message("m")) });
    });

    it.each(EDITS)("a recorded write, %s; what is as it was is stored once", async (_name, edit) => {
      await commit("1", undefined, {});
      const part = message("m", PAD);
      const document = documentOf(part);
      await record("1", ["n", 1], ["document", document], ["list", [part]]);
      edit(document);
      await commit("2", "1", { list: appended(part) });
      expect(await writesOf("1")).toEqual([
        ["n", 1],
        ["document", documentOf(message("m", PAD))],
        ["list", [message("m", PAD)]],
      ]);
      // the edited one holds the part's text and its own
      expect((await storage.saver.storageReport("t"))?.writeBytes).toBeLessThan(3 * PAD.length);
    });

    it("a write that followed one that was recorded before", async () => {
      await commit("1", undefined, {});
      const [part, other] = [message("m"), message("n")];
      const [first, second] = [documentOf(part), documentOf(other)];
      await record("1", ["document", first]);
      await record("1", ["document", first], ["document", second]);
      second["title"] = "EDITED";
      await commit("2", "1", { list: appended(part, other) });
      expect(await writesOf("1")).toEqual([
        ["document", documentOf(message("m"))],
        ["document", documentOf(message("n"))],
      ]);
    });

    it("a write that was read for a run, and for one more from there", async () => {
      await commit("1", undefined, {});
      await record("1", ["document", documentOf(message("m"))]);
      await sets.release(claim);
      for (const [head, id] of [
        ["1", "2"],
        ["2", "3"],
      ] as const) {
        sets = storage.reopen()[CHANGE_SETS];
        const opened = await sets.open({ ...ROOT, checkpointId: "1" }, { claim: "fail" });
        claim = opened.claim as Claim;
        const document = opened.checkpoint?.pendingWrites[0]?.[2] as Record<string, unknown>;
        document["title"] = "EDITED";
        const next = change(id, "1", { list: appended(document["part"]) });
        await sets.commit(claim, { ...next, expectedHead: head, release: true });
        expect(await writesOf("1")).toEqual([["document", documentOf(message("m"))]]);
      }
    });

    it("a value and a write that were put", async () => {
      await sets.release(claim);
      const { saver } = storage;
      const metadata = { source: "loop", step: 0, parents: {} } as const;
      const put = (id: string, under: string | undefined, channels: Record<string, unknown>) => {
        const versions = Object.fromEntries(Object.keys(channels).map((channel) => [channel, Number(id)]));
        const checkpoint: Checkpoint = {
          v: 4,
          id,
          ts: "x",
          channel_values: channels,
          channel_versions: versions,
          versions_seen: {},
        };
        const config = { configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: under } };
        return saver.put(config, checkpoint, metadata, versions);
      };
      const parts = [message("m", PAD), message("n", PAD)] as const;
      const [document, written] = [documentOf(parts[0]), documentOf(parts[1])];
      await put("1", undefined, { document });
      const writes: PendingWrite[] = [
        ["document", written],
        ["list", parts],
      ];
      await saver.putWrites(at("1"), writes, TASK);
      document["title"] = "EDITED";
      written["title"] = "EDITED";
      await put("2", "1", { document: "another", list: [...parts] });
      expect(await values("1")).toEqual({ document: documentOf(message("m", PAD)) });
      expect(await writesOf("1")).toEqual([
        ["document", documentOf(message("n", PAD))],
        ["list", [message("m", PAD), message("n", PAD)]],
      ]);
      expect((await saver.storageReport("t"))?.writeBytes).toBeLessThan(3 * PAD.length);
    });
  });

  describe("is in the checkpoint as it was handed over, when it is stored after", () => {
    /** A commit that is edited before anybody waits for it, at once or behind another one. */
    const DELAYS = ["nothing", "another commit", "chunks that are read", "a put of somebody else's"];
    const CHUNKED = Array.from({ length: 400 }, (_, n) => n);
    const RAGGED = Array.from({ length: 200 }, (_, n) => ({ keep: [2 * n, 2 * n + 1] as const }));

    /** Hands a change set over, behind something that may be waited for, and edits it. */
    async function committed(delay: string, given: Partial<ChangeSet>, edit: () => void): Promise<void> {
      await commit("1", undefined, { ragged: appended(...CHUNKED), lane: appended("a") });
      await commit("2", "1", { ragged: { op: "list", segments: RAGGED } });
      await commit("3", "2", { n: set(0) });
      const waiting: unknown[] = [];
      if (delay === "another commit") waiting.push(commit("4", "3", {}));
      const parent = delay === "another commit" ? "4" : "3";
      const channels = new Map(given.channels);
      if (delay === "chunks that are read")
        channels.set("ragged", { op: "list", segments: [{ keep: [0, 10] }, { keep: [11, 200] }] });
      if (delay === "a put of somebody else's") {
        await putBySomebodyElse("2");
      }
      waiting.push(sets.commit(claim, { ...change("5", parent, {}), ...given, channels }));
      edit();
      await Promise.all(waiting);
    }
    it.each(DELAYS)("%s: values, elements, writes and what they hold", async (delay) => {
      const [held, element, part] = [documentOf(0), documentOf(0), message("m", "as stored")];
      const [written, holder, list] = [documentOf(0), documentOf(part), [part]];
      await committed(
        delay,
        {
          channels: new Map([
            ["held", set(held)],
            ["lane", appended(element, part)],
          ]),
          writes: wrote(["held", [held]], ["a", written], ["holder", holder], ["list", list], ["n", part]),
        },
        () => {
          for (const one of [held, element, written]) one["title"] = "EDITED";
          holder["title"] = () => {};
          part.content = "EDITED";
          list.push(message("pushed later"));
        },
      );
      const stored = message("m", "as stored");
      const found = await values("5");
      expect([found["held"], found["lane"]]).toEqual([documentOf(0), [documentOf(0), stored]]);
      expect(await writesBefore("5")).toEqual([
        ["held", [documentOf(0)]],
        ["a", documentOf(0)],
        ["holder", documentOf(stored)],
        ["list", [stored]],
        ["n", stored],
      ]);
    });

    it.each(DELAYS)("%s: a message that is read again later by this saver", async (delay) => {
      const part = message("m", "as stored");
      await committed(delay, { channels: new Map([["list", appended(part)]]) }, () => {
        part.content = "EDITED";
      });
      const more = Array.from({ length: 6 }, (_, n) => message(`${n}`));
      await commit("6", "5", { list: { op: "list", segments: [{ keep: [0, 1] }, { add: more }] } });
      // what was edited is another element
      await commit("7", "6", { copy: appended(part) });
      const channels = (await sets.open(ROOT)).checkpoint?.channels;
      const [list, copy] = [await channels?.get("list")?.load(), await channels?.get("copy")?.load()];
      expect(contents(list)[0]).toBe("as stored");
      expect(contents(copy)).toEqual(["EDITED"]);
    });

    it("a put of somebody else's: records, what is an item already, and what looks like one", async () => {
      const [first, second, held] = [message("1"), message("2"), { n: 0 }];
      await commit("1", undefined, { record: set(longer("old")), lane: appended(first) });
      await commit("2", "1", { n: set(0) });
      await putBySomebodyElse("1");
      const [changed, like] = [longer("as stored"), { $: "item", l: 0, o: 0 }];
      const added: ChannelChange = { op: "list", segments: [{ keep: [0, 1] }, { add: [second] }] };
      const channels = { record: set(changed), held: set(held), copy: appended(first), lane: added };
      const stored = sets.commit(claim, {
        ...change("3", "2", channels),
        writes: wrote(["lane", [first, second]], ["a", { like, second, like2: [like, second] }], ["n", 1]),
      });
      held.n = 99;
      changed.title = like.$ = "EDITED";
      first.content = second.content = "EDITED";
      await stored;
      const [one, two, same] = [message("1"), message("2"), { $: "item", l: 0, o: 0 }];
      expect(await values("3")).toEqual({
        n: 0,
        held: { n: 0 },
        record: longer("as stored"),
        copy: [one],
        lane: [one, two],
      });
      expect(await writesBefore("3")).toEqual([
        ["lane", [one, two]],
        ["a", { like: same, second: two, like2: [same, two] }],
        ["n", 1],
      ]);
    });

    it("the writes that a task had recorded before", async () => {
      await commit("1", undefined, {});
      const held = documentOf(0);
      await record("1", ["a", 1]);
      const stored = record("1", ["a", 1], ["b", held]);
      held["title"] = "EDITED";
      await stored;
      expect(await writesOf("1")).toEqual([
        ["a", 1],
        ["b", documentOf(0)],
      ]);
    });
  });
});
