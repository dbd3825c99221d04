import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { ALL_SAVERS } from "./savers.ts";
import { at, checkpoint } from "./support/puts.ts";

describe.each(ALL_SAVERS)("a list with holes comes back with them: $name", (kind) => {
  const message = new HumanMessage({ id: "m", content: "hello" });
  const holes: unknown[] = [1, 2, 3];
  delete holes[1];
  const withMessage: unknown[] = [message, 2, 3];
  delete withMessage[1];
  const long: unknown[] = Array.from({ length: 300 }, (_, i) => `element ${i}`);
  delete long[7];

  it.each([
    ["where a list of messages was", [[message], holes, [message, 2]]],
    ["where there are messages in it", [[message], withMessage, [...withMessage, 4]]],
    ["where it is long, and goes on without them", [long, [...long], long]],
  ])("%s", async (_, values: unknown[][]) => {
    const { saver, reopen, close } = kind.open();
    const meta = { source: "loop" as const, step: 0, parents: {} };
    for (const [n, list] of values.entries()) {
      const parent = n === 0 ? undefined : String(n);
      await saver.put(at(parent), checkpoint(String(n + 1), { list }, n + 1), meta, { list: n + 1 });
      for (const one of [saver, reopen()]) {
        const back = (await one.getTuple(at()))?.checkpoint.channel_values["list"] as unknown[];
        expect(back).toHaveLength(list.length);
        expect(Object.keys(back)).toEqual(Object.keys(list));
        expect(back.at(-1)).toEqual(list.at(-1));
      }
    }
    await close();
  });
});
