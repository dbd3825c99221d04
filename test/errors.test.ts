import { ERROR_CODES } from "@skein/errors";
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const folder = resolve(import.meta.dirname, "../docs/errors");

describe("docs/errors", () => {
  it("has one page per code and none besides", () => {
    const pages = readdirSync(folder).filter((file) => file !== "README.md");
    expect(pages.toSorted()).toEqual(
      Object.keys(ERROR_CODES)
        .map((code) => `${code}.md`)
        .toSorted(),
    );
  });

  it.each(Object.entries(ERROR_CODES))(
    "%s says its category, when it happens and what to do",
    (code, category) => {
      const text = readFileSync(join(folder, `${code}.md`), "utf8");
      expect(text).toMatch(new RegExp(`^# ${code}\n`));
      expect(text).toContain(`Category: ${category}.`);
      expect(text).toContain("## What to do");
    },
  );
});
