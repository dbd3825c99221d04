import { EventEmitter, once } from "node:events";
import { beforeAll, describe, expect, it } from "vitest";
import { MemorySaver } from "../src/memory/index.ts";
import { ALL_SAVERS } from "./savers.ts";
import { putValue } from "./steps.ts";
import { at, chat, commitTurn, contents, idOf, stored } from "./turns.ts";

type Json = Record<string, unknown>;

async function exported(turns: number): Promise<string[]> {
  const saver = new MemorySaver();
  await chat(saver, "t", turns);
  const long = `${"a longer value ".repeat(200)}.`;
  await saver.putWrites(at("t", turns * 2), [["approval", { asked: long }]], "task");
  await putValue(saver, "t", idOf(turns * 2 + 1), long);
  const lines: string[] = [];
  for await (const line of saver.exportThread("t")) lines.push(line);
  return lines;
}

let short: string[] = [];
/** Some of it is stored before its end is read. */
let long: string[] = [];
beforeAll(async () => {
  short = await exported(3);
  long = await exported(300);
});

/** Lines of which the last is given when it is let go. */
function slowly(lines: readonly string[]) {
  const gate = new EventEmitter();
  const [isWaiting, mayEnd] = [once(gate, "wait"), once(gate, "end")];
  async function* source(): AsyncGenerator<string> {
    yield* lines.slice(0, -1);
    gate.emit("wait");
    await mayEnd;
    yield lines.at(-1) as string;
  }
  return { source: source(), isWaiting, end: () => gate.emit("end") };
}

/** How an import ended. */
const outcome = (importing: Promise<unknown>): Promise<unknown> => importing.catch((error: unknown) => error);

const withEnd = (lines: readonly string[], end: string): string[] => [...lines.slice(0, -1), end];

/** Checklist B5. */
describe.each(ALL_SAVERS)("an import that fails leaves what others stored under its id: $name", (kind) => {
  const conflict = { code: "THREAD_CONFLICT" };

  it("which was put while it read, though its saver had looked for other threads", async () => {
    const { saver, reopen, close } = kind.open();
    for await (const _ of saver.list(at("nowhere"))) expect.unreachable();
    const { source, isWaiting, end } = slowly(short);
    const importing = outcome(saver.importThread(source, { as: "x" }));
    await isWaiting;
    await putValue(reopen(), "x", idOf(1), "mine");
    end();
    expect(await importing).toMatchObject(conflict);
    expect(await stored(reopen(), "x")).toEqual([1]);
    await close();
  });

  it("and nothing else, though its saver has listed threads", async () => {
    const { saver, close } = kind.open();
    await chat(saver, "t", 1);
    for await (const _ of saver.list(at("t"))) continue;
    expect(await outcome(saver.importThread(long.slice(0, -1), { as: "x" }))).toMatchObject({
      code: "INVALID_INPUT",
    });
    expect(await saver.storageReport("x")).toBeUndefined();
    await close();
  });

  it.each([
    ["whose lines end well", (lines: string[]) => lines, conflict],
    ["whose last line is damaged", (lines: string[]) => withEnd(lines, "{"), { code: "INVALID_INPUT" }],
  ])("%s, where the thread was deleted and run meanwhile", async (_, change, refused) => {
    const { saver, close } = kind.open();
    for (const lines of [short, long]) {
      const { source, isWaiting, end } = slowly(change(lines));
      const importing = outcome(saver.importThread(source, { as: "x" }));
      await isWaiting;
      await saver.deleteThread("x");
      await commitTurn(saver, { thread: "x", n: 2, question: "theirs", answer: "acknowledged" });
      end();
      expect(await importing).toMatchObject(refused);
      expect(await contents(saver, "x")).toEqual(["theirs", "acknowledged"]);
      await saver.deleteThread("x");
    }
    await close();
  });

  it("keeps what was put before it stored anything, and refuses puts afterwards", async () => {
    const { saver, close } = kind.open();
    const early = slowly(short);
    const failing = outcome(saver.importThread(early.source, { as: "x" }));
    await early.isWaiting;
    await putValue(saver, "x", idOf(1), "acknowledged");
    early.end();
    expect(await failing).toMatchObject(conflict);
    expect((await saver.getTuple(at("x")))?.checkpoint.channel_values).toEqual({ n: "acknowledged" });
    expect(await stored(saver, "x")).toEqual([1]);

    const late = slowly(long);
    const importing = saver.importThread(late.source, { as: "y" });
    await late.isWaiting;
    await expect(putValue(saver, "y", idOf(1), "refused")).rejects.toMatchObject(conflict);
    late.end();
    expect(await importing).toMatchObject({ checkpoints: 601 });
    await close();
  });

  it("and removes what it stored itself", async () => {
    const { saver, close } = kind.open();
    const damaged = saver.importThread(withEnd(long, "{"), { as: "x" });
    await expect(damaged).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(await saver.storageReport("x")).toBeUndefined();
    await close();
  });
});

describe.each(ALL_SAVERS)("an import of a graph's call of which nothing is left: $name", (kind) => {
  it("comes back, and is exported as it was", async () => {
    const { saver, reopen, close } = kind.open();
    const lines = short.flatMap((line) => {
      const told = JSON.parse(line) as Json;
      if (told["end"] === undefined) return line;
      const below = { namespace: "sub:1", head: null, next: 5 };
      return printed([below, { ...told, namespaces: 2 }]);
    });
    await saver.importThread(lines);
    const again: string[] = [];
    for await (const line of reopen().exportThread("t")) again.push(line);
    expect(parsed(again).filter((line) => "namespace" in line)).toEqual(
      parsed(lines).filter((line) => "namespace" in line),
    );
    await close();
  });
});

const parsed = (lines: readonly string[]) => lines.map((line) => JSON.parse(line) as Json);
const printed = (lines: readonly Json[]) => lines.map((line) => `${JSON.stringify(line)}\n`);
const placeOf = (lines: readonly Json[], wanted: (line: Json) => boolean): number => lines.findIndex(wanted);

/** Lines with one of them removed, doubled or changed, and the end counting what is there then. */
function changed(
  lines: readonly string[],
  wanted: (line: Json) => boolean,
  change: (line: Json) => Json[],
  recount = true,
): string[] {
  const all = parsed(lines);
  const place = placeOf(all, wanted);
  expect(place).toBeGreaterThan(0);
  const result = all.toSpliced(place, 1, ...change(all[place] as Json));
  if (!recount) return printed(result);
  const count = (key: string): number => result.filter((line) => key in line).length;
  const counts = {
    checkpoints: count("seq"),
    items: count("ord"),
    writes: count("under"),
    lanes: count("lane"),
    namespaces: count("namespace"),
  };
  return printed([...result.slice(0, -1), { end: true, ...counts }]);
}

const isIn = (lane: number) => {
  let current: unknown;
  return (line: Json): boolean => {
    if ("lane" in line) current = line["lane"];
    return "ord" in line && current === lane;
  };
};
const has = (key: string, value?: unknown) => (line: Json) =>
  key in line && (value === undefined || line[key] === value);
const nothing = (): Json[] => [];
const twice = (line: Json): Json[] => [line, line];
const withField =
  (fields: Json) =>
  (line: Json): Json[] => [{ ...line, ...fields }];

const DAMAGES: Readonly<Record<string, () => string[]>> = {
  "a write is missing": () => changed(short, has("under"), nothing, false),
  "a write is there twice": () => changed(short, has("under"), twice),
  "a write is under no checkpoint": () => changed(short, has("under"), withField({ under: 99 })),
  "writes are none": () => changed(short, has("under"), withField({ body: ["approval"] })),
  "a write stands before the first namespace": () => {
    const all = parsed(short);
    const [write] = all.splice(placeOf(all, has("under")), 1);
    return printed(all.toSpliced(1, 0, write as Json));
  },
  "the line of the first lane is missing": () => changed(short, has("lane", 0), nothing),
  "the line of a lane is missing": () => changed(short, has("lane", 1), nothing),
  "the line of a lane is missing and not counted": () => changed(short, has("lane", 1), nothing, false),
  "the line of a lane is there twice": () => changed(short, has("lane", 1), twice),
  "two lanes have one name": () =>
    changed(short, has("lane", 0), (line) => [line, { lane: 9, name: line["name"] }]),
  "a lane is missing with all items": () => {
    const all = parsed(short);
    const from = placeOf(all, has("lane", 1));
    const to = all.findIndex((line, place) => place > from && !("ord" in line));
    return changed(printed(all.toSpliced(from, to - from)), has("end"), twice).slice(0, -1);
  },
  "an item is missing": () => changed(short, isIn(1), nothing),
  "a longer value is missing": () => changed(short, isIn(0), nothing),
  "an item is there twice": () => changed(short, isIn(1), twice),
  "a checkpoint is there twice": () => changed(short, has("seq", 7), twice),
  "two checkpoints have one id": () => changed(short, has("seq", 7), withField({ id: idOf(6) })),
  "a namespace is missing": () => changed(short, has("namespace"), nothing),
  "a namespace is there twice": () => changed(short, has("namespace"), twice),
  "the next checkpoint is one that there is": () => changed(short, has("namespace"), withField({ next: 1 })),
  "the next checkpoint is the last one": () => changed(short, has("namespace"), withField({ next: 7 })),
  "the next checkpoint is one that no thread comes to": () =>
    changed(short, has("namespace"), withField({ next: 2 ** 40 })),
  "metadata are null": () => changed(short, has("seq", 3), withField({ metadata: null })),
  "metadata are a list": () => changed(short, has("seq", 3), withField({ metadata: [] })),
};

describe.each(ALL_SAVERS)("lines that are not as they were written store nothing: $name", (kind) => {
  it.each(Object.entries(DAMAGES))("%s", async (_, damage) => {
    const { saver, close } = kind.open();
    const importing = saver.importThread(damage(), { as: "u" });
    await expect(importing).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringMatching(/^Line \d+ .* Nothing was imported/) as string,
    });
    expect(await saver.storageReport("u")).toBeUndefined();
    await close();
  });
});

it("bytes that are not UTF-8 are refused, and the line behind which they stand is named", async () => {
  const bytes = Buffer.from(short.join(""));
  const place = bytes.indexOf("question 2");
  bytes[place] = 0xff;
  const saver = new MemorySaver();
  for (const size of [bytes.length, 50]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      bytes.subarray(i * size, (i + 1) * size),
    );
    await expect(saver.importThread(pieces)).rejects.toMatchObject({ code: "INVALID_INPUT" });
  }
  const cut = Buffer.from(`${short.join("")}é`).subarray(0, -1);
  await expect(saver.importThread([cut])).rejects.toMatchObject({
    code: "INVALID_INPUT",
    details: { line: short.length + 1 },
  });
  expect(await saver.storageReport("t")).toBeUndefined();
  const whole = Buffer.from(short.join(""));
  await saver.importThread([whole.subarray(0, place + 1), whole.subarray(place + 1)]);
});

it("an export of before the end counted writes, lanes and namespaces comes back", async () => {
  const saver = new MemorySaver();
  const { checkpoints, items } = JSON.parse(short.at(-1) as string) as Json;
  const older = withEnd(short, `${JSON.stringify({ end: true, checkpoints, items })}\n`);
  expect(await saver.importThread(older)).toEqual({ threadId: "t", checkpoints, items });
  expect((await saver.getTuple(at("t", 6)))?.pendingWrites).toHaveLength(1);
});
