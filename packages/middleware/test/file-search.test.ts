import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createAgent } from "@skein/agent";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileSearchMiddleware, type FileSearchOptions } from "../src/file-search/index.ts";
import { call, saying, says } from "./replies.ts";

let home: string;
let root: string;

function write(path: string, content: string, age = 0): void {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  const time = new Date(1_700_000_000_000 - age * 1000);
  utimesSync(file, time, time);
}

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "skein-files-")));
  root = join(home, "root");
  write("root/a.ts", "export const a = 1;\nconst secret = 2;\n", 2);
  write("root/src/b.ts", "// nothing\nexport const b = 2;\n", 1);
  write("root/src/c.md", "# Export\n", 3);
  write("root/.hidden/d.ts", "export const d = 4;\n");
  write("root/node_modules/x/e.ts", "export const e = 5;\n");
  write("outside.ts", "export const outside = 6;\n");
  symlinkSync(home, join(root, "up"));
  symlinkSync(join(home, "outside.ts"), join(root, "out.ts"));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

async function search(name: string, args: Record<string, unknown>, options: Partial<FileSearchOptions> = {}) {
  const agent = createAgent({
    model: saying([call(name, args)], "done"),
    middleware: [fileSearchMiddleware({ rootPath: root, ...options })],
  });
  return (await agent.invoke(says("go"))).messages[2]?.text;
}

describe("file search (E4): glob", () => {
  it("finds files, the newest first", async () => {
    expect(await search("glob_search", { pattern: "**/*.ts" })).toBe("/src/b.ts\n/a.ts");
    expect(await search("glob_search", { pattern: "/**/*", path: "src" })).toBe("/src/b.ts\n/src/c.md");
    expect(await search("glob_search", { pattern: "*.py" })).toBe("No file matches.");
    expect(await search("glob_search", { pattern: "**/*.ts" }, { dot: true })).toContain("/.hidden/d.ts");
    expect(await search("glob_search", { pattern: "**/*.ts" }, { maxResults: 1 })).toBe(
      "/src/b.ts\n1 more files. Narrow the search.",
    );
  });
});

/** A text of so many letters, with the word that is looked for. */
const filled = (size: number): string => `needle\n${"x".repeat(size - 7)}`;

describe("file search (E4): by default", () => {
  it("200 results are shown", async () => {
    for (let at = 0; at < 250; at += 1) write(`root/many/${at}.txt`, "needle\n");
    const found = await search("glob_search", { pattern: "many/*.txt" });
    expect(found?.split("\n").slice(200)).toEqual(["50 more files. Narrow the search."]);
  });
  it("files of more than 10 MB are not searched", async () => {
    write("root/just.txt", filled(10 * 1024 * 1024));
    write("root/large.txt", filled(10 * 1024 * 1024 + 1));
    expect(await search("grep_search", { pattern: "needle" })).toBe("/just.txt");
  });
});

describe("file search (E4): grep", () => {
  it("finds lines, in three forms", async () => {
    const args = { pattern: "export const \\w = \\d" };
    expect(await search("grep_search", args)).toBe("/src/b.ts\n/a.ts");
    expect(await search("grep_search", { ...args, output_mode: "content" })).toBe(
      "/src/b.ts:2:export const b = 2;\n/a.ts:1:export const a = 1;",
    );
    expect(await search("grep_search", { ...args, output_mode: "count" })).toBe("/src/b.ts:1\n/a.ts:1");
    expect(await search("grep_search", { pattern: "(?i)EXPORT", include: "**/*.md" })).toBe("/src/c.md");
    expect(await search("grep_search", { pattern: "(?i)EXPORT", include: "*.md" })).toBe("/src/c.md");
    expect(await search("grep_search", { pattern: "(?i)EXPORT", include: "/*.md" })).toBe("No line matches.");
    expect(await search("grep_search", { pattern: "const", include: "b.{ts,js}" })).toBe("/src/b.ts");
    expect(await search("grep_search", { pattern: "const b" })).toBe("/src/b.ts");
    expect(await search("grep_search", { pattern: "nowhere" })).toBe("No line matches.");
  });

  it("no expression can hang the process", async () => {
    write("root/slow.txt", "a".repeat(5000));
    expect(await search("grep_search", { pattern: "(a+)+$b", include: "slow.txt" })).toBe("No line matches.");
    expect(await search("grep_search", { pattern: "(?=a)" })).toContain("no look-around");
  });

  it("leaves out what is large or no text, and stops when there is enough or time is up", async () => {
    write("root/binary.bin", "export\0export");
    write("root/large.txt", `export${" ".repeat(3000)}`);
    const files = await search("grep_search", { pattern: "export" }, { maxFileSizeMb: 0.002 });
    expect(files).toBe("/src/b.ts\n/a.ts");
    expect(await search("grep_search", { pattern: "export" }, { maxResults: 1 })).toBe(
      "/large.txt\nThere is more: 2 files were not searched. Narrow the search.",
    );
    expect(await search("grep_search", { pattern: "export" }, { timeout: 0 })).toContain("The time is up");
  });

  it.each(["glob_search", "grep_search"])(
    "looks for files no longer than it may either (%s)",
    async (name) => {
      for (let at = 0; at < 2_000; at += 1) {
        const folder = join(root, "many", `${at % 50}`);
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, `${at}.txt`), "");
      }
      const found = await search(
        name,
        { pattern: name === "glob_search" ? "**/*" : "export" },
        { timeout: 0 },
      );
      expect(found).toBe(
        "The time is up: there are more files than could be looked at. Search in a smaller folder.",
      );
    },
  );
});

describe("file search stays inside of its root", () => {
  it.each([
    ["a path above", "glob_search", { pattern: "*", path: ".." }],
    ["a path through a link", "glob_search", { pattern: "*", path: "/up" }],
    ["a pattern above", "glob_search", { pattern: "../*.ts" }],
    ["a pattern above in braces", "glob_search", { pattern: "{..,src}/*.ts" }],
    ["an absolute path", "grep_search", { pattern: "outside", path: "/etc" }],
    ["included files above", "grep_search", { pattern: "outside", include: "../*" }],
  ])("refuses %s", async (_name, tool, args) => {
    expect(await search(tool, args)).toMatch(/outside of the folder|must not hold|There is no/u);
  });

  it("follows no link to the outside", async () => {
    expect(await search("glob_search", { pattern: "**/out*.ts" })).toBe("No file matches.");
    expect(await search("glob_search", { pattern: "up/*.ts" })).toBe("No file matches.");
    expect(await search("grep_search", { pattern: "outside" })).toBe("No line matches.");
  });

  it("options that can't be are refused", () => {
    expect(() => fileSearchMiddleware({ rootPath: "" })).toThrow("needs a rootPath");
    expect(() => fileSearchMiddleware({ rootPath: root, maxResults: 0 })).toThrow("maxResults");
  });
});
