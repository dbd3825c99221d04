import type { BaseMessage } from "@langchain/core/messages";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { ReadGroups } from "../src/core/read-groups.ts";
import type { ChannelChange, Claim, LogEntry, StoredLog } from "../src/index.ts";
import { ALL_SAVERS } from "./savers.ts";
import { change, contents, message, openedFor, ROOT } from "./support/change-sets.ts";

const log = (...entries: LogEntry[]): ChannelChange => ({ op: "log", lane: "m", entries });

const at = (id: string) => ({ configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: id } });

describe.each(ALL_SAVERS)("the log of an archive, of $name", (kind) => {
  const { storage, sets, told, again, open, load, take } = openedFor(kind);

  it("resolves an archive by id, and pages through it from the end", async () => {
    const claim = await take();
    await told(
      sets().commit(
        claim,
        change("1", undefined, {
          full: log({ add: message("a") }, { add: message("b") }, { add: message("c") }),
        }),
      ),
    );
    await told(
      sets().commit(
        claim,
        change("2", "1", { full: log({ hide: ["a"] }, { add: message("b", "B") }, { add: message("d") }) }),
      ),
    );
    for (const from of [sets(), again()]) {
      const opened = await open({}, from);
      expect(opened.checkpoint?.channels.get("full")).toMatchObject({ kind: "log", entries: 6 });
      expect(contents(await load(opened, "full"))).toEqual(["a", "B", "c", "d"]);
      const last = await told(from.page(ROOT, "full", { limit: 2 }));
      expect(contents(last.elements)).toEqual(["c", "d"]);
      const first = await told(
        from.page(ROOT, "full", { limit: 2, ...(last.before === undefined ? {} : { before: last.before }) }),
      );
      expect(contents(first.elements)).toEqual(["a", "B"]);
      expect(first.before).toBeUndefined();
    }
  });

  it("pages through what came back as the message that is stored, once and as it was said last", async () => {
    const claim = await take();
    const [a, b] = [message("a"), message("b")];
    await told(sets().commit(claim, change("1", undefined, { full: log({ add: a }, { add: b }) })));
    const second = log({ add: message("a", "A") }, { hide: ["a", "b"] }, { add: message("c") });
    await told(sets().commit(claim, change("2", "1", { full: second })));
    await told(sets().commit(claim, change("3", "2", { full: log({ add: a }, { add: b }) })));
    for (const from of [sets(), again()]) {
      expect(contents(await load(await open({}, from), "full"))).toEqual(["a", "b", "c"]);
      const { elements, before } = await told(from.page(ROOT, "full", { limit: 2 }));
      expect(contents(elements)).toEqual(["b", "c"]);
      const first = await told(from.page(ROOT, "full", { limit: 2, before: before as number }));
      expect(contents(first.elements)).toEqual(["a"]);
    }
  });

  it("stays as it is through puts that do not carry it, or carry what it shows", async () => {
    const claim = await take();
    const entries: LogEntry[] = [{ add: message("a") }, { add: message("b") }, { hide: ["a"] }];
    await told(sets().commit(claim, change("1", undefined, { full: log(...entries) })));
    await told(sets().release(claim));
    const { saver } = storage();
    const put = async (
      from: string,
      id: string,
      source: "loop" | "update",
      fields: object,
      named: object,
    ) => {
      const stored = (await saver.getTuple(at(from))) as CheckpointTuple;
      const checkpoint = { ...stored.checkpoint, ...fields, id };
      await saver.put(at(from), checkpoint, { source, step: Number(id), parents: {} }, { ...named });
    };
    const shown = { full: [message("b", "another text")] };
    await put("1", "2", "loop", { channel_versions: {}, channel_values: {} }, {});
    await put("2", "3", "loop", { channel_versions: { full: 9 }, channel_values: {} }, { full: 9 });
    await put("3", "4", "update", { channel_versions: { full: 9 }, channel_values: shown }, {});
    for (const from of [sets(), again()]) {
      const opened = await open({}, from);
      expect(opened.headId).toBe("4");
      expect(opened.checkpoint?.channels.get("full")).toMatchObject({ kind: "log", entries: 3 });
      expect(contents(await load(opened, "full"))).toEqual(["a", "b"]);
    }
  });

  it("reads what was revised beside what has an empty id, or none (B3)", async () => {
    const claim = await take();
    const [none, empty] = [{ says: "none" }, { id: "", says: "empty" }];
    const first = log({ add: none }, { add: message("a") }, { add: empty }, { add: none });
    await told(sets().commit(claim, change("1", undefined, { full: first })));
    const last = log(
      { add: { id: "", says: "revised" } },
      { add: { says: "none" } },
      { add: message("a", "A") },
    );
    await told(sets().commit(claim, change("2", "1", { full: last })));
    const all = (await load(await open({}, again()), "full")) as { says?: string; content?: string }[];
    expect(all.map(({ says, content }) => says ?? content)).toEqual(["none", "A", "revised", "none", "none"]);
  });

  it("finds what an archive ever held under an id, and what it hides (B4)", async () => {
    const claim = await take();
    await told(
      sets().commit(
        claim,
        change("1", undefined, { full: log({ add: message("a") }, { add: message("b") }) }),
      ),
    );
    const second = log({ hide: ["a", "b"] }, { add: message("b", "B") }, { add: message("c") });
    await told(sets().commit(claim, change("2", "1", { full: second })));
    await told(
      sets().commit(claim, change("3", "2", { full: log({ add: message("a", "A") }, { hide: ["c"] }) })),
    );
    for (const from of [sets(), again()]) {
      const archive = async (checkpointId?: string): Promise<StoredLog> => {
        const { checkpoint } = await open(checkpointId === undefined ? {} : { checkpointId }, from);
        return checkpoint?.channels.get("full") as StoredLog;
      };
      const head = await archive();
      const found = await told(head.revisions(["a", "b", "nobody"]));
      expect([...found].map(([id, all]) => [id, contents(all)]).toSorted()).toEqual([
        ["a", ["a", "A"]],
        ["b", ["b", "B"]],
      ]);
      expect(await told(head.hidden())).toEqual(["c"]);
      const earlier = await archive("1");
      expect(contents((await told(earlier.revisions(["b"]))).get("b"))).toEqual(["b"]);
      expect(await told(earlier.hidden())).toEqual([]);
    }
  });

  it("hides all that came before a clear, but what was kept and what came again (B3, B6)", async () => {
    const claim = await take();
    const added = ["a", "b", "c", "d"].map((id) => ({ add: message(id) }));
    await told(sets().commit(claim, change("1", undefined, { full: log(...added, { hide: ["d"] }) })));
    const cleared = log({ add: message("e") }, { hide: ["c"], keep: ["b"] }, { add: message("a", "A") });
    await told(sets().commit(claim, change("2", "1", { full: cleared })));
    await told(
      sets().commit(
        claim,
        change("3", "2", { full: log({ add: message("f") }, { hide: ["a"], keep: ["f"] }) }),
      ),
    );
    for (const from of [sets(), again()]) {
      const hidden = async (checkpointId: string): Promise<readonly string[]> => {
        const { checkpoint } = await open({ checkpointId }, from);
        const archive = checkpoint?.channels.get("full") as StoredLog;
        return (await told(archive.hidden())).toSorted();
      };
      expect(await hidden("1")).toEqual(["d"]);
      expect(await hidden("2")).toEqual(["c", "d", "e"]);
      expect(await hidden("3")).toEqual(["a", "b", "c", "d", "e"]);
    }
  });

  it("knows the messages that were read of an archive again, and those that were edited since (I5)", async () => {
    const ids = Array.from({ length: 150 }, (_, at) => `m${at}`);
    const added = ids.map((id) => ({ add: message(id) }));
    const first = await take();
    await told(sets().commit(first, change("1", undefined, { full: log(...added) })));
    await told(sets().release(first));
    const from = again();
    const opened = await told(from.open(ROOT, { claim: "fail" }));
    const claim = opened.claim as Claim;
    const read = (await load(opened, "full")) as BaseMessage[];
    expect(read.map(({ id }) => id)).toEqual(ids);
    expect(read.slice(0, 5)).toEqual(ids.slice(0, 5).map((id) => message(id)));
    const chosen = [3, 70, 71, 149].map((at) => read[at] as BaseMessage);
    (chosen[1] as BaseMessage).content = "edited";
    const list: ChannelChange = { op: "list", segments: [{ add: chosen, lane: "m" }] };
    await told(from.commit(claim, change("2", "1", { messages: list })));
    expect((await storage().saver.storageReport("t"))?.items).toBe(151);
    const whole: ChannelChange = { op: "list", segments: [{ add: [...chosen, ...chosen], lane: "m" }] };
    await told(from.commit(claim, change("3", "2", { messages: whole })));
    expect((await storage().saver.storageReport("t"))?.items).toBe(151);
    const head = await open({}, again());
    const edited = ["m3", "edited", "m71", "m149"];
    expect(contents(await load(head, "messages"))).toEqual([...edited, ...edited]);
    expect(contents(await load(head, "full"))).toEqual(ids);
  });
});

describe("messages that are found by their group", () => {
  it("are those of LangChain's classes that can be marked, each until it is taken", () => {
    const groups = new ReadGroups();
    const add = groups.adder();
    const [first, second] = [message("a"), message("b")];
    expect([add(first, 1, 0), add(second, 1, 1)]).toEqual([true, true]);
    expect(first.lc_namespace).toEqual(message("a").lc_namespace);
    expect(groups.take(second)).toEqual({ lane: 1, ord: 1, content: "b", text: undefined });
    expect(groups.take(second)).toBeUndefined();
    expect(groups.take(Object.assign(Object.create(first) as object, first))).toBeUndefined();
    expect(groups.take(first)).toMatchObject({ ord: 0 });
  });

  it("are not what is no message, is frozen, or is of a namespace of its own", () => {
    const add = new ReadGroups().adder();
    const [frozen, foreign] = [Object.freeze(message("a")), message("b")];
    foreign.lc_namespace = ["mine"];
    const damaged = Object.assign(message("d"), { lc_namespace: null });
    const added = [{ id: "c" }, frozen, foreign, damaged].map((value) => add(value, 1, 0));
    expect(added).toEqual([false, false, false, false]);
    expect(foreign.lc_namespace).toEqual(["mine"]);
  });

  it("keep none of their messages in memory when nobody else holds one", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const groups = new ReadGroups();
    const read = (): WeakRef<BaseMessage> => {
      const [add, first] = [groups.adder(), message("a")];
      expect(add(first, 1, 0)).toBe(true);
      return new WeakRef(first);
    };
    const first = read();
    await expect.poll(() => (collect(), first.deref() === undefined)).toBe(true);
    expect(groups.take(message("a"))).toBeUndefined();
  });
});
