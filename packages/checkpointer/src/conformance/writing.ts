import assert from "node:assert/strict";
import { HumanMessage } from "@langchain/core/messages";
import { at, idOf, listed, putStep, valuesAt } from "./steps.ts";
import type { SaverSpec, Writer } from "./types.ts";

export const writingSpecs: readonly SaverSpec[] = [
  {
    group: "put",
    name: "a checkpoint that is put again takes its new values, and those after it keep theirs",
    async test({ saver, another }) {
      const first = await putStep(saver, { id: "1", values: { a: "first", b: 1 } });
      await saver.put(
        first,
        {
          v: 4,
          id: "2",
          ts: "2026-01-01T00:00:01.000Z",
          channel_values: { a: "first", b: 2 },
          channel_versions: { a: 1, b: 2 },
          versions_seen: {},
        },
        { source: "loop", step: 1, parents: {} },
        { b: 2 },
      );
      await putStep(saver, { id: "1", values: { a: "again", c: 1 } });
      for (const reader of [saver, another()]) {
        assert.deepEqual(await valuesAt(reader, "1"), { a: "again", c: 1 });
        assert.deepEqual(await valuesAt(reader, "2"), { a: "first", b: 2 });
      }
    },
  },
  {
    group: "putWrites",
    name: "done again is done once, whatever it says then, and special writes are replaced",
    async test({ saver, another }) {
      const config = await putStep(saver, { id: "1", values: { n: 1 } });
      for (const [times, writer] of [saver, saver, another()].entries()) {
        await writer.putWrites(
          config,
          [
            ["a", 1 + times],
            ["b", 2 + times],
          ],
          "task",
        );
        await writer.putWrites(config, [["__error__", { message: "no" }]], "other");
      }
      await saver.putWrites(config, [["__error__", { message: "still no" }]], "other");
      const { pendingWrites = [] } = (await another().getTuple(at())) ?? {};
      const sorted = pendingWrites.toSorted(([a], [b]) => (a < b ? -1 : 1));
      assert.deepEqual(sorted, [
        ["other", "__error__", { message: "still no" }],
        ["task", "a", 1],
        ["task", "b", 2],
      ]);
    },
  },
  {
    group: "putWrites",
    name: "by many tasks at once, through two savers, keeps each task's writes once and in their order",
    async test({ saver, another }) {
      const config = await putStep(saver, { id: "1", values: { n: 1 } });
      const other = another();
      const tasks = Array.from({ length: 20 }, (_, i) => `task ${i}`);
      await Promise.all(
        tasks.flatMap((task) =>
          [saver, other].map((writer) =>
            writer.putWrites(
              config,
              [
                ["list", [task]],
                ["list", ["second"]],
              ],
              task,
            ),
          ),
        ),
      );
      const { pendingWrites = [] } = (await saver.getTuple(at())) ?? {};
      assert.equal(pendingWrites.length, 40);
      for (const task of tasks) {
        const own = pendingWrites.filter(([of]) => of === task).map(([, , value]) => value);
        assert.deepEqual(own, [[task], ["second"]]);
      }
    },
  },
  {
    group: "two savers on one thread",
    name: "each goes on from what the other stored",
    async test({ saver, another }) {
      const savers = [saver, another()];
      const messages: HumanMessage[] = [];
      for (let n = 1; n <= 20; n += 1) {
        messages.push(new HumanMessage({ id: `m${n}`, content: `text ${n}` }));
        const writer = savers[n % 2] ?? saver;
        const parent = n === 1 ? {} : { parent: idOf(n - 1) };
        const before = n === 1 ? [] : ((await valuesAt(writer))?.["messages"] as HumanMessage[]);
        assert.equal(before.length, n - 1);
        await putStep(writer, { id: idOf(n), ...parent, values: { messages: [...before, messages[n - 1]] } });
      }
      for (const reader of [...savers, another()]) {
        const stored = (await valuesAt(reader))?.["messages"] as HumanMessage[];
        assert.deepEqual(
          stored.map(({ content }) => content),
          messages.map(({ content }) => content),
        );
      }
    },
  },
  {
    group: "two savers on one thread",
    name: "lose nothing when they put at once",
    async test({ saver, another }) {
      await putStep(saver, { id: idOf(0), values: { list: [] } });
      const other = another();
      const puts = Array.from({ length: 20 }, (_, i) =>
        putStep(i % 2 === 0 ? saver : other, {
          id: idOf(i + 1),
          parent: idOf(0),
          values: { list: [{ id: `e${i}`, text: "x".repeat(300) }] },
        }),
      );
      await Promise.all(puts);
      assert.equal((await listed(another(), at())).length, 21);
      for (let i = 0; i < 20; i += 1) {
        const stored = (await valuesAt(saver, idOf(i + 1)))?.["list"];
        assert.deepEqual(stored, [{ id: `e${i}`, text: "x".repeat(300) }]);
      }
    },
  },
  {
    group: "two savers on one thread",
    name: "a process that is killed while it puts loses nothing that it said is stored, and leaves nothing half",
    needs: "processes",
    async test({ another, writer }) {
      const process = (writer as (threadId: string) => Writer)("t");
      const acknowledged = await process.killAfter(5);
      const saver = another();
      const stored = await listed(saver, at());
      for (const id of acknowledged) assert.ok(stored.includes(id), `${id} is lost`);
      for (const id of stored) {
        const values = await valuesAt(saver, id);
        assert.equal(values?.["n"], Number(id));
        assert.equal((values["list"] as unknown[]).length, Number(id));
      }
      const next = Number(stored[0]) + 1;
      await putStep(saver, { id: idOf(next), parent: stored[0] as string, values: { n: next, list: [] } });
      assert.equal((await valuesAt(another()))?.["n"], next);
    },
  },
];
