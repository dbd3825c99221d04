import * as fc from "fast-check";
import { v5 } from "@langchain/core/utils/uuid";
import { expect, test, vi } from "vitest";
import { CheckpointClock } from "../src/ids/checkpoint-id.ts";
import {
  callNamespace,
  nodeNames,
  parentNamespace,
  statefulNamespace,
  taskNamespace,
} from "../src/ids/namespace.ts";
import { pullTaskId, pushTaskId } from "../src/ids/task-id.ts";
import { timestamp } from "../src/ids/timestamp.ts";
import { uuid5 } from "../src/ids/uuid5.ts";
import { xxh3 } from "../src/ids/xxh3.ts";

const SPACE = "1f1e563b-1f45-69a0-8003-c4c9c47da355";

test("uuid5 is the standard's, for any text", () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: "grapheme", maxLength: 400 }));
  fc.assert(
    fc.property(text, (name) => {
      expect(uuid5(name, SPACE)).toBe(v5(name, SPACE));
    }),
  );
});

test("ids of tasks hash their names as JSON, whatever is in them", () => {
  const name = fc.oneof(fc.constantFrom('a"b', "a\\b", "\n", "\u007f", "ü"), fc.string());
  fc.assert(
    fc.property(name, name, (node, trigger) => {
      const pulled = JSON.stringify([`graph|${node}`, "3", node, "__pregel_pull", [trigger]]);
      expect(pullTaskId(SPACE, `graph|${node}`, 3, node, trigger)).toBe(v5(pulled, SPACE));
      const pushed = JSON.stringify([node, "3", node, "__pregel_push", "7"]);
      expect(pushTaskId(SPACE, node, 3, node, 7)).toBe(v5(pushed, SPACE));
    }),
  );
});

test("timestamps are ISO 8601, in any order", () => {
  fc.assert(
    fc.property(fc.nat({ max: 4_000_000_000_000 }), (now) => {
      for (const time of [now, now + 1, now + 999, now]) {
        expect(timestamp(time)).toBe(new Date(time).toISOString());
      }
    }),
  );
});

test("interrupt ids are XXH3-128 (values of LangGraph's own hash)", () => {
  expect(xxh3("q")).toBe("775a9e78fdf5aad7f2386670cff0b396");
  expect(xxh3("q".repeat(5))).toBe("b02ffbabfdd91aca72e65793ad49af03");
  expect(xxh3("q".repeat(12))).toBe("20c63a0dbadd0ccd7d0a4b77cf5ee1a4");
  expect(xxh3("q".repeat(40))).toBe("e95411693e0c24e82aebcd09b4bd3bec");
  expect(xxh3("q".repeat(200))).toBe("8466d193c4dea19a6b5c135753fae8c5");
  expect(xxh3("q".repeat(1100))).toBe("d66e804eb6d0cc2281139c7a7b4e036e");
});

test("checkpoint ids always sort after the one before and after the head", () => {
  const head = "ffffffff-0000-6000-8000-000000000000";
  const clock = new CheckpointClock(head);
  let last = head;
  for (let step = -1; step < 25_000; step += 1) {
    const id = clock.next(step);
    expect(id > last).toBe(true);
    last = id;
  }
});

test("a checkpoint id is the time, the step and the run's node, as UUID version 6 has them", () => {
  vi.useFakeTimers();
  try {
    const at = fc.integer({ min: 0, max: 4_102_444_800_000 });
    const steps = fc.array(fc.integer({ min: -1, max: 100_000 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(at, steps, (now, some) => {
        vi.setSystemTime(now);
        const clock = new CheckpointClock();
        for (const [ticks, step] of some.entries()) {
          const id = clock.next(step);
          const [high, middle, low, sequence, node] = id.split("-") as string[];
          const time = BigInt(`0x${high}${middle}${low?.slice(1)}`);
          expect(time).toBe((BigInt(now) + 12_219_292_800_000n) * 10_000n + BigInt(ticks));
          expect(low?.[0]).toBe("6");
          expect(sequence).toBe((0x8000 | (step & 0x3fff)).toString(16));
          expect(node).toMatch(/^[0-9a-f]{12}$/);
        }
      }),
    );
  } finally {
    vi.useRealTimers();
  }
});

test("namespaces are taken apart as they were put together", () => {
  const inner = taskNamespace(callNamespace(taskNamespace("", "outer", "id1"), 2), "inner", "id2");
  expect(inner).toBe("outer:id1|2|inner:id2");
  expect(nodeNames(inner)).toEqual(["outer", "inner"]);
  expect(parentNamespace(inner)).toBe("outer:id1|2");
  expect(parentNamespace("outer:id1|2")).toBe("");
  expect(statefulNamespace("outer:id1|inner:id2")).toBe("outer|inner");
});
