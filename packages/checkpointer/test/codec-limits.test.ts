import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCodec, defaultCodec } from "../src/index.ts";

/** Far more than the stack of Node has room for. */
const DEEP = 30_000;

/** A value in so many others, made without recursion. */
function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i += 1) value = wrap(value);
  return value;
}

const KINDS: readonly (readonly [string, (inner: unknown) => unknown])[] = [
  ["objects", (inner) => ({ a: inner })],
  ["lists", (inner) => [inner]],
  ["maps", (inner) => new Map([["a", inner]])],
  ["sets", (inner) => new Set([inner])],
  ["errors", (cause) => new Error("e", { cause })],
  ["data that looks like a tag", (inner) => ({ $: "date", v: inner })],
  ["objects with a toJSON", (inner) => Object.create({ toJSON: () => [inner] }) as unknown],
];

const coded = (code: string, more: object = {}): unknown => expect.objectContaining({ code, ...more });

describe("depth (never a RangeError)", () => {
  const frames = Error.stackTraceLimit;
  beforeAll(() => {
    // tens of thousands of stack traces would take longer than all else
    Error.stackTraceLimit = 0;
  });
  afterAll(() => {
    Error.stackTraceLimit = frames;
  });

  it.each(KINDS)(
    `${DEEP} levels of %s are refused by the limit, and stored by one that allows them`,
    (_, wrap) => {
      const value = nested(DEEP, wrap);
      expect(() => defaultCodec.encode(value)).toThrow(coded("VALUE_TOO_DEEP"));
      const patient = createCodec({ maxDepth: DEEP * 4 });
      const text = patient.encode(value);
      const back = patient.decode(text);
      expect(() => defaultCodec.decode(text)).toThrow(coded("VALUE_TOO_DEEP"));
      expect(patient.encode(back)).toBe(text);
    },
  );

  it("is counted alike by writing and reading: what was stored at the limit is read at the limit", () => {
    for (const [, wrap] of KINDS) {
      const codec = createCodec({ maxDepth: 30 });
      let levels = 1;
      let text = "";
      for (;;) {
        try {
          text = codec.encode(nested(levels, wrap));
          levels += 1;
        } catch {
          break;
        }
      }
      expect(levels).toBeGreaterThan(5);
      expect(codec.encode(codec.decode(text))).toBe(text);
    }
  });

  it("text that is nested without end is refused when it is read", () => {
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
      ['{"$":"set","v":[', "]}"],
      ['{"$":"=","v":{"$":', "}}"],
    ] as const) {
      const text = `${open.repeat(DEEP)}1${close.repeat(DEEP)}`;
      expect(() => defaultCodec.decode(text)).toThrow(coded("VALUE_TOO_DEEP"));
    }
  });
});

describe("circles", () => {
  const circles: Readonly<Record<string, () => [value: unknown, path: readonly (string | number)[]]>> = {
    "of one object": () => {
      const value: Record<string, unknown> = {};
      value["me"] = value;
      return [value, ["me"]];
    },
    "behind a way that is no part of it": () => {
      const value: unknown[] = [];
      value.push({ back: value });
      return [{ way: [{ to: value }] }, ["way", 0, "to", 0, "back"]];
    },
    "through a map": () => {
      const value = new Map<string, unknown>();
      value.set("me", [value]);
      return [value, ["v", 0, 1, 0]];
    },
    "through an error that is its own cause": () => {
      const value = new Error("e");
      value.cause = value;
      return [value, ["cause"]];
    },
    "of three hundred objects": () => {
      const first: Record<string, unknown> = {};
      first["next"] = nested(299, (next) => (next === 1 ? { next: first } : { next }));
      return [first, Array.from({ length: 300 }, () => "next")];
    },
  };

  it.each(Object.keys(circles))("%s are told from depth, by the place where they close", (name) => {
    const [value, path] = (circles[name] as (typeof circles)[string])();
    expect(() => defaultCodec.encode(value)).toThrow(coded("UNSTORABLE_VALUE", { details: { path } }));
  });

  it("are noticed before what stands beside them was written a thousand times", () => {
    const value: Record<string, unknown> = { beside: "x".repeat(1_000_000) };
    value["me"] = value;
    const codec = createCodec({ maxLength: 20_000_000 });
    expect(() => codec.encode(value)).toThrow(coded("UNSTORABLE_VALUE", { details: { path: ["me"] } }));
  });
});

describe("size", () => {
  it("a value that is small in memory and endless as text is refused, not written", () => {
    let laughs: unknown = ["ha"];
    for (let i = 0; i < 100; i += 1) laughs = [laughs, laughs];
    const codec = createCodec({ maxLength: 100_000 });
    expect(() => codec.encode({ a: laughs })).toThrow(coded("VALUE_TOO_LARGE"));
  });

  it("bytes and strings that would exceed the limit are refused with their path, before they are encoded", () => {
    const codec = createCodec({ maxLength: 1_000 });
    for (const part of [Buffer.alloc(1_001), new ArrayBuffer(1_001), "x".repeat(1_001)]) {
      expect(() => codec.encode({ a: [0, part] })).toThrow(
        coded("VALUE_TOO_LARGE", { message: expect.stringContaining("a[1]") as string }),
      );
    }
  });

  it("a list with a hole at its end is as small as it looks, and no stored text makes a larger one", () => {
    const list: unknown[] = ["a"];
    list.length = 4_000_000_000;
    const text = defaultCodec.encode(list);
    expect(text.length).toBeLessThan(100);
    const back = defaultCodec.decode(text) as unknown[];
    expect([back.length, Object.keys(back)]).toEqual([4_000_000_000, ["0"]]);
  });
});

describe("text that nobody wrote", () => {
  it.each([
    '{"$":"bigint","v":"x"}',
    '{"$":"regexp","v":"(","flags":""}',
    '{"$":"regexp","v":"a","flags":"q"}',
    '{"$":"url","v":"no url"}',
    '{"$":"map","v":[1]}',
    '{"$":"bytes","of":"Float64Array","v":"AAAA"}',
    '{"$":"sparse","v":[["x",1]],"length":2}',
    '{"$":"sparse","v":[["2",1]],"length":2}',
    '{"$":"sparse","v":[],"length":-1}',
    '{"$":"sparse","v":[],"length":1e10}',
    '{"$":"=","v":[1]}',
    '{"$":"error","name":1,"v":"m"}',
    '{"$":"error","name":"E","v":"m","errors":1}',
    '{"$":"bytes","of":"__proto__","v":1}',
  ])("is STORAGE_CORRUPT: %s", (text) => {
    expect(() => defaultCodec.decode(text)).toThrow(coded("STORAGE_CORRUPT"));
  });

  it("never makes an object of a class that it names", () => {
    for (const of of ["constructor", "__proto__", "Function", "SharedArrayBuffer", "toString"]) {
      const back = defaultCodec.decode(`{"$":"bytes","of":"${of}","v":"AA=="}`);
      expect(back).toEqual(new Uint8Array([0]));
    }
    for (const name of ["Function", "constructor", "__proto__", "AggregateError"]) {
      const back = defaultCodec.decode(`{"$":"error","name":"${name}","v":"m"}`) as Error;
      expect([back.constructor, back.name]).toEqual([Error, name]);
    }
  });
});
