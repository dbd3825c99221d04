import assert from "node:assert/strict";
import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { at, putStep, valuesAt } from "./steps.ts";
import type { SaverSpec } from "./types.ts";

/** Texts that storages confuse, cut, or take for something else. */
const AWKWARD = [
  "\0",
  "a\0b",
  "\ud800",
  "\udc00x",
  "'; DROP TABLE checkpoints; --",
  "%",
  "_",
  "\\",
  '"',
  "😀",
  "",
];

export const valueSpecs: readonly SaverSpec[] = [
  {
    group: "values",
    name: "texts with NUL, lone surrogates, quotes and wildcards come back as they were",
    async test({ saver, another }) {
      await putStep(saver, { id: "1", values: { texts: AWKWARD, text: AWKWARD.join("|") } });
      assert.deepEqual(await valuesAt(another()), { texts: AWKWARD, text: AWKWARD.join("|") });
    },
  },
  {
    group: "values",
    name: "names of threads, namespaces, checkpoints, tasks and channels are any texts, and no two are one",
    async test({ saver }) {
      const names = AWKWARD.filter((name) => name !== "");
      for (const name of names) {
        const config = await putStep(saver, {
          thread: name,
          namespace: name,
          id: `1${name}`,
          values: { [name]: name },
        });
        await saver.putWrites(config, [[name, name]], name);
      }
      for (const name of names) {
        const tuple = await saver.getTuple(at(undefined, name, name));
        assert.equal(tuple?.checkpoint.id, `1${name}`);
        assert.deepEqual(tuple.checkpoint.channel_values, { [name]: name });
        assert.deepEqual(tuple.pendingWrites, [[name, name, name]]);
      }
    },
  },
  {
    group: "values",
    name: "a value over 16 MB comes back whole",
    async test({ saver, another }) {
      const big = "0123456789abcdef".repeat(1_100_000);
      await putStep(saver, { id: "1", values: { big } });
      assert.equal((await valuesAt(another()))?.["big"], big);
    },
  },
  {
    group: "values",
    name: "what is nested 500 levels deep comes back whole",
    async test({ saver, another }) {
      let deep: unknown = "bottom";
      for (let i = 0; i < 250; i += 1) deep = { in: [deep] };
      await putStep(saver, { id: "1", values: { deep } });
      assert.deepEqual((await valuesAt(another()))?.["deep"], deep);
    },
  },
  {
    group: "values",
    name: "keys of prototypes are keys like any other, and change no prototype",
    async test({ saver, another }) {
      const text = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":1}';
      await putStep(saver, { id: "1", values: { data: JSON.parse(text) as unknown } });
      const { data } = (await valuesAt(another())) as { data: object };
      assert.equal(JSON.stringify(data), text);
      assert.equal(({} as { polluted?: unknown }).polluted, undefined);
      assert.equal(Object.getPrototypeOf(data), Object.prototype);
    },
  },
  {
    group: "values",
    name: "a message that a program changes after it was written stays as it was written",
    async test({ saver, another }) {
      const message = new HumanMessage({ id: "1", content: "written" });
      const config = await putStep(saver, { id: "1", values: { messages: [message] } });
      await saver.putWrites(config, [["messages", [message]]], "task");
      message.content = "changed";
      message.additional_kwargs["note"] = "changed";
      for (const reader of [saver, another()]) {
        const tuple = await reader.getTuple(at());
        const [stored] = (tuple?.checkpoint.channel_values["messages"] ?? []) as BaseMessage[];
        const [written] = (tuple?.pendingWrites?.[0]?.[2] ?? []) as BaseMessage[];
        assert.equal(stored?.content, "written");
        assert.equal(written?.content, "written");
        assert.deepEqual(stored?.additional_kwargs, {});
      }
    },
  },
  {
    group: "values",
    name: "a message that a reducer changes between two checkpoints has in each what it had then",
    async test({ saver, another }) {
      const [first, second] = [
        new HumanMessage({ id: "1", content: "one" }),
        new HumanMessage({ id: "2", content: "two" }),
      ];
      await putStep(saver, { id: "1", values: { messages: [first, second] } });
      first.content = "edited";
      second.additional_kwargs["note"] = "edited";
      await putStep(saver, { id: "2", parent: "1", values: { messages: [first, second] } });
      for (const reader of [saver, another()]) {
        const before = (await valuesAt(reader, "1"))?.["messages"] as BaseMessage[];
        const after = (await valuesAt(reader, "2"))?.["messages"] as BaseMessage[];
        assert.deepEqual(
          before.map(({ content }) => content),
          ["one", "two"],
        );
        assert.deepEqual(before[1]?.additional_kwargs, {});
        assert.deepEqual(
          after.map(({ content }) => content),
          ["edited", "two"],
        );
        assert.deepEqual(after[1]?.additional_kwargs, { note: "edited" });
      }
    },
  },
];
