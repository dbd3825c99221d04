import { createAgent } from "@skein/agent";
import { describe, expect, it } from "vitest";
import { piiMiddleware, type PIIDetector } from "../src/pii/index.ts";
import { saying, says } from "./replies.ts";

const TEXT = "mail ann@example.com now";

async function failureOf(detector: unknown) {
  const model = saying("ok");
  const agent = createAgent({
    model,
    middleware: [piiMiddleware("x", { detector: detector as PIIDetector })],
  });
  const failure = await agent.invoke(says(TEXT)).then(
    () => "(none)",
    (error: unknown) => String(error),
  );
  return { failure, asked: model.prompts.length };
}

describe("PII: detectors that find nothing whatever is said", () => {
  it.each([
    ["an empty text", ""],
    ["an expression of nothing", /(?:)/],
    ["any number of digits, none too", /\d*/],
    ["the same as a text", "(ann)?"],
    ["the beginning", /^/gmu],
    ["sticky", /x*/y],
  ])("are refused: %s", (_name, detector) => {
    expect(() => piiMiddleware("x", { detector })).toThrowError(
      expect.objectContaining({
        code: "INVALID_CONFIGURATION",
        message: expect.stringContaining("must not match the empty text"),
      }),
    );
  });

  it("are refused: one that has to be waited for", () => {
    const detector = (async () => []) as unknown as PIIDetector;
    expect(() => piiMiddleware("x", { detector })).toThrow("can't be async");
  });

  it.each([
    ["undefined", () => undefined],
    ["null", () => null],
    ["an object", () => ({})],
    ["a text", (content: string) => content],
    ["a promise", () => Promise.resolve([])],
    ["a promise", () => Promise.reject(new Error("late"))],
    ["of something else", () => [null]],
    ["of something else", (content: string) => [content]],
  ])("end the run before the model is called, without what was said (E3): %s", async (returned, detector) => {
    const { failure, asked } = await failureOf(detector);
    expect(asked).toBe(0);
    expect(failure).toContain(
      `The detector of "x" must return a list of {text, start, end}, not ${returned}.`,
    );
    expect(failure).not.toContain("ann@");
  });

  it("a match of nothing is not in the text", async () => {
    const { failure, asked } = await failureOf(() => [{}]);
    expect([asked, failure]).toEqual([0, expect.stringContaining("not in the text")]);
  });
});
