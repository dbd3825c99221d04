import { GraphError } from "@skein/errors";
import { describe, expect, it } from "vitest";
import { createCodec } from "../src/index.ts";
import { MemorySaver } from "../src/memory/index.ts";
import { ALL_SAVERS, type Saver } from "./savers.ts";
import { at, checkpoint } from "./support/puts.ts";

const LEVELS = [3000, 8000, 100_000];
const ITEM = '{"$":"item","l":0,"o":0}';
const FORMS = {
  lists: (levels: number, core: string) => "[".repeat(levels) + core + "]".repeat(levels),
  objects: (levels: number, core: string) => '{"x":'.repeat(levels) + core + "}".repeat(levels),
};

/** Where a value is put among the lines. */
const PLACES: Readonly<Record<string, (line: string, value: string) => string>> = {
  "a write": (line, value) => line.replace('["a","w"]', () => `["a",${value}]`),
  "an item": (line, value) => line.replace(/"body":\{.*\}/, () => `"body":${value}}`),
  "a short value": (line, value) => line.replace('"a":[1,"x"]', () => `"a":[1,${value}]`),
  metadata: (line, value) => line.replace('"metadata":{', () => `"metadata":{"x":${value},`),
};

async function exported(saver: Saver): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of saver.exportThread("t")) lines.push(line);
  return lines;
}

/** A thread with one of each. */
async function threadLines(): Promise<string[]> {
  const saver = new MemorySaver();
  const values = { a: "x", v: { l: "y".repeat(400) } };
  await saver.put(at(), checkpoint("1", values), { source: "update", step: 0, parents: {} }, { a: 1, v: 1 });
  await saver.putWrites(at("1"), [["a", "w"]], "task");
  return await exported(saver);
}

const each = Object.keys(PLACES).flatMap((place) =>
  Object.keys(FORMS).map((form) => ({ place, form: form as keyof typeof FORMS })),
);

describe.each(ALL_SAVERS)("an import into $name refuses what is nested too deep, however deep", (kind) => {
  it.each(each)("$form in $place", async ({ place, form }) => {
    const { saver, close } = kind.open();
    const lines = await threadLines();
    for (const levels of LEVELS) {
      for (const core of ["1", ITEM]) {
        const value = FORMS[form](levels, core);
        const deep = lines.map((line) => PLACES[place]?.(line, value) ?? line);
        expect(deep).not.toEqual(lines);
        await expect(saver.importThread(deep)).rejects.toMatchObject({
          code: "INVALID_INPUT",
          message: expect.stringMatching(/^Line [346] .* Nothing was imported/) as string,
        });
        expect(await saver.getTuple(at())).toBeUndefined();
      }
    }
    await saver.importThread(lines);
    expect(await exported(saver)).toEqual(lines);
    await close();
  });
});

it.each([2500, 3500, 4500, 50_000])(
  "a codec that reads deeper: %i levels are read, or refused",
  async (levels) => {
    const lines = await threadLines();
    const saver = new MemorySaver({ codec: createCodec({ maxDepth: 100_000 }) });
    const told: unknown[] = [];
    for (const put of Object.values(PLACES)) {
      for (const form of Object.values(FORMS)) {
        const deep = lines.map((line) => put(line, form(levels, ITEM)));
        await saver.importThread(deep).catch((error: unknown) => told.push(error));
        await saver.deleteThread("t");
      }
    }
    expect(told.filter((error) => !GraphError.is(error, "INVALID_INPUT"))).toEqual([]);
  },
);
