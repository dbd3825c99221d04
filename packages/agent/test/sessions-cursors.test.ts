import type { BaseStore } from "@langchain/langgraph-checkpoint";
import { MemorySaver } from "@skein/checkpointer";
import { InMemoryStore } from "@skein/checkpointer/store";
import { describe, expect, it } from "vitest";
import { SessionManager } from "../src/index.ts";
import { positionOf } from "../src/sessions/cursor.ts";

/** A list, and how it was read. */
function listOf(ids: readonly string[]) {
  const reads: number[] = [];
  const idsAt = async (offset: number, limit: number) => {
    const found = ids.slice(offset, offset + limit);
    reads.push(found.length);
    return found;
  };
  return { reads, idsAt };
}

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `s${i}`);

describe("a cursor from outside", () => {
  it.each(["1:x", "1000000:x", "999999999999999:x"])("makes few searches: %s", async (cursor) => {
    const store = new InMemoryStore();
    const sessions = new SessionManager({ store, saver: new MemorySaver() });
    const session = await sessions.create({ id: "s", userId: "ada" });
    let searches = 0;
    const search = store.search.bind(store) as (...given: unknown[]) => Promise<never>;
    (store as BaseStore).search = (...given) => {
      searches += 1;
      return search(...given);
    };
    const page = await sessions.list({ cursor });
    expect(page.sessions).toEqual([session]);
    expect(searches).toBeLessThan(60);
  });

  it("reads no more of a long list than of a short one", async () => {
    const { reads, idsAt } = listOf(numbered(100_000));
    expect(await positionOf({ offset: 999_999_999_999_999, last: ["x"] }, idsAt)).toBe(0);
    expect(reads.length).toBeLessThan(60);
    expect(reads.reduce((sum, count) => sum + count, 0)).toBeLessThan(4_000);
  });
});

describe("the place behind a session", () => {
  it.each([
    ["nothing was deleted", 0],
    ["a few were deleted", 50],
    ["many were deleted", 2_000],
  ])("is found when %s before it", async (_name, deleted) => {
    for (const length of [2_500, 2_101, 100_000]) {
      const { idsAt } = listOf(numbered(length).slice(deleted));
      expect(await positionOf({ offset: 2_101, last: ["gone", "s2100"] }, idsAt)).toBe(2_101 - deleted);
    }
  });

  it("is found behind the end of what is left", async () => {
    for (const left of [1, 7, 99, 100, 101, 1_000, 99_999]) {
      const { idsAt } = listOf(numbered(left));
      expect(await positionOf({ offset: 1_000_000, last: [`s${left - 1}`] }, idsAt)).toBe(left);
    }
  });
});
