import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { ALL_SAVERS } from "./savers.ts";
import { at, checkpoint } from "./support/puts.ts";

describe.each(ALL_SAVERS)("a list that lies in many ranges: $name", (kind) => {
  const all = Array.from(
    { length: 80 },
    (_, i) => new HumanMessage({ id: `m${i}`, content: `message ${i}` }),
  );
  // more than a manifest holds
  const ragged = all.filter((_, i) => i % 2 === 1);
  const fresh = new HumanMessage({ id: "fresh", content: "a new start" });

  it.each([
    ["emptied", [all, ragged, [], [fresh]]],
    ["emptied twice", [all, ragged, [], ragged, []]],
    ["of which the end is left", [all, ragged, ragged.slice(-1), []]],
  ])("comes back as it is when it is %s (C3)", async (_, lists: HumanMessage[][]) => {
    const { saver, reopen, close } = kind.open();
    for (const [n, list] of lists.entries()) {
      const parent = n === 0 ? undefined : String(n);
      const meta = { source: "loop" as const, step: n, parents: {} };
      await saver.put(at(parent), checkpoint(String(n + 1), { list }, n + 1), meta, { list: n + 1 });
      for (const one of [saver, reopen()]) {
        const tuple = await one.getTuple(at());
        expect(tuple?.checkpoint.channel_values["list"]).toEqual(list);
      }
    }
    await close();
  });
});
