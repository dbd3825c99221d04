import { symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderTools, openFolder } from "../src/tools/index.ts";
import { commitAll, makeFolder, PROJECT } from "./folder.ts";

async function toolsOf(root: string) {
  const tools = folderTools(await openFolder(root));
  return async (name: string, args: Record<string, unknown>): Promise<string> => {
    const tool = tools.find((one) => one.name === name);
    return String(await tool?.invoke(args as never));
  };
}

describe("the tools see one folder and nothing else", () => {
  it("lists, reads and searches", async () => {
    const use = await toolsOf(makeFolder(PROJECT));
    expect(await use("list_files", { pattern: "**/*.ts" })).toMatch(
      /^2 files .*\nsrc\/boiler\.ts {2}\d+ B\nsrc\/schedule\.ts/,
    );
    expect(await use("read_file", { path: "src/boiler.ts", offset: 2, limit: 1 })).toBe(
      "src/boiler.ts lines 2-2 of 6\nexport class Boiler {\n[more: read on with offset 3]",
    );
    expect(await use("search_files", { query: "boiler", path: "src" })).toContain(
      "src/schedule.ts:1: import { Boiler }",
    );
    expect(await use("search_files", { query: "class \\w+", regex: true })).toMatch(/^1 matches in 1 files/);
  });

  it.each(["../secret.txt", "/etc/hostname", "link/secret.txt", "link.txt", "docs/../../secret.txt"])(
    "refuses %s, which leads out of it",
    async (path) => {
      const parent = makeFolder({ "secret.txt": "hidden", "home/docs/a.md": "open" });
      const root = join(parent, "home");
      symlinkSync(parent, join(root, "link"));
      symlinkSync(join(parent, "secret.txt"), join(root, "link.txt"));
      const use = await toolsOf(root);
      await expect(use("read_file", { path })).rejects.toThrow(/outside the folder/);
      await expect(use("git_log", { path })).rejects.toThrow(/outside the folder/);
      expect(await use("search_files", { query: "hidden" })).toMatch(/^0 matches/);
    },
  );

  it("refuses patterns that climb out", async () => {
    const use = await toolsOf(makeFolder({ "a.txt": "a" }));
    await expect(use("list_files", { pattern: "../**" })).rejects.toThrow(/outside/);
    await expect(use("list_files", { pattern: "{../,}*.txt" })).rejects.toThrow(/outside/);
    await expect(use("search_files", { query: "a", pattern: `${tmpdir()}/*` })).rejects.toThrow(/outside/);
  });

  it("leaves .git, node_modules and what .gitignore names alone", async () => {
    const use = await toolsOf(
      makeFolder({
        ".gitignore": "out/\n",
        "out/x.js": "needle",
        "node_modules/m/x.js": "needle",
        ".git/config": "needle",
        "x.js": "needle",
      }),
    );
    expect(await use("search_files", { query: "needle" })).toMatch(
      /^1 matches in 1 files for "needle"\nx\.js:1/,
    );
    await expect(use("read_file", { path: ".git/config" })).rejects.toThrow(/leave alone/);
  });

  it("says what a file is that it does not read", async () => {
    const use = await toolsOf(makeFolder({ "a.bin": Buffer.from([1, 0, 2]), "d/x": "1", "empty.txt": "" }));
    await expect(use("read_file", { path: "a.bin" })).rejects.toThrow(/binary file of 3 bytes/);
    await expect(use("read_file", { path: "d" })).rejects.toThrow(/is a folder/);
    await expect(use("read_file", { path: "nothing" })).rejects.toThrow(/There is no "nothing"/);
    expect(await use("read_file", { path: "empty.txt" })).toBe("empty.txt is empty");
  });

  it("cuts what is long and ends an expression that backtracks for ever", async () => {
    const use = await toolsOf(makeFolder({ "long.txt": `${"a".repeat(50_000)}\n${"b\n".repeat(3_000)}` }));
    const page = await use("read_file", { path: "long.txt", limit: 2_000 });
    expect(page.length).toBeLessThan(35_000);
    expect(page).toContain("[line cut at 2000 characters]");
    await expect(use("search_files", { query: "(a+)+$x", regex: true })).rejects.toThrow(/takes too long/);
    await expect(use("search_files", { query: "(", regex: true })).rejects.toThrow(/no regular expression/);
  });

  it("shows the log, or says why there is none", async () => {
    const root = makeFolder(PROJECT);
    const use = await toolsOf(root);
    expect(await use("git_log", {})).toMatch(/not in a git repository/);
    commitAll(root, "Boil water");
    const log = await use("git_log", { path: "src" });
    expect(log).toMatch(/^[0-9a-f]{7,} \d{4}-\d\d-\d\d Ada: Boil water\n {2}A src\/boiler\.ts/);
  });
});
