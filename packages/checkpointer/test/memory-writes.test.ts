import { expect, test } from "vitest";
import { WriteRows } from "../src/memory/writes.ts";

test.each([1, 7, 8, 9, 40])("%d tasks have one row for each slot, in the order they came", (tasks) => {
  const rows = new WriteRows();
  for (let task = 0; task < tasks; task += 1) {
    for (const slot of [0, -1]) rows.set({ task: `t${task}`, slot, body: `${task} ${slot}` });
  }
  const again = { task: `t${tasks - 1}`, slot: -1, body: "later" };
  expect(rows.has(again)).toBe(true);
  expect(rows.has({ ...again, slot: -2 })).toBe(false);
  rows.set(again);
  const copy = new WriteRows(rows.values());
  copy.set({ task: "of the copy", slot: 0, body: "" });
  expect(rows.values()).toHaveLength(tasks * 2);
  expect(rows.values().at(-1)).toEqual(again);
  expect(rows.values()[0]?.body).toBe("0 0");
  expect(copy.values()).toHaveLength(tasks * 2 + 1);
});
