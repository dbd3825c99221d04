import { GraphError } from "@skein/errors";
import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { CHANGE_SETS, createCodec, type Claim, type CodecTag } from "../src/index.ts";
import { MemorySaver } from "../src/memory/index.ts";
import { ALL_SAVERS, SAVERS, type Saver } from "./savers.ts";
import { putValue } from "./steps.ts";
import { change, message } from "./support/change-sets.ts";

const long = "a longer value ".repeat(30);
const record = (n: number) =>
  Object.fromEntries(Array.from({ length: 80 }, (_, i) => [`key ${i}`, `value ${i % 40 === n ? n : i}`]));

/** A thread with each kind of what is stored. */
async function storeAll(saver: Saver): Promise<void> {
  const sets = saver[CHANGE_SETS];
  const claim = (await sets.open({ threadId: "t", namespace: "" }, { claim: "fail" })).claim as Claim;
  const said = [message("a"), message("b"), message("c")];
  const first = change("1", undefined, {
    messages: { op: "list", segments: [{ add: said }] },
    full: { op: "log", lane: "messages", entries: said.map((add) => ({ add })) },
    at: { op: "set", value: new Map([["k", 1n]]) },
    value: { op: "set", value: { asked: new Map([["k", long]]) } },
    record: { op: "set", value: record(0) },
    ragged: { op: "list", segments: [{ add: Array.from({ length: 80 }, (_, i) => i) }] },
  });
  await sets.commit(claim, first);
  const second = change("2", "1", {
    messages: { op: "list", segments: [{ keep: [0, 1] }, { keep: [2, 3] }] },
    full: { op: "log", lane: "messages", entries: [{ hide: ["b"] }, { add: message("a", "A") }] },
    record: { op: "set", value: record(1) },
    ragged: {
      op: "list",
      segments: Array.from({ length: 40 }, (_, i) => ({ keep: [2 * i, 2 * i + 1] as const })),
    },
  });
  await sets.commit(claim, { ...second, writes: [{ taskId: "task", writes: [["messages", said]] }] });
  await sets.commit(claim, change("3", "2", { record: { op: "set", value: record(2) } }));
  const below = change("1", undefined, { note: { op: "set", value: new Set([1]) } });
  const metadata = { ...below.checkpoint.metadata, parents: { "": "2" } };
  await sets.commit(claim, {
    ...below,
    namespace: "below:1",
    checkpoint: { ...below.checkpoint, metadata },
  });
  await sets.release(claim);
}

async function exported(saver: Saver, thread = "t"): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of saver.exportThread(thread)) lines.push(line);
  return lines;
}

/** Everything that can be read of a thread. */
async function readAll(saver: Saver, thread: string): Promise<unknown[]> {
  const found: unknown[] = [];
  const root = { configurable: { thread_id: thread, checkpoint_ns: "" } };
  for await (const { config, checkpoint, metadata } of saver.list({ configurable: { thread_id: thread } })) {
    const tuple = await saver.getTuple(config);
    found.push({ ...checkpoint, channel_values: { ...checkpoint.channel_values } }, metadata);
    found.push({ ...tuple?.checkpoint.channel_values }, tuple?.pendingWrites);
  }
  found.push(await saver.history(root, { channel: "full", limit: 99 }), await saver.search(root, "a"));
  return [...found, (await exported(saver, thread)).slice(1)];
}

let lines: string[] = [];
beforeAll(async () => {
  const saver = new MemorySaver();
  await storeAll(saver);
  lines = await exported(saver);
});

/** The lines with each piece of text that is found replaced. */
function replaced(piece: string | RegExp, by: string): string[] {
  const result = lines.map((line) => line.replace(piece, by));
  expect(result).not.toEqual(lines);
  return result;
}

const DAMAGES: Readonly<Record<string, () => string[]>> = {
  "the tag of a message is another one": () => replaced('{"$":"human"', '{"$":"hvman"'),
  "a tag is no text": () => replaced('{"$":"human"', '{"$":5'),
  "the content of a Map is none": () =>
    replaced('"at":[1,{"$":"map","v":[[', '"at":[1,{"$":"map","v":[{"x":['),
  "a Map has no list": () => replaced(/"at":\[1,\{"\$":"map","v":.*?\]\]\}/, '"at":[1,{"$":"map","v":"x"}'),
  "a longer value has no list": () =>
    replaced(/"body":\{"asked":\{.*\}\}/, '"body":{"asked":{"$":"map","v":1}}'),
  "an entry has no value": () => replaced(/"at":\[1,.*?\]\]\}\]/, '"at":[1]'),
  "an entry of no kind": () => replaced('"at":[1,', '"at":[9,'),
  "an entry of an item has no ordinal": () => replaced(/"value":\[2,(\d+),\d+\]/, '"value":[2,$1]'),
  "an item is named that is no value": () => replaced(/"value":\[2,\d+,/, '"value":[2,0,'),
  "a range ends before it begins": () =>
    replaced(/"messages":\[3,3,\[(\d+),0,3\]/, '"messages":[3,3,[$1,0,-1]'),
  "a list is shorter than it says": () => replaced(/"messages":\[3,3,/, '"messages":[3,4,'),
  "a list with chunks is shorter than it says": () => replaced(/"ragged":\[3,40,/, '"ragged":[3,41,'),
  "a list of chunks is shorter than it says": () =>
    replaced(/"ragged":\[3,40,(.*?),\[2,/, '"ragged":[3,40,$1,[3,'),
  "a chunk has a range that ends before it begins": () => replaced(/"body":\[(\d+),0,1,/, '"body":[$1,1,0,'),
  "a chunk is no list": () => replaced(/"body":\[(\d+),0,1,.*\]/, '"body":{}'),
  "a list is said to be a record": () => replaced(/"messages":\[3,3,\[(.*?)\]\]/, '"messages":[5,$1]'),
  "a list has elements that hide messages": () =>
    replaced(/"messages":\[3,2,\[(\d+),0,1,\d+,2,3\]/, '"messages":[3,2,[$1,2,4]'),
  "what hides messages names none": () => replaced('{"$":"hide","ids":["b"]', '{"$":"hide","ids":"b"'),
  "a record is a list": () => replaced(/"body":\{"key 0":.*\}\}/, '"body":[1]}'),
  "what changed in a record is a record": () => replaced(/"body":\{"set":/, '"body":{"sat":'),
  "a write refers to less than an item": () =>
    replaced(/\{"\$":"item","l":(\d+),"o":0,"n":3\}/, '{"$":"item","l":$1,"o":0,"n":-3}'),
  "a write refers to what hides messages": () =>
    replaced(/\{"\$":"item","l":(\d+),"o":0,"n":3\}/, '{"$":"item","l":$1,"o":1,"n":3}'),
  "a write refers to more than there can be": () =>
    replaced(/\{"\$":"item","l":(\d+),"o":0,"n":3\}/, '{"$":"item","l":$1,"o":0,"n":9007199254740991}'),
  "versions are a list": () => replaced(/"v":\d+/, '"v":[1]'),
  "metadata hold what cannot be read": () => replaced('"metadata":{', '"metadata":{"x":{"$":"map","v":1},'),
  "the root namespace has another name": () => replaced('{"namespace":"",', '{"namespace":"x",'),
};

/** Checklist B5. */
describe.each(ALL_SAVERS)("an import stores nothing that could not be read: $name", (kind) => {
  it.each(Object.entries(DAMAGES))("%s", async (_, damage) => {
    const { saver, close } = kind.open();
    await expect(saver.importThread(damage())).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringMatching(/^Line \d+ .* Nothing was imported/) as string,
    });
    expect(await saver.listThreads()).toEqual([]);
    await close();
  });

  it("and everything that can be", async () => {
    const { saver, reopen, close } = kind.open();
    await storeAll(saver);
    await saver.importThread(lines, { as: "u" });
    expect(await readAll(reopen(), "u")).toEqual(await readAll(reopen(), "t"));
    await putValue(saver, "no root", "1", new Map([["k", 1]]), "alone");
    const alone = await exported(saver, "no root");
    await saver.importThread(alone, { as: "neither" });
    expect((await exported(saver, "neither")).slice(1)).toEqual(alone.slice(1));
    await close();
  });
});

interface Point {
  readonly x: number;
}
const point: CodecTag<URLSearchParams> = {
  tag: "point",
  matches: (value): value is URLSearchParams => value instanceof URLSearchParams,
  encode: (value) => ({ x: Number(value.get("x")) }),
  decode: (data) => new URLSearchParams({ x: String((data as Point).x) }),
};

it("values of a codec with further tags are imported by a saver that has it, and by no other", async () => {
  const codec = createCodec({ tags: [point] });
  const saver = new MemorySaver({ codec });
  await putValue(saver, "t", "1", [new URLSearchParams("x=1")]);
  const points = await exported(saver);
  const other = new MemorySaver({ codec });
  await other.importThread(points);
  expect((await exported(other)).slice(1)).toEqual(points.slice(1));
  const without = new MemorySaver();
  await expect(without.importThread(points)).rejects.toMatchObject({
    code: "INVALID_INPUT",
    message: expect.stringContaining(
      'the tag "point", which the codec of this saver does not know',
    ) as string,
  });
  const damaged = points.map((line) => line.replace('"v":{"x":1}', '"v":null'));
  await expect(other.importThread(damaged, { as: "u" })).rejects.toMatchObject({ code: "INVALID_INPUT" });
});

type Tree = Record<string, unknown>;

/** Paths of all values in parsed JSON. */
function pathsOf(node: unknown, path: readonly string[] = []): (readonly string[])[] {
  const keys = typeof node === "object" && node !== null ? Object.keys(node) : [];
  return [path, ...keys.flatMap((key) => pathsOf((node as Tree)[key], [...path, key]))];
}

const OTHERS: Readonly<Record<string, readonly unknown[]>> = {
  number: [0, -1, 1, 2, 3, 1.5, 1e9, null, "x", undefined],
  string: ["", "x", "number", "message", "hide", "item", 5, null, undefined],
  object: [null, 0, "x", [], {}, true, [0, 0, 1], undefined],
};

/** A line with one value in it replaced, or removed. */
function changedAt(line: string, where: number, what: number): string {
  const root = [JSON.parse(line)] as unknown[];
  const paths = pathsOf(root[0], ["0"]).slice(1);
  const path = paths[where % paths.length] as readonly string[];
  const holder = path.slice(0, -1).reduce<unknown>((node, key) => (node as Tree)[key], root) as Tree;
  const key = path.at(-1) as string;
  const others = OTHERS[typeof holder[key]] ?? [null];
  const value = others[what % others.length];
  if (value !== undefined) holder[key] = value;
  else if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
  return `${JSON.stringify(root[0])}\n`;
}

/** More in the long run. */
const runs = process.env["SKEIN_TESTS"] === "long" ? 400 : 120;

it.each(SAVERS)("whatever is changed in a line, $name refuses it or reads the thread", async (kind) => {
  const { saver, close } = kind.open();
  const damage = fc.tuple(fc.nat(lines.length - 1), fc.nat(), fc.nat());
  await fc.assert(
    fc.asyncProperty(damage, async ([at, where, what]) => {
      const changed = lines.with(at, changedAt(lines[at] as string, where, what));
      const refused = await saver.importThread(changed, { as: "x" }).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (refused === undefined) {
        await readAll(saver, "x");
        await saver.deleteThread("x");
      } else if (!GraphError.is(refused, "INVALID_INPUT") && !GraphError.is(refused, "STORAGE_NEWER"))
        throw refused;
      expect(await saver.listThreads()).toEqual([]);
    }),
    { numRuns: runs },
  );
  await close();
});
