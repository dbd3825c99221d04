import assert from "node:assert/strict";
import { HumanMessage } from "@langchain/core/messages";
import { idOf, listed, at, putChat, putStep, texts } from "./steps.ts";
import type { OpenedStorage, SaverSpec, VerbSaver } from "./types.ts";

const verbs = ({ saver }: OpenedStorage): VerbSaver => saver as VerbSaver;

export const verbSpecs: readonly SaverSpec[] = [
  {
    group: "verbs",
    name: "prune keeps what it is told, and all of that reads as before",
    needs: "verbs",
    async test(storage) {
      const saver = verbs(storage);
      await putChat(saver, "t", 10);
      const before = await texts(saver, "t", idOf(6));
      // a turn here is an input and its end: all that turns go by
      await saver.prune("t", { keepTurnBoundaries: true });
      assert.equal((await listed(saver, at())).length, 20);
      await saver.prune("t", { keepLast: 15 });
      assert.equal((await listed(saver, at())).length, 15);
      assert.deepEqual(await texts(storage.another(), "t", idOf(6)), before);
      assert.equal((await texts(saver, "t")).length, 20);
      await saver.prune("t", { keepLast: 1 });
      assert.deepEqual(await listed(storage.another(), at()), [idOf(20)]);
      assert.equal((await texts(storage.another(), "t")).length, 20);
    },
  },
  {
    group: "verbs",
    name: "a copy has everything, and either can be deleted alone",
    needs: "verbs",
    async test(storage) {
      const saver = verbs(storage);
      await putChat(saver, "t", 3);
      await saver.copyThread("t", "copy");
      assert.deepEqual(await texts(storage.another(), "copy"), await texts(saver, "t"));
      await assert.rejects(saver.copyThread("t", "copy"));
      await saver.deleteThread("t");
      assert.equal((await texts(storage.another(), "copy")).length, 6);
    },
  },
  {
    group: "verbs",
    name: "an erased message is nowhere, in copies neither, and its place stays",
    needs: "verbs",
    async test(storage) {
      const saver = verbs(storage);
      await putChat(saver, "t", 3);
      await saver.copyThread("t", "copy");
      await saver.eraseMessage(at(), "m3");
      for (const thread of ["t", "copy"]) {
        let lines = "";
        for await (const line of saver.exportThread(thread)) lines += line;
        assert.ok(!lines.includes("question 3"), thread);
        assert.equal((await texts(storage.another(), thread)).length, 6);
      }
    },
  },
  {
    group: "verbs",
    name: "a search of some channels finds and counts nothing of the others",
    needs: "verbs",
    async test(storage) {
      const saver = verbs(storage);
      const notes = ["kettle", "kettle kettle"].map(
        (content, n) => new HumanMessage({ id: `n${n}`, content }),
      );
      const messages = [1, 2].map(
        (n) => new HumanMessage({ id: `m${n}`, content: `the kettle of day ${n}` }),
      );
      await putStep(saver, { id: idOf(1), values: { notes, messages } });
      const found = async (channels?: string[]): Promise<unknown[]> => {
        const { hits } = await saver.search(at(), "kettle", channels === undefined ? {} : { channels });
        return hits.map(({ id }) => id).toSorted();
      };
      assert.deepEqual(await found(), ["m1", "m2", "n0", "n1"]);
      assert.deepEqual(await found(["messages"]), ["m1", "m2"]);
      assert.deepEqual(await found(["notes", "none"]), ["n0", "n1"]);
      assert.deepEqual(await found([]), []);
      const page = await saver.search(at(), "kettle", { channels: ["messages"], limit: 2 });
      assert.deepEqual([page.hits.length, page.cursor], [2, undefined]);
    },
  },
  {
    group: "verbs",
    name: "an exported thread is imported as it was",
    needs: "verbs",
    async test(storage) {
      const saver = verbs(storage);
      await putChat(saver, "t", 5);
      const lines: string[] = [];
      for await (const line of saver.exportThread("t")) lines.push(line);
      await saver.importThread(lines, { as: "imported" });
      const ids = await listed(saver, at());
      assert.deepEqual(await listed(saver, at(undefined, "imported")), ids);
      for (const id of ids) {
        assert.deepEqual(await texts(storage.another(), "imported", id), await texts(saver, "t", id));
      }
    },
  },
];
