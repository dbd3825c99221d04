import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CHANGE_SETS, type ChangeSets, type ChannelChange, type Claim, type Segment } from "../src/index.ts";
import { ALL_SAVERS } from "./savers.ts";

/** One checkpoint as a naive program would keep it: everything, whole. */
interface Model {
  readonly id: string;
  readonly parent: string | undefined;
  readonly list: readonly string[];
  readonly log: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
}

const step = fc.record({
  /** What becomes of the list: pieces of it and new elements. */
  cuts: fc.array(fc.tuple(fc.nat(99), fc.nat(99), fc.nat(2)), { maxLength: 3 }),
  edit: fc.constantFrom("append", "append", "last", "cut", "none"),
  adds: fc.nat(3),
  value: fc.tuple(
    fc.constantFrom("a", "b", "__proto__"),
    fc.oneof(fc.jsonValue(), fc.constant("x".repeat(400))),
  ),
  clear: fc.boolean(),
  fork: fc.option(fc.nat(99), { freq: 6 }),
  record: fc.boolean(),
  reopen: fc.nat(9),
});

const idOf = (n: number): string => `c${String(n).padStart(6, "0")}`;
const contents = (list: unknown): string[] => (list as BaseMessage[]).map(({ content }) => content as string);

const long = process.env["SKEIN_TESTS"] === "long";
const RUNS: Readonly<Record<string, number>> = long
  ? { MemorySaver: 60, SqliteSaver: 12, PostgresSaver: 5 }
  : { MemorySaver: 20, SqliteSaver: 6, PostgresSaver: 2 };

describe.each(ALL_SAVERS)("$name against a model that keeps every checkpoint whole", (kind) => {
  it("reads every checkpoint as it was committed, through forks, edits, records and reopening", async () => {
    expect.hasAssertions();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60, size: "max" }), async (steps) => {
        const storage = kind.open();
        try {
          await runAgainstModel(storage.saver[CHANGE_SETS], () => storage.reopen()[CHANGE_SETS], steps);
        } finally {
          await storage.close();
        }
      }),
      { numRuns: RUNS[kind.name] ?? 0 },
    );
  });
});

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function runAgainstModel(
  first: ChangeSets,
  reopen: () => ChangeSets,
  steps: readonly Step[],
): Promise<void> {
  const address = { threadId: "thread", namespace: "" };
  const models: Model[] = [];
  let sets = first;
  let claim = (await sets.open(address, { claim: "fail" })).claim as Claim;
  let made = 0;
  const message = (): HumanMessage => {
    made += 1;
    // every fourth one has the id of an earlier one: in the archive it is a revision
    return new HumanMessage({ id: `m${made % 4 === 0 ? made - 3 : made}`, content: `text ${made}` });
  };
  for (const [i, one] of steps.entries()) {
    const head = models.at(-1);
    const parent = one.fork === null ? head : models[one.fork % Math.max(1, models.length)];
    const old = parent?.list ?? [];
    const added = Array.from({ length: one.adds }, message);
    const segments = segmentsOf(one, old.length, added);
    const list = segments.flatMap((segment) =>
      "keep" in segment ? old.slice(...segment.keep) : contents(segment.add),
    );
    const [name, value] = one.value;
    const channels = new Map<string, ChannelChange>([
      ["list", { op: "list", segments }],
      ["log", { op: "log", lane: "list", entries: added.map((add) => ({ add })) }],
      [name, one.clear ? { op: "clear" } : { op: "set", value }],
    ]);
    const writes = [{ taskId: `task${i}`, writes: [["list", added] as [string, unknown]] }];
    const recorded = one.record && parent !== undefined;
    if (recorded) await sets.record(claim, { ...address, checkpointId: parent.id }, writes);
    const id = idOf(i);
    await sets.commit(claim, {
      namespace: "",
      parentId: parent?.id,
      expectedHead: head?.id,
      checkpoint: {
        id,
        ts: "2026-01-01T00:00:00.000Z",
        metadata: { source: "loop", step: i, parents: {} },
        channelVersions: { list: i, log: i, [name]: i },
        versionsSeen: { node: { list: i } },
      },
      channels,
      writes: recorded || parent === undefined ? [] : writes,
    });
    const values = new Map(Object.entries(parent?.values ?? {}));
    if (one.clear) values.delete(name);
    else values.set(name, value);
    models.push({
      id,
      parent: parent?.id,
      list,
      log: resolve([
        ...(parent?.log ?? []),
        ...added.map(({ id: of, content }) => `${of}=${content as string}`),
      ]),
      values: Object.fromEntries(values),
    });
    if (one.reopen === 0) {
      await sets.release(claim);
      sets = reopen();
      claim = (await sets.open(address, { claim: "fail" })).claim as Claim;
    }
  }
  for (const from of [sets, reopen()]) for (const model of models) await expectSame(from, model);
}

/** First occurrence of an id gives the place, the last one the content. */
function resolve(entries: readonly string[]): string[] {
  const byId = new Map<string, string>();
  for (const entry of entries) byId.set(entry.slice(0, entry.indexOf("=")), entry);
  return [...byId.values()];
}

const keep = (from: number, to: number): Segment[] => (from < to ? [{ keep: [from, to] }] : []);

function segmentsOf({ edit, cuts }: Step, length: number, added: readonly unknown[]): Segment[] {
  const add: Segment[] = added.length === 0 ? [] : [{ add: added }];
  if (edit === "append" || edit === "none") return [...keep(0, length), ...add];
  if (edit === "last") return [...keep(0, length - 1), ...add];
  return [...cuts.flatMap(([a, b]) => keep(Math.min(a, length), Math.min(b, length))), ...add];
}

async function expectSame(sets: ChangeSets, model: Model): Promise<void> {
  const { checkpoint } = await sets.open({ threadId: "thread", namespace: "", checkpointId: model.id });
  expect(checkpoint?.parentId).toBe(model.parent);
  const load = async (channel: string): Promise<unknown> => await checkpoint?.channels.get(channel)?.load();
  expect(contents(await load("list"))).toEqual(model.list);
  const log = ((await load("log")) ?? []) as BaseMessage[];
  expect(log.map(({ id, content }) => `${id}=${content as string}`)).toEqual(model.log);
  for (const name of ["a", "b", "__proto__"]) {
    expect(checkpoint?.channels.has(name)).toBe(Object.hasOwn(model.values, name));
    expect(await load(name)).toEqual(Object.hasOwn(model.values, name) ? model.values[name] : undefined);
  }
  expect(await pages(sets, model)).toEqual(model.log);
}

async function pages(sets: ChangeSets, { id }: Model): Promise<string[]> {
  const all: string[] = [];
  for (let before: number | undefined; ;) {
    const options = before === undefined ? { limit: 3 } : { limit: 3, before };
    const page = await sets.page({ threadId: "thread", namespace: "", checkpointId: id }, "log", options);
    expect(page.elements.length).toBeLessThanOrEqual(3);
    all.unshift(
      ...(page.elements as BaseMessage[]).map((element) => `${element.id}=${element.content as string}`),
    );
    if (page.before === undefined) return all;
    before = page.before;
  }
}
