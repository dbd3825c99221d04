import type { BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createTokenCounter, markGrown } from "../src/index.ts";
import { assistant, user } from "./threads.ts";

const long = (length: number): BaseMessage[] =>
  Array.from({ length }, (_, at) => (at % 2 === 0 ? user(`question ${at}`) : assistant(`answer ${at}`)));

const counted = (messages: readonly BaseMessage[]): number => createTokenCounter().totals(messages).tokens;

function grown(list: readonly BaseMessage[], ...more: BaseMessage[]): BaseMessage[] {
  const longer = [...list, ...more];
  markGrown(longer, list);
  return longer;
}

/** Positions that are read of a list, beside its length. */
function watched(list: BaseMessage[]): { readonly list: BaseMessage[]; readonly read: Set<string> } {
  const read = new Set<string>();
  const get = (target: BaseMessage[], key: string | symbol): unknown => {
    if (typeof key === "string" && key !== "length") read.add(key);
    return Reflect.get(target, key) as unknown;
  };
  return { list: new Proxy(list, { get }), read };
}

describe("a list that is said to have grown from one that was counted (10)", () => {
  it("is counted without a walk through what it grew from", () => {
    const counter = createTokenCounter();
    let list = grown(long(5_000), user("one"));
    counter.totals(list);
    list = grown(list, user("two"), assistant("three"));
    const { list: seen, read } = watched(list);
    expect(counter.totals(seen).tokens).toBe(counted([...list]));
    expect(read.size).toBeLessThan(100);
  });

  it("an edit that makes a new list is counted at once, wherever it stands", () => {
    const counter = createTokenCounter();
    const list = grown(long(3_000), user("one"));
    counter.totals(list);
    const edited = list.with(10, user("a text of quite another length than what stood here before"));
    expect(counter.totals(edited).tokens).toBe(counted(edited));
    const after = grown(edited, user("two"));
    expect(counter.totals(after).tokens).toBe(counted([...after]));
    expect(counter.totals(list).tokens).toBe(counted([...list]));
  });

  it("an edit in place of an old message is found when its turn comes, and of a new one at once", () => {
    const counter = createTokenCounter();
    let list = grown(long(2_000), user("one"));
    counter.totals(list);
    (list[1_990] as BaseMessage).content = "a text of quite another length than what stood here before";
    list = grown(list, user("two"));
    expect(counter.totals(list).tokens).toBe(counted([...list]));
    (list[700] as BaseMessage).content = "a text of quite another length than what stood here before";
    for (let turn = 0; turn < 2_000 / 32; turn++) {
      list = grown(list, user("next"));
      counter.totals(list);
    }
    expect(counter.totals(list).tokens).toBe(counted([...list]));
  });

  it("a list that was changed after it was marked, and the second of two branches, are compared", () => {
    const counter = createTokenCounter();
    const base = grown(long(1_500), user("one"));
    counter.totals(base);
    const first = grown(base, user("left"));
    const second = grown(base, assistant("another branch, and longer"), user("x"));
    for (const list of [first, second, first, base, grown(first, user("y")), grown(second, user("z"))]) {
      expect(counter.totals(list).tokens).toBe(counted([...list]));
    }
    const changed = grown(second, user("v"), user("w"));
    changed.splice(3, 1);
    expect(counter.totals(changed).tokens).toBe(counted([...changed]));
  });

  it("whatever grows from whatever, in whatever order it is counted: the sums are right", () => {
    const step = fc.record({ from: fc.nat(), edit: fc.option(fc.nat(1_000)), more: fc.nat(3) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const counter = createTokenCounter();
        const lists = [long(1_000)];
        for (const { from, edit, more } of steps) {
          const base = lists[from % lists.length] as BaseMessage[];
          const start = edit === null ? base : base.with(edit % base.length, user("edited, ".repeat(9)));
          const next = [...start, ...long(more)];
          if (edit === null) markGrown(next, base);
          lists.push(next);
          expect(counter.totals(next).tokens).toBe(counted([...next]));
        }
      }),
      { numRuns: 15 },
    );
  });
});
