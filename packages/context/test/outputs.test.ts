import { describe, expect, it } from "vitest";
import { compressOutput, createTokenCounter } from "../src/index.ts";

const counter = createTokenCounter();

/** The outline of a value, without the line below it that says what it is. */
function outlineOf(value: unknown): unknown {
  const text = JSON.stringify(value);
  const compressed = compressOutput(text, 200, counter);
  expect(compressed).toMatchObject({ as: "outline", originalTokens: counter.text(text) });
  const [outline, note] = (compressed?.text ?? "").split("\n");
  expect(note).toBe(`[outline of ${counter.text(text)} tokens of JSON]`);
  return JSON.parse(outline as string);
}

const long = (text: string): string => `${text} `.repeat(400).trim();

describe("compressed tool outputs (C12)", () => {
  it("lists of up to four elements stay whole, of longer ones the first two and the last two", () => {
    const four = [1, 2, 3, 4];
    expect(outlineOf({ four, many: Array.from({ length: 500 }, (_, at) => at) })).toEqual({
      four,
      many: [0, 1, "[496 of 500 elements left out]", 498, 499],
    });
  });

  it("of a long text in it the beginning and the end stay", () => {
    const { note, short } = outlineOf({ note: `BEGIN ${long("and so on")} END`, short: "as it is" }) as {
      note: string;
      short: string;
    };
    expect(note).toMatch(/^BEGIN and so .* \[\.\.\. \d+ characters left out \.\.\.\] .*END$/u);
    expect(note.length).toBeLessThan(220);
    expect(short).toBe("as it is");
  });

  it("of a wide object flags, counts and ids stay first, in their own order", () => {
    const wide = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`field${at}`, at]));
    const outline = outlineOf({
      ...wide,
      success: false,
      error: "busy",
      total_count: 7,
      userId: "u1",
    }) as object;
    expect(outline).toMatchObject({ success: false, error: "busy", total_count: 7, userId: "u1", field0: 0 });
    expect(Object.keys(outline)).toHaveLength(25);
    expect(outline).toHaveProperty(["..."], "180 keys left out");
  });

  it("what is nested deeper than five is named and left out", () => {
    const nested = (depth: number): object =>
      depth === 0 ? { deep: long("deeper still") } : { in: nested(depth - 1), list: [depth] };
    const outline = JSON.stringify(outlineOf({ success: true, ...nested(9) }));
    expect(outline).toContain('"success":true');
    expect(outline).toContain('"in":"[object of 2 keys left out]"');
    expect(outline).not.toContain("deeper still");
    const lists = outlineOf([[[[[[long("x")]]]]], 2]);
    expect(lists).toEqual([[[[["[1 elements left out]"]]]], 2]);
  });

  it("a key called __proto__ is a key like any other", () => {
    const text = `{"__proto__": {"ok": true}, "rows": ${JSON.stringify(Array.from({ length: 400 }, () => 1))}}`;
    const outline = compressOutput(text, 200, counter)?.text.split("\n")[0] as string;
    expect(outline).toBe('{"__proto__":{"ok":true},"rows":[1,1,"[396 of 400 elements left out]",1,1]}');
  });

  it("other text keeps head and tail within the limit and says how much there was", () => {
    const text = `BEGIN\n${long("all is well\n")}\nEND`;
    const compressed = compressOutput(text, 200, counter);
    expect(compressed?.as).toBe("ends");
    expect(compressed?.text).toMatch(/^BEGIN\n.*\[\.\.\. \d+ of \d+ tokens left out \.\.\.\].*END$/su);
    expect(compressed?.text).toContain(` of ${counter.text(text)} tokens`);
    expect(counter.text(compressed?.text ?? "")).toBeLessThan(230);
  });

  it("200 tokens or fewer stay, and so does what would hardly be shorter", () => {
    expect(compressOutput(JSON.stringify({ rows: [1, 2, 3, 4, 5, 6] }), 200, counter)).toBeUndefined();
    const dense = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`k${at}`, `a rather plain value ${at}`]),
    );
    expect(counter.text(JSON.stringify(dense))).toBeGreaterThan(200);
    expect(compressOutput(JSON.stringify(dense), 200, counter)).toBeUndefined();
  });
});
