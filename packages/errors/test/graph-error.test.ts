import { assert, constantFrom, property, string } from "fast-check";
import { distance as library } from "fastest-levenshtein";
import { describe, expect, it } from "vitest";
import { distance } from "../src/distance.ts";
import { GraphError, requireKnownOptions, shown, thrownMessage, thrownText } from "../src/index.ts";
import { near } from "../src/near.ts";

describe("what was thrown", () => {
  it("has a text, whatever it is", () => {
    expect(thrownText(new TypeError("no"))).toBe("TypeError: no");
    expect(thrownText(Symbol("s"))).toBe("Symbol(s)");
    expect(thrownText(Object.create(null))).toBe("an object");
    expect(thrownText(undefined)).toBe("undefined");
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect([thrownText(proxy), thrownMessage(proxy), shown(proxy)]).toEqual(Array(3).fill("an object"));
  });

  it("says the message of an error, and of what only looks like one", () => {
    expect(thrownMessage(new TypeError("no"))).toBe("no");
    expect(thrownMessage({ message: "slow down" })).toBe("slow down");
    expect(thrownMessage({ message: 5 })).toBe("[object Object]");
    expect(thrownMessage("no")).toBe("no");
    expect(thrownMessage(null)).toBe("null");
    const hidden = {
      get message(): string {
        throw new TypeError("not for you");
      },
    };
    expect(thrownMessage(hidden)).toBe("[object Object]");
  });
});

describe("GraphError", () => {
  it("is recognised across copies of the package, by brand and code", () => {
    const foreign = Object.assign(new Error("x"), {
      [Symbol.for("skein.GraphError")]: true,
      code: "THREAD_CONFLICT",
    });
    expect(GraphError.is(foreign)).toBe(true);
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(GraphError.is(proxy)).toBe(false);
    expect(GraphError.is(foreign, "THREAD_CONFLICT")).toBe(true);
    expect(GraphError.is(foreign, "STORAGE_CORRUPT")).toBe(false);
    expect(GraphError.is(new Error("x"))).toBe(false);
    expect(GraphError.is(null)).toBe(false);
  });

  it("carries code, category, details and cause", () => {
    const cause = new Error("disk");
    const error = new GraphError("STORAGE_UNAVAILABLE", "no disk", { cause, details: { path: "/x" } });
    expect(error).toMatchObject({
      code: "STORAGE_UNAVAILABLE",
      category: "storage",
      details: { path: "/x" },
    });
    expect(error.cause).toBe(cause);
    expect(error).toBeInstanceOf(Error);
  });
});

describe("options", () => {
  const known = { maxTokens: "number", now: "function", names: "texts" } as const;
  it.each([
    [{ maxToken: 3 }, 'recall has no option "maxToken"; the nearest one that it has is "maxTokens".'],
    [{ name: 3 }, 'recall has no option "name"; the nearest one that it has is "names".'],
    [{ maxTokens: "3" }, 'maxTokens of recall must be a number, not "3".'],
    [{ now: null }, "now of recall must be a function, not null."],
    [{ names: [1] }, "names of recall must be a list of texts, not a list."],
    [[], "recall takes an object of options, not a list."],
    [undefined, "recall takes an object of options, not undefined."],
  ])("%j is refused with what there is", (options, message) => {
    const given = options as { maxTokens?: number; now?: () => number; names?: string[] };
    expect(() => requireKnownOptions("recall", given, known)).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIGURATION", message }),
    );
  });

  it("what is undefined is not given, whatever it is called", () => {
    const given = { maxTokens: 3, other: undefined } as {
      maxTokens?: number;
      now?: () => number;
      names?: string[];
    };
    expect(() => requireKnownOptions("recall", given, known)).not.toThrow();
  });
});

it("a name is near another one when hardly anything else can be meant", () => {
  const known = ["durability", "tags", "onConflict", "recursionLimit"];
  const found = ["durabilty", "tag", "on_conflict", "RecursionLimits", "user", "limit", "", "x"].map((name) =>
    near(name, known),
  );
  expect(found).toEqual(["durability", "tags", "onConflict", "recursionLimit", ...Array(4).fill(undefined)]);
  expect(near("tags", [])).toBeUndefined();
});

it("names are as far apart as a library says that is not loaded for it", () => {
  const name = string({ unit: constantFrom("a", "b", "c", "_", "\u{1f600}"), maxLength: 12 });
  assert(
    property(name, name, (left, right) => {
      expect(distance(left, right)).toBe(library(left, right));
    }),
  );
});

it("values are shown on one line, without what they hold", () => {
  const values = ["a\nb", "x".repeat(81), 5n, Symbol("s"), null, [1], { key: "secret" }, () => 1, Number.NaN];
  expect(values.map(shown)).toEqual([
    '"a\\nb"',
    `"${"x".repeat(80)}..."`,
    "5n",
    "Symbol(s)",
    "null",
    "a list",
    "an object",
    "a function",
    "NaN",
  ]);
});
