import { Document } from "@langchain/core/documents";
import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCodec, defaultCodec } from "../src/index.ts";

const roundTrip = (value: unknown): unknown => defaultCodec.decode(defaultCodec.encode(value));

describe("plain data", () => {
  it("comes back as it went in, whatever it is", () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withTypedArray: true,
          withNullPrototype: true,
          withUnicodeString: true,
        } as never),
        (value) => {
          expect(roundTrip(value)).toEqual(value);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("survives in every tenth of unicode: lone surrogates and NUL among them", () => {
    const strings = fc.string({
      unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    });
    fc.assert(
      fc.property(strings, (text) => {
        const encoded = defaultCodec.encode({ [text]: text });
        expect(encoded).not.toContain("\0");
        expect(encoded).not.toMatch(/\p{Surrogate}/u);
        expect(defaultCodec.decode(encoded)).toEqual({ [text]: text });
      }),
    );
  });

  it.each([
    ["undefined", undefined],
    ["NaN", Number.NaN],
    ["infinities", [Infinity, -Infinity]],
    ["-0", -0],
    ["a big integer", 2n ** 70n],
    ["an invalid date", new Date(Number.NaN)],
    ["a regular expression", /a\/b[\]]/giu],
    ["a URL", new URL("https://user@example.com/a?b#c")],
    [
      "a query",
      new URLSearchParams([
        ["a", "1"],
        ["a", "2 & 3"],
        ["ü", ""],
      ]),
    ],
    ["nested collections", new Map<unknown, unknown>([[new Set([1]), { a: [undefined] }]])],
    ["a document", new Document({ pageContent: "text", metadata: { a: new Date(1) }, id: "d" })],
    ["a delta snapshot", new DeltaSnapshot([new Map()])],
  ])("stores %s", (_, value) => {
    const back = roundTrip(value);
    expect(back).toEqual(value);
    expect(Object.is(back, value) || typeof value === "object" || typeof value === "bigint").toBe(true);
  });

  it("stores bytes of every kind, each in its own memory", () => {
    for (const bytes of [
      new Uint8Array([0, 255]),
      Buffer.from("ä"),
      new Float64Array([1.5, Number.NaN]),
      new BigInt64Array([-1n]),
      new Uint16Array(new Uint16Array([1, 2, 3]).buffer, 2, 1),
    ]) {
      const back = roundTrip(bytes) as typeof bytes;
      expect(back).toEqual(bytes);
      expect(back.constructor).toBe(bytes.constructor);
    }
    expect(roundTrip(new Uint8Array([7]).buffer)).toEqual(new Uint8Array([7]).buffer);
  });

  it("stores errors with name, cause and own fields, as errors of a closed set of classes", () => {
    class PaymentError extends TypeError {
      override name = "PaymentError";
      code = 42;
    }
    const back = roundTrip(new PaymentError("no", { cause: new RangeError("deep") })) as PaymentError;
    expect(back).toBeInstanceOf(Error);
    expect(back).not.toBeInstanceOf(PaymentError);
    expect([back.name, back.message, back.code]).toEqual(["PaymentError", "no", 42]);
    expect(back.cause).toBeInstanceOf(RangeError);
  });

  it("keeps data that looks like a tag data (no class by a stored name)", () => {
    for (const value of [
      { $: "date", v: 0 },
      { $: "=", v: { $: "ai" } },
      { $: "item", l: 0, o: 0 },
      { $: 1 },
      { $: undefined },
      {
        lc: 1,
        type: "constructor",
        id: ["langchain_core", "messages", "AIMessage"],
        kwargs: { content: "" },
      },
      { lc: 2, type: "constructor", id: ["Map"], args: [[]] },
      { lg_name: "Send", node: "x", args: 1 },
    ]) {
      expect(roundTrip(value)).toEqual(value);
      expect(Object.getPrototypeOf(roundTrip(value))).toBe(Object.prototype);
    }
  });

  it("stores __proto__, constructor and prototype as ordinary keys and pollutes nothing", () => {
    const value = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}}}',
    ) as object;
    const back = roundTrip(value) as object;
    expect(Object.hasOwn(back, "__proto__")).toBe(true);
    expect(JSON.stringify(back)).toBe(JSON.stringify(value));
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect((back as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("honours toJSON and stores other objects' own fields, as JSON does", () => {
    class Money {
      amount = 3;
      double(): number {
        return this.amount * 2;
      }
    }
    class Secret {
      toJSON(): unknown {
        return { hidden: new Date(0) };
      }
    }
    expect(roundTrip({ money: new Money(), secret: new Secret() })).toEqual({
      money: { amount: 3 },
      secret: { hidden: new Date(0) },
    });
  });
});

describe("references", () => {
  const items = Array.from({ length: 6 }, (_, i) => ({ i }));
  const reference = (value: object) => {
    const at = items.indexOf(value as { i: number });
    return at < 0 ? undefined : ([1, at < 4 ? at : at + 10] as const);
  };

  it("stand for items, in a row for neighbours, at any depth", () => {
    const value = {
      all: [...items, { $: "item", l: 1, o: 0, n: 2 }],
      one: items[2],
      twice: [items[1], items[0]],
    };
    const text = defaultCodec.encode(value, reference);
    expect(text).toBe(
      '{"all":[{"$":"item","l":1,"o":0,"n":4},{"$":"item","l":1,"o":14,"n":2},{"$":"=","v":{"$":"item","l":1,"o":0,"n":2}}],' +
        '"one":{"$":"item","l":1,"o":2},"twice":[{"$":"item","l":1,"o":1},{"$":"item","l":1,"o":0}]}',
    );
    const back = defaultCodec.revive(
      JSON.parse(text) as never,
      (_lane, ord) => items[ord < 4 ? ord : ord - 10],
    );
    expect(back).toEqual(value);
  });
});

describe("further tags", () => {
  class Point {
    readonly x: number;
    constructor(x: number) {
      this.x = x;
    }
  }
  const codec = createCodec({
    tags: [
      {
        tag: "point",
        matches: (value): value is Point => value instanceof Point,
        encode: (point) => (point as Point).x,
        decode: (x) => new Point(Number(x)),
      },
    ],
  });

  it("store and revive a program's own class", () => {
    expect(codec.decode(codec.encode({ p: new Point(3) }))).toEqual({ p: new Point(3) });
  });

  it("are needed to read what was written with them", () => {
    expect(() => defaultCodec.decode(codec.encode(new Point(3)))).toThrow(/tag "point"/);
  });
});
