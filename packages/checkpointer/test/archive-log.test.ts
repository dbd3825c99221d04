import { describe, expect, it } from "vitest";
import type { ChannelChange, LogEntry, StoredLog } from "../src/index.ts";
import { ALL_SAVERS } from "./savers.ts";
import { change, contents, message, openedFor, ROOT } from "./support/change-sets.ts";

const log = (...entries: LogEntry[]): ChannelChange => ({ op: "log", lane: "m", entries });

describe.each(ALL_SAVERS)("the log of an archive, of $name", (kind) => {
  const { sets, told, again, open, load, take } = openedFor(kind);

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
});
