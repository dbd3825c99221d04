import assert from "node:assert/strict";
import { at, idOf, listed, putStep, valuesAt } from "./steps.ts";
import type { SaverSpec } from "./types.ts";

const HOSTILE = ["' OR 1=1 --", "%", "_", "*", { $gt: "" }, { $ne: null }, "$.step", 'a" OR "1"="1'];

export const readingSpecs: readonly SaverSpec[] = [
  {
    group: "list",
    name: "gives the newest first, in the order of ids, also of ids of one millisecond",
    async test({ saver }) {
      // version 6 of UUIDs: the same time, another counter
      const ids = [0, 1, 2, 9, 10, 255].map(
        (n) => `1f0c2f1a-9a80-6a00-80${n.toString(16).padStart(2, "0")}-000000000000`,
      );
      for (const id of ids) await putStep(saver, { id, values: { n: 1 } });
      assert.deepEqual(await listed(saver, at()), ids.toReversed());
      const stored = [3, 0, 5, 1, 4, 2].map((i) => ids[i] as string);
      for (const id of stored) await putStep(saver, { thread: "in another order", id, values: { n: 1 } });
      const found = await listed(saver, at(undefined, "in another order"));
      assert.deepEqual(found, ids.toReversed());
      assert.equal((await saver.getTuple(at()))?.checkpoint.id, ids.at(-1));
    },
  },
  {
    group: "list",
    name: "takes before, limit and filter together",
    async test({ saver }) {
      for (let n = 1; n <= 200; n += 1) {
        await putStep(saver, { id: idOf(n), values: { n }, metadata: { even: n % 2 === 0 } });
      }
      const filter = { even: true };
      assert.deepEqual(await listed(saver, at(), { limit: 2 }), [idOf(200), idOf(199)]);
      assert.deepEqual(await listed(saver, at(), { before: at(idOf(3)) }), [idOf(2), idOf(1)]);
      assert.deepEqual(await listed(saver, at(), { filter, before: at(idOf(10)), limit: 3 }), [
        idOf(8),
        idOf(6),
        idOf(4),
      ]);
      assert.equal((await listed(saver, at(), { filter })).length, 100);
      assert.deepEqual(await listed(saver, at(), { limit: 0 }), []);
    },
  },
  {
    group: "list",
    name: "takes a filter for data: nothing in it is an operator, a wildcard or a query",
    async test({ saver }) {
      await putStep(saver, { id: "1", values: { n: 1 }, metadata: { user: "ada", step: 1 } });
      for (const value of HOSTILE) {
        const filter = { user: value } as Record<string, unknown>;
        assert.deepEqual(await listed(saver, at(), { filter }), [], JSON.stringify(value));
      }
      for (const key of ["user' OR '1'='1", "$.user", "user->>'x'", "__proto__", "constructor"]) {
        assert.deepEqual(await listed(saver, at(), { filter: { [key]: "ada" } }), [], key);
      }
      await putStep(saver, { id: "2", values: { n: 1 }, metadata: { user: "' OR 1=1 --" } });
      assert.deepEqual(await listed(saver, at(), { filter: { user: "' OR 1=1 --" } }), ["2"]);
      assert.deepEqual(await listed(saver, at(), { filter: { user: "ada", step: 1 } }), ["1"]);
    },
  },
  {
    group: "deleteThread",
    name: "removes a thread with all its namespaces and writes, and nothing else",
    async test({ saver, another }) {
      for (const thread of ["t", "u"]) {
        for (const namespace of ["", "child", "child|deeper:1"]) {
          const config = await putStep(saver, { thread, namespace, id: "1", values: { n: thread } });
          await saver.putWrites(config, [["n", "pending"]], "task");
        }
      }
      await saver.deleteThread("t");
      await saver.deleteThread("nobody");
      assert.deepEqual(await listed(another(), { configurable: { thread_id: "t" } }), []);
      assert.equal(await valuesAt(saver), undefined);
      assert.deepEqual(await valuesAt(saver, undefined, "u"), { n: "u" });
      await putStep(saver, { id: "1", values: { n: "again" } });
      const tuple = await another().getTuple(at());
      assert.deepEqual(tuple?.checkpoint.channel_values, { n: "again" });
      assert.deepEqual(tuple.pendingWrites ?? [], []);
    },
  },
];
