import { expect, it } from "vitest";
import { Quotes } from "../src/verbs/quotes.ts";

/** Checklist B9. */
it("quotes are found of a message of 17 MB, which no Map has an entry for each character of", () => {
  let seed = 1;
  const part = () => (seed = (seed * 48_271) % 2_147_483_647).toString(36).padStart(6, "0");
  const text = Array.from({ length: 2_850_000 }, part).join("");
  const quotes = new Quotes();
  quotes.add(text);
  expect(quotes.redact(`begin ${text.slice(9_000_001, 9_000_040)} end`)).toBe("begin [erased] end");
});
