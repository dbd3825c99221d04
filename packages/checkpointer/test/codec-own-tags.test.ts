import { expect, it } from "vitest";
import { createCodec, type CodecTag } from "../src/index.ts";
import { MemorySaver } from "../src/memory/index.ts";
import { at } from "./support/puts.ts";
import { referring } from "./support/referring.ts";

interface Row {
  readonly n: number;
}

/** Some rows of the state. */
class Choice {
  readonly rows: readonly Row[];
  constructor(rows: readonly Row[]) {
    for (const { n } of rows) if (typeof n !== "number") throw new TypeError("no row");
    this.rows = rows;
  }
}
const choice: CodecTag<Choice> = {
  tag: "choice",
  matches: (value) => value instanceof Choice,
  encode: ({ rows }) => rows,
  decode: (data) => new Choice(data as Row[]),
};
const codec = createCodec({ tags: [choice] });

it("what a codec's own tag refuses to read is told as damage, with what it said", () => {
  const error = expect.objectContaining({
    code: "STORAGE_CORRUPT",
    message: expect.stringContaining('"choice" was refused by the codec that has it: no row.') as string,
    cause: expect.objectContaining({ message: "no row" }) as Error,
    details: { tag: "choice" },
  }) as Error;
  expect(() => codec.decode('{"$":"choice","v":[{}]}')).toThrow(error);
  expect(() => codec.revive([{ $: "choice", v: [{}] }])).toThrow(error);
});

it("an import takes what a tag can only read with the items that it refers to, and not what it refuses", async () => {
  const rows: Row[] = [{ n: 1 }, { n: 2 }];
  const { lines } = await referring(codec, rows, new Choice(rows));
  expect(lines.join("")).toContain('{"$":"choice","v":[{"$":"item"');
  const saver = new MemorySaver({ codec });
  await saver.importThread(lines);
  expect((await saver.getTuple(at("1")))?.pendingWrites).toEqual([["task", "chosen", new Choice(rows)]]);
  const refused = lines.map((line) => line.replace(/"v":\[\{"\$":"item".*?\}\]/, '"v":[{"n":"1"}]'));
  expect(refused).not.toEqual(lines);
  await expect(saver.importThread(refused, { as: "u" })).rejects.toMatchObject({ code: "INVALID_INPUT" });
});
