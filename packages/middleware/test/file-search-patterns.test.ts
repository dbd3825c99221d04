import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createAgent } from "@skein/agent";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fileSearchMiddleware } from "../src/file-search/index.ts";
import { call, saying, says } from "./replies.ts";

const LONG = "a".repeat(200);
const FILES = [
  "a.ts",
  "b.md",
  ".env",
  "src/b.ts",
  "src/c.tsx",
  "src/deep/er/d.ts",
  "src/.hidden/e.ts",
  ".github/workflows/ci.yml",
  "app/(auth)/+page.ts",
  "app/[id]/f.ts",
  "node_modules/x/g.ts",
  `slow/${LONG}.txt`,
];

let root: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "skein-patterns-")));
  for (const file of FILES) {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), "x\n");
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function search(name: string, args: Record<string, unknown>, dot = false): Promise<string> {
  const agent = createAgent({
    model: saying([call(name, args)], "done"),
    middleware: [fileSearchMiddleware({ rootPath: root, dot })],
  });
  return (await agent.invoke(says("go"))).messages[2]?.text ?? "";
}

const found = async (pattern: string, dot = false): Promise<string[]> => {
  const text = await search("glob_search", { pattern }, dot);
  return text === "No file matches." ? [] : text.split("\n").sort();
};

describe("file search (E4): patterns", () => {
  it.each([
    ["*", ["/a.ts", "/b.md"]],
    ["**", FILES.filter((file) => !/(?:^|\/)\.|node_modules/u.test(file)).map((file) => `/${file}`)],
    ["*.ts", ["/a.ts"]],
    ["/src/*", ["/src/b.ts", "/src/c.tsx"]],
    ["./src//b.ts", ["/src/b.ts"]],
    ["src/", []],
    ["", []],
    ["src/**/*.ts", ["/src/b.ts", "/src/deep/er/d.ts"]],
    ["*/*/*/d.ts", ["/src/deep/er/d.ts"]],
    ["src/*/er/*", ["/src/deep/er/d.ts"]],
    ["{src,app}/**/[bf].ts", ["/app/[id]/f.ts", "/src/b.ts"]],
    ["src/{b,deep/er/d}.ts", ["/src/b.ts", "/src/deep/er/d.ts"]],
    ["**/*{.md,.tsx}", ["/b.md", "/src/c.tsx"]],
    ["src/?.{ts,tsx}", ["/src/b.ts", "/src/c.tsx"]],
    ["[!b].*", ["/a.ts"]],
    ["[[:alpha:]].ts", ["/a.ts"]],
    ["{a}.ts", []],
    ["[a.ts", []],
    [".*", ["/.env"]],
    ["**/.env", ["/.env"]],
    [".github/**", ["/.github/workflows/ci.yml"]],
    ["{.github,src}/*/*.yml", ["/.github/workflows/ci.yml"]],
    ["src/.hidden/*", ["/src/.hidden/e.ts"]],
    ["app/(auth)/*.ts", ["/app/(auth)/+page.ts"]],
    ["**/+page.ts", ["/app/(auth)/+page.ts"]],
    [String.raw`app/\[id\]/*.ts`, ["/app/[id]/f.ts"]],
    ["node_modules/**", []],
    ["nowhere/*", []],
  ])("%s", async (pattern, files) => {
    expect(await found(pattern)).toEqual([...files].sort());
  });

  it("dot: names that begin with one are as others", async () => {
    expect(await found("*", true)).toEqual(["/.env", "/a.ts", "/b.md"]);
    expect(await found("**/e.ts", true)).toEqual(["/src/.hidden/e.ts"]);
    expect(await found("?github/**", true)).toEqual(["/.github/workflows/ci.yml"]);
  });
});

describe("file search: no pattern can hang the process", () => {
  it.each([
    "**/(([a-z0-9-]+)+)!",
    "slow/((a+)+)b",
    "slow/+(a|a)b",
    "slow/*(a)*(a)*(a)b",
    "slow/!(a).txt",
    "!**/*.ts",
    "slow/(a|b).txt",
    "slow/[z-a].txt",
    "a".repeat(1001),
  ])("refused, with what can be written instead: %s", async (pattern) => {
    for (const text of [
      await search("glob_search", { pattern }),
      await search("grep_search", { pattern: "x", include: pattern }),
    ])
      expect(text).toMatch(/Patterns know \*, \*\*, \?, \[\.\.\.\] and \{a,b\}|at most 1000 characters/u);
  });

  it.each([
    ["stars", `slow/${"*a".repeat(90)}*b`],
    ["folders", `slow/${"**/a/".repeat(100)}b`],
    ["alternatives", `slow/${"{a,a}".repeat(150)}b`],
    ["alternatives within alternatives", `slow/${"{a,".repeat(200)}b${"}".repeat(200)}`],
    ["stars in alternatives", `slow/${"{*,*a}".repeat(120)}b`],
    ["braces without an end", "{".repeat(1000)],
    ["brackets without an end", "[".repeat(1000)],
    ["a literal that looks like an expression", "slow/([a-z0-9-]*)*!"],
  ])("tried in a moment: %s", async (_name, pattern) => {
    expect(await found(pattern)).toEqual([]);
    expect(await search("grep_search", { pattern: "x", include: pattern })).toBe("No line matches.");
  });
});
