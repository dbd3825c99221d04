import * as fc from "fast-check";
import { expect, test } from "vitest";
import { BinaryOperatorAggregate, LastValue, Overwrite, Topic } from "@skein/graph";
import { DynamicBarrierValue } from "@skein/graph/channels";
import { listChange } from "../src/channels/list-change.ts";

const pool = Array.from({ length: 12 }, (_, n) => ({ n }));
const list = fc.array(
  fc.nat(11).map((i) => pool[i] as object),
  { maxLength: 20 },
);

test("segments of the old list and new elements make the new list, whatever happened", () => {
  fc.assert(
    fc.property(list, list, (old, next) => {
      const change = listChange(old, next);
      if (change.op !== "list") throw new Error(change.op);
      const rebuilt = change.segments.flatMap((s) => {
        if ("add" in s) return [...s.add];
        const [from, to] = s.keep;
        expect(from < to && to <= old.length).toBe(true);
        return old.slice(from, to);
      });
      expect(rebuilt).toEqual(next);
    }),
  );
});

test("segments are as few as what happened", () => {
  const [a, b, c, d, e] = pool;
  expect(listChange([a, b, c], [a, b, c, d])).toEqual({
    op: "list",
    segments: [{ keep: [0, 3] }, { add: [d] }],
  });
  expect(listChange([a, b, c], [a, d, c])).toEqual({
    op: "list",
    segments: [{ keep: [0, 1] }, { add: [d] }, { keep: [2, 3] }],
  });
  expect(listChange([a, b, c, d], [e, c, d])).toEqual({
    op: "list",
    segments: [{ add: [e] }, { keep: [2, 4] }],
  });
  expect(listChange(undefined, [])).toEqual({ op: "list", segments: [] });
});

test("a reducer's list is compared with what was handed over last", () => {
  const channel = new BinaryOperatorAggregate<object[], object>(
    (x, y) => [...x, y],
    () => [],
  ).fromCheckpoint(undefined);
  channel.update([pool[0] as object, pool[1] as object]);
  expect(channel.change()).toEqual({ op: "list", segments: [{ add: [pool[0], pool[1]] }] });
  channel.update([pool[2] as object]);
  expect(channel.change()).toEqual({ op: "list", segments: [{ keep: [0, 2] }, { add: [pool[2]] }] });
});

test("a vector of numbers is one value, not a thousand elements", () => {
  const channel = new LastValue<number[]>().fromCheckpoint(undefined);
  channel.update([[1, 2, 3]]);
  expect(channel.change()).toEqual({ op: "set", value: [1, 2, 3] });
});

test("two Overwrites of one step are refused; one wins over its siblings", () => {
  const sum = new BinaryOperatorAggregate<number>(
    (a, b) => a + b,
    () => 1,
  ).fromCheckpoint(undefined);
  sum.update([2, new Overwrite(10), 5]);
  expect(sum.get()).toBe(10);
  expect(() => sum.update([new Overwrite(1), new Overwrite(2)])).toThrow("only one Overwrite");
});

test("the first value of a key without a default obeys an Overwrite as every later one does", () => {
  const sum = new BinaryOperatorAggregate<number>((a, b) => a + b).fromCheckpoint(undefined);
  expect(() => sum.update([new Overwrite(1), new Overwrite(2)])).toThrow("only one Overwrite");
  expect(sum.isAvailable()).toBe(false);
  sum.update([new Overwrite(10), 5]);
  expect(sum.get()).toBe(10);
});

test("only a list of names tells a dynamic barrier what to wait for: other objects are names it does not know", () => {
  const barrier = new DynamicBarrierValue();
  for (const stray of [null, ["a"], {}, new Date(0)]) {
    expect(barrier.update([stray as never])).toBe(false);
    expect(barrier.isAvailable()).toBe(false);
  }
  barrier.update([{ __names: ["a"] }]);
  barrier.update([null as never, "a"]);
  expect(barrier.isAvailable()).toBe(true);
});

test("a topic lasts one step and hands out arrays that do not change", () => {
  const topic = new Topic<number>().fromCheckpoint(undefined);
  topic.update([1, [2, 3]]);
  const values = topic.get();
  topic.update([4]);
  expect(values).toEqual([1, 2, 3]);
  expect(topic.get()).toEqual([4]);
  topic.update([]);
  expect(topic.isAvailable()).toBe(false);
});
