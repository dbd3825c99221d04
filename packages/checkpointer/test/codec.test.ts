import { Document } from "@langchain/core/documents";
import { AIMessage } from "@langchain/core/messages";
import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import { GraphError } from "@skein/errors";
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

function gone(): never {
  throw new Error("gone");
}

const withGetter = (): object => Object.defineProperty({ first: 1 }, "b", { enumerable: true, get: gone });

it("headers come back with every cookie, of an error that a client threw as well", () => {
  const headers = new Headers({ "Content-Type": "text/plain" });
  for (const cookie of ["a=1", "b=2"]) headers.append("Set-Cookie", cookie);
  const error = roundTrip(Object.assign(new Error("429"), { status: 429, headers })) as { headers: Headers };
  expect(error).toMatchObject({ message: "429", status: 429 });
  expect(error.headers).toBeInstanceOf(Headers);
  expect([...error.headers]).toEqual([...headers]);
});

it("objects of classes that only name themselves are plain data, if they hold any", () => {
  class Named {
    readonly a = 1;
    get [Symbol.toStringTag](): string {
      return "Named";
    }
  }
  expect(roundTrip(new Named())).toEqual({ a: 1 });
  expect(roundTrip({ [Symbol.toStringTag]: "Plain" })).toEqual({});
});

describe("what cannot be stored", () => {
  it.each([
    ["a function", { a: [{ b: () => 1 }] }, "a[0].b"],
    ["a symbol", { a: Symbol("s") }, "a"],
    ["a promise", [Promise.resolve()], "[0]"],
    ["a weak map", { w: new WeakMap() }, "w"],
    ["a signal", { s: { of: AbortSignal.abort() } }, "s.of"],
    ["a response", [new Response("text")], "[0]"],
    ["an iterator", { all: [1].values() }, "all"],
    ["a formatter", { f: new Intl.NumberFormat("en") }, "f"],
    ["a stream with properties", { s: Object.assign(new ReadableStream(), { a: 1 }) }, "s"],
  ])("%s is refused with its path", (_, value, path) => {
    expect(() => defaultCodec.encode(value)).toThrow(
      expect.objectContaining({
        code: "UNSTORABLE_VALUE",
        message: expect.stringContaining(`"${path}"`) as string,
      }),
    );
  });

  it.each([
    ["a getter", { a: [withGetter()] }, "a[0].b"],
    ["a toJSON", { when: new Map([["a", { toJSON: gone }]]) }, "when.v[0][1]"],
    ["a proxy", [1, new Proxy({}, { ownKeys: gone })], "[1]"],
    ["a getter in a message", [new AIMessage({ content: "", response_metadata: withGetter() })], "[0].response_metadata.b"], // prettier-ignore
  ])("%s that throws is told with its path, and with what it threw", (_, value, path) => {
    expect(() => defaultCodec.encode(value)).toThrow(
      expect.objectContaining({
        code: "UNSTORABLE_VALUE",
        message: expect.stringContaining(
          `"${path}" holds a value that throws when it is read (gone)`,
        ) as string,
        cause: expect.objectContaining({ message: "gone" }) as Error,
      }),
    );
  });

  it("what a getter throws is never taken for an error of the codec's own", () => {
    const thrown = new GraphError("THREAD_CONFLICT", "retry", { details: { path: ["elsewhere"] } });
    const toJSON = (): never => {
      throw thrown;
    };
    expect(() => defaultCodec.encode([{ a: { toJSON } }])).toThrow(
      expect.objectContaining({ code: "UNSTORABLE_VALUE", cause: thrown, details: { path: [0, "a"] } }),
    );
  });

  it("a circle is told from depth", () => {
    const circle: Record<string, unknown> = { a: {} };
    (circle["a"] as Record<string, unknown>)["b"] = circle;
    expect(() => defaultCodec.encode(circle)).toThrow(expect.objectContaining({ code: "UNSTORABLE_VALUE" }));
    let deep: unknown = 1;
    for (let i = 0; i < 1100; i += 1) deep = { next: deep };
    expect(() => defaultCodec.encode(deep)).toThrow(
      expect.objectContaining({
        code: "VALUE_TOO_DEEP",
        message: expect.stringContaining("next.next") as string,
      }),
    );
  });

  it("the same object twice is no circle", () => {
    const shared = { a: 1 };
    expect(roundTrip([shared, shared])).toEqual([{ a: 1 }, { a: 1 }]);
  });

  it("hostile text is an error, not a crash", () => {
    const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;
    expect(() => defaultCodec.decode(deep)).toThrow(expect.objectContaining({ code: "VALUE_TOO_DEEP" }));
    for (const text of [
      "{",
      '{"$":"map","v":1}',
      '{"$":"error","v":1}',
      '{"$":"search_params","v":1}',
      '{"$":"headers","v":"a"}',
      '{"$":"headers","v":[["a"]]}',
      '{"$":[]}',
      '{"$":"item","l":0,"o":0}',
    ]) {
      expect(() => defaultCodec.decode(text)).toThrow(expect.objectContaining({ code: "STORAGE_CORRUPT" }));
    }
    expect(() => defaultCodec.decode('{"$":"constructor","v":"Function"}')).toThrow(
      expect.objectContaining({ code: "STORAGE_NEWER" }),
    );
  });

  it("a value larger than the limit is refused, one of 20 MB is stored", () => {
    expect(() => createCodec({ maxLength: 10 }).encode("x".repeat(10))).toThrow(
      expect.objectContaining({ code: "VALUE_TOO_LARGE" }),
    );
    const large = "x".repeat(20_000_000);
    expect(roundTrip(large)).toBe(large);
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
