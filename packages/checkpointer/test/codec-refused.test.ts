import { AIMessage } from "@langchain/core/messages";
import { GraphError } from "@skein/errors";
import { describe, expect, it } from "vitest";
import { createCodec, defaultCodec } from "../src/index.ts";

const roundTrip = (value: unknown): unknown => defaultCodec.decode(defaultCodec.encode(value));

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
