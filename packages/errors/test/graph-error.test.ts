import { describe, expect, it } from "vitest";
import { GraphError } from "../src/index.ts";

describe("GraphError", () => {
  it("is recognised across copies of the package, by brand and code", () => {
    const foreign = Object.assign(new Error("x"), {
      [Symbol.for("skein.GraphError")]: true,
      code: "THREAD_CONFLICT",
    });
    expect(GraphError.is(foreign)).toBe(true);
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
