import * as fc from "fast-check";
import { expect, it } from "vitest";
import { CHANGE_SETS, createCodec, defaultCodec, MemorySaver, type Codec } from "../src/index.ts";
import { applyDelta, emptyFold } from "../src/manifest/fold.ts";
import { seenChange } from "../src/manifest/seen-change.ts";
import { toldOfFold } from "./support/manifests.ts";

/** Commits one step of one task on a new thread. */
function step(saver: MemorySaver, taskId: string | { readonly text: string }, value: unknown) {
  const sets = saver[CHANGE_SETS];
  const opened = sets.open({ threadId: "t", namespace: "" }, { claim: "fail" });
  if (opened instanceof Promise) throw new Error("the memory saver answers at once");
  const commit = (n: number, parentId: string | undefined, writes: boolean): void =>
    void sets.commit(opened.claim as never, {
      namespace: "",
      parentId,
      expectedHead: parentId,
      checkpoint: {
        id: `c${n}`,
        ts: "2026-11-22T12:00:00.000Z",
        metadata: { source: "loop", step: n, parents: {} },
        channelVersions: { n: n },
        versionsSeen: {},
      },
      channels: new Map([["n", { op: "set", value }]]),
      writes: writes ? [{ taskId, writes: [["n", value as never]] }] : [],
      release: writes,
    });
  commit(1, undefined, false);
  commit(2, "c1", true);
}
const at = (id: string) => ({ configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: id } });

it("the id of a task is made when its writes are read, and once", async () => {
  const saver = new MemorySaver();
  let made = 0;
  step(saver, { get text() { made += 1; return "id"; } }, 5); // prettier-ignore
  expect(made).toBe(0);
  const read = async () => (await saver.getTuple(at("c1")))?.pendingWrites;
  expect([await read(), await read()]).toEqual([[["id", "n", 5]], [["id", "n", 5]]]);
  expect(made).toBe(1);
});

it("plain values come back as what they were, whatever they are", async () => {
  for (const value of [
    0,
    -0,
    NaN,
    -Infinity,
    1e21,
    true,
    false,
    null,
    "",
    '"\\\u2028\ud800\0',
    "x".repeat(33),
  ]) {
    const saver = new MemorySaver();
    step(saver, "id", value);
    expect((await saver.getTuple(at("c2")))?.checkpoint.channel_values).toEqual({ n: value });
    expect((await saver.getTuple(at("c1")))?.pendingWrites).toEqual([["id", "n", value]]);
  }
});

it("a codec of another's is asked for every value when it is stored, and so is one that refuses short texts", () => {
  const asked: unknown[] = [];
  const own: Codec = {
    encode: (value, reference) => {
      asked.push(value);
      return defaultCodec.encode(value, reference);
    },
    decode: (text) => defaultCodec.decode(text),
    revive: (tree, resolve) => defaultCodec.revive(tree, resolve),
  };
  step(new MemorySaver({ codec: own }), "id", 5);
  expect(asked).toContain(5);
  expect(() =>
    step(new MemorySaver({ codec: createCodec({ maxLength: 60 }) }), "id", "x".repeat(70)),
  ).toThrow(expect.objectContaining({ code: "VALUE_TOO_LARGE" }));
});

const name = fc.constantFrom("a", "branch:to:a", "b", "branch:to:b", "__proto__");
const version = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constantFrom("v1", "v2"));
it("what is said of the versions a node has seen makes them what they are", () => {
  const seen = fc.dictionary(
    name.filter((n) => n !== "__proto__"),
    version,
    { maxKeys: 3 },
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom("a", "b"), seen)), (steps) => {
      const folded = emptyFold();
      for (const [node, pairs] of steps) {
        const said = seenChange(folded, node, pairs);
        if (said !== undefined)
          applyDelta(folded, { entries: [], versions: [], seen: [node, said], format: undefined });
        expect(toldOfFold(folded).seen.get(node)).toEqual(new Map(Object.entries(pairs)));
      }
    }),
  );
});
