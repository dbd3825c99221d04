import { describe, expect, it } from "vitest";
import { makeFolder, PROJECT } from "./folder.ts";
import { skein } from "./skein.ts";

const ofType = (events: readonly Record<string, unknown>[], type: string) =>
  events.filter((event) => event["type"] === type);

describe("chat --approve (E4): a person is asked at the terminal", () => {
  it("runs what is approved, and not what is refused", { timeout: 60_000 }, async () => {
    const cwd = makeFolder(PROJECT);
    const input = ["summarise README.md", "perhaps", "y", "summarise README.md", "n not now"].join("\n");
    const { json, code } = await skein(["chat", "--new", "t", "--approve", "read_file", "--json"], {
      cwd,
      input: `${input}\n`,
    });
    expect(code).toBe(0);
    expect(ofType(json, "approval")).toMatchObject([
      { type: "approval", name: "read_file", args: { path: "README.md" }, at: 1, of: 1 },
      { type: "approval", name: "read_file", args: { path: "README.md" }, at: 1, of: 1 },
    ]);
    expect(ofType(json, "info")).toMatchObject([{ text: expect.stringContaining("no decision") }]);
    const results = ofType(json, "tool-result");
    expect(results).toMatchObject([{ failed: false }, { failed: true, text: "The user said no: not now" }]);
    expect(ofType(json, "answer")).toHaveLength(2);
  });

  it("runs a call as it is edited; what is no edit is asked about again", { timeout: 60_000 }, async () => {
    const cwd = makeFolder({ ...PROJECT, "OTHER.md": "# Other\n\nQuite another text stands here.\n" });
    const input = ["summarise README.md", "e OTHER.md", "e [1]", 'e {"path": "OTHER.md"}'].join("\n");
    const { json, code } = await skein(["chat", "--new", "t", "--approve", "read_file", "--json"], {
      cwd,
      input: `${input}\n`,
    });
    expect(code).toBe(0);
    expect(ofType(json, "info")).toHaveLength(2);
    expect(ofType(json, "tool-result")).toMatchObject([
      { failed: false, text: expect.stringContaining("Quite another text") },
    ]);
    expect(ofType(json, "answer")).toHaveLength(1);
    const shown = await skein(["show", "t", "--json"], { cwd });
    expect(JSON.stringify(shown.json)).toContain("OTHER.md");
  });

  it("a question outlives its chat, whatever the next one's options", { timeout: 60_000 }, async () => {
    const cwd = makeFolder(PROJECT);
    const asked = await skein(["chat", "--new", "t", "--approve", "all", "--json"], {
      cwd,
      input: "summarise README.md\n",
    });
    expect(asked.json.at(-1)).toMatchObject({ type: "approval", name: "read_file" });
    expect(ofType(asked.json, "tool-result")).toEqual([]);
    const later = await skein(["chat", "--thread", "t", "--json"], { cwd, input: "= It is empty.\n" });
    expect(ofType(later.json, "approval")).toHaveLength(1);
    expect(ofType(later.json, "tool-result")).toMatchObject([{ failed: false, text: "It is empty." }]);
    expect(ofType(later.json, "answer")).toHaveLength(1);
  });

  it("a tool that is not there is bad input", { timeout: 60_000 }, async () => {
    const cwd = makeFolder(PROJECT);
    const { code, stderr } = await skein(["chat", "--approve", "read_files"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('there is no tool "read_files"');
  });
});
