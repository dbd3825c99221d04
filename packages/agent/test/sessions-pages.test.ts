import { describe, expect, it } from "vitest";
import { inMemory, managers, twice } from "./session-places.ts";

describe("a page of sessions", () => {
  it.each([1, 3, 20])(
    "is followed by the next one, also when sessions of it were deleted (%i)",
    async (limit) => {
      const { a } = managers(twice(inMemory()));
      const ids = Array.from({ length: 45 }, (_, i) => `s${i}`);
      for (const id of ids) await a.create({ id, userId: "ada" });
      const seen: string[] = [];
      for (let cursor: string | undefined, page = 0; page === 0 || cursor !== undefined; page += 1) {
        const { sessions, ...rest } = await a.list({ userId: "ada", limit, ...(cursor && { cursor }) });
        seen.push(...sessions.map(({ id }) => id));
        // all, none, the first or the last of it
        const gone = [sessions, [], sessions.slice(0, 1), sessions.slice(-1)][page % 4] ?? [];
        for (const { id } of gone) await a.delete(id);
        ({ cursor } = rest);
      }
      expect(seen).toEqual(ids);
    },
  );
});

describe("pages of sessions of which all were deleted", () => {
  it.each([1, 2, 20, 300])("are followed by what is left, none left out (%i)", async (limit) => {
    const { a } = managers(twice(inMemory()));
    const ids = Array.from({ length: 320 }, (_, i) => `s${i}`);
    for (const id of ids) await a.create({ id, userId: "ada" });
    const read: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 4 && (page === 0 || cursor !== undefined); page += 1) {
      const { sessions, ...rest } = await a.list({ userId: "ada", limit, ...(cursor && { cursor }) });
      read.push(...sessions.map(({ id }) => id));
      ({ cursor } = rest);
      // those of the first two pages go when the second was read
      if (page === 1 || limit === 300) for (const id of read) await a.delete(id);
    }
    expect(read).toEqual(ids.slice(0, Math.min(320, 4 * limit)));
  });
});
