import { describe, expect, it } from "vitest";
import { Quotes } from "../src/verbs/quotes.ts";

const secret = 'Zaphod keeps it\nwhere the "vault"\nstands:\n京都の金閣寺の\n裏にある小さな家の庭';

const ascii = (json: string): string =>
  json.replaceAll(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

function quotesOf(...texts: string[]): Quotes {
  const quotes = new Quotes();
  for (const text of texts) quotes.add(text);
  return quotes;
}

/** Checklist B9: what a message said vanishes from texts that quote it. */
describe("quotes", () => {
  it("of 32 characters are found wherever they begin in either text, shorter ones stay", () => {
    const text = Array.from({ length: 40 }, (_, i) => `word${i}`).join(" ");
    const quotes = quotesOf(text);
    for (let from = 0; from < 64; from += 1) {
      for (const before of ["", "x", "a sentence before "]) {
        const rest = `${before}\u0000${text.slice(from, from + 31)}\u0000 after`;
        expect(quotes.redact(rest)).toBe(rest);
        const quoting = `${before}\u0000${text.slice(from, from + 32)}\u0000 after`;
        expect(quotes.redact(quoting)).toBe(`${before}\u0000[erased]\u0000 after`);
      }
    }
  });

  it("are found inside JSON, as JavaScript prints it, as ASCII, and as JSON in JSON", () => {
    const quotes = quotesOf(secret);
    const once = JSON.stringify({ role: "user", content: secret });
    const erased = JSON.stringify({ role: "user", content: "[erased]" });
    expect(quotes.redact(once)).toBe(erased);
    expect(quotes.redact(ascii(once))).toBe(erased);
    expect(quotes.redact(JSON.stringify([once]))).toBe(JSON.stringify([erased]));
  });

  it("are words: lines and blanks that stand in many texts are none", () => {
    const table = `| a | b |\n${"|----".repeat(12)}|\n${" ".repeat(40)}`;
    const other = `| c | d |\n${"|----".repeat(12)}|\n${" ".repeat(40)}c`;
    expect(quotesOf(table).redact(other)).toBe(other);
  });

  it("are no backslashes, however many", () => {
    // a search that begins anew at each of them would take minutes
    const slashes = "\\".repeat(300_000);
    expect(quotesOf(slashes).redact(`before ${slashes} after`)).toBe(`before ${slashes} after`);
  });

  it("are found where each line of the message begins alike", () => {
    const lines = Array.from({ length: 100 }, (_, i) => `2026-11-22 19:23:45 kettle ${i} boils`);
    const quote = lines[70]?.slice(0, 38) as string;
    expect(quotesOf(lines.join("\n")).redact(`It said ${quote}!`)).toMatch(/^It said \[erased\]/);
  });
});
