import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { terminalView } from "../src/chat/terminal.ts";
import { makeFolder } from "./folder.ts";
import { NODE_ARGS, skein } from "./skein.ts";

function shown(events: Parameters<ReturnType<typeof terminalView>>[0][]): string {
  let text = "";
  const show = terminalView((part) => (text += part));
  for (const event of events) show(event);
  return text;
}

describe("what a chat prints", () => {
  it("gives no file and no model power over the terminal", () => {
    const hostile = "\u001b]0;owned\u0007\u001b[2Jtext";
    const text = shown([
      { type: "token", text: hostile },
      { type: "answer", text: hostile },
      { type: "tool-call", id: "c", name: "read_file", args: { path: hostile } },
      { type: "tool-result", id: "c", name: "read_file", failed: false, text: hostile },
      { type: "history", messages: [{ speaker: "user", text: hostile }], total: 1 },
    ]);
    expect(text.match(/text/g)).toHaveLength(4);
    for (const order of ["\u001b]0;", "\u001b[2J", "\u0007"]) expect(text).not.toContain(order);
  });

  it("counts in words that fit", () => {
    const thread = { thread: "t", started: "continued", model: "offline", dir: "/f", messages: 1 } as const;
    expect(shown([{ type: "thread", ...thread }])).toContain("(1 message)");
    const text = shown([{ type: "unfinished", next: ["__start__"] }]);
    expect(text).toContain("next: its beginning");
  });
});

describe("npm start", () => {
  it("takes paths from where it was typed, and prints commands that it understands", async () => {
    const cwd = makeFolder({ "README.md": "root" });
    const typed = makeFolder({ "inner/README.md": "inner" });
    const env = { npm_lifecycle_event: "start", INIT_CWD: typed };
    const { json } = await skein(["chat", "--dir", "inner", "--db", "x.db", "--json"], { cwd, env });
    expect(json[0]).toMatchObject({ dir: `${typed}/inner` });
    const { stderr } = await skein(["show", "nobody", "--db", "x.db"], { cwd, env });
    expect(stderr).toContain(`no thread "nobody" in this database. It has no threads yet.`);
    const none = await skein(["threads"], { cwd, env });
    expect(none.stderr).toContain("make one with: npm start -- chat");
  });
});

describe("a chat on a thread that another program runs", () => {
  it("says that nothing was sent", { timeout: 60_000 }, async () => {
    const cwd = makeFolder({
      "README.md": "# Kettle\n\nKettle boils water for the whole office, every day.\n",
    });
    const slow = spawn(
      process.execPath,
      [...NODE_ARGS, "chat", "--new", "t", "--model", "offline", "--json"],
      {
        cwd,
        env: { ...process.env, SKEIN_TOKEN_MS: "600000" },
        stdio: ["pipe", "pipe", "inherit"],
      },
    );
    slow.stdin.write("summarise README.md\n");
    for await (const chunk of slow.stdout) if (String(chunk).includes('"token"')) break;
    const { code, json } = await skein(["chat", "--thread", "t", "--json"], { cwd, input: "hello\n" });
    const ended = once(slow, "exit");
    slow.kill("SIGKILL");
    await ended;
    expect(json.find(({ type }) => type === "error")).toMatchObject({
      message: expect.stringMatching(/"t"\. Nothing was sent/),
    });
    expect(code).toBe(1);
    const { json: kept } = await skein(["show", "t", "--json"], { cwd });
    expect(JSON.stringify(kept[0])).not.toContain("hello");
  });
});
