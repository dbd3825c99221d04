import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { SqliteSaver as LangGraphSqlite } from "@langchain/langgraph-checkpoint-sqlite";
import { MemorySaver } from "@skein/checkpointer";
import Database from "libsql";
import { afterEach, describe, expect, it, vi } from "vitest";
import { whatStays } from "../src/commands/tour.ts";
import { chatCommand } from "../src/ui/invocation.ts";
import { makeFolder, PROJECT } from "./folder.ts";
import { inside } from "./inside.ts";

/** What is typed into the chat that begins next. */
const typed = vi.hoisted((): string[] => []);
vi.mock("../src/chat/lines.ts", () => ({
  openLines: () => ({ next: async () => typed.shift(), onInterrupt() {}, close() {} }),
}));

const { isTTY } = process.stdin;
const terminal = (value: boolean): void => {
  for (const stream of [process.stdin, process.stdout])
    Object.defineProperty(stream, "isTTY", { configurable: true, value });
};
afterEach(() => terminal(isTTY));

const HOSTILE = "e\u001b[31mred\u0007\nnext";
/** What a line may hold for people, beside its end. */
const CONTROL = /[^\P{Cc}\n]/u;

async function hostileExport(): Promise<string> {
  const saver = new MemorySaver();
  const configurable = { thread_id: HOSTILE, checkpoint_ns: "" };
  await saver.put({ configurable }, emptyCheckpoint(), { source: "update", step: 0, parents: {} });
  let lines = "";
  for await (const line of saver.exportThread(HOSTILE)) lines += line;
  return lines;
}

describe("the command that goes on with a chat", () => {
  const given = ["--model", "offline", "--preset", "minimal", "--approve", "read_file, list_files"];
  const quoted = "--model offline --preset minimal --approve 'read_file, list_files'";

  it("has all that decides what the agent may do, and nothing that was not given", async () => {
    const cwd = makeFolder(PROJECT);
    terminal(true);
    typed.push("hello kettle");
    const first = await inside(["chat", "--new", "it's", ...given, "--offload", "off"], { cwd });
    expect(first.stdout).toContain(` chat --thread 'it'\\''s' ${quoted} --offload off\n`);
    typed.push("hello again");
    const second = await inside(["chat", "--thread", "it's"], { cwd });
    expect(second.stdout).toMatch(/ chat --thread 'it'\\''s'\n$/);
  });

  it("also where a thread or a database is missing, or there is one already", async () => {
    const cwd = makeFolder(PROJECT);
    terminal(true);
    const missing = await inside(["chat", "--thread", "t", ...given], { cwd });
    expect(missing.stderr).toContain(` chat --new t ${quoted}`);
    typed.push("hello kettle");
    await inside(["chat", "--new", "t"], { cwd });
    const there = await inside(["chat", "--new", "t", ...given], { cwd });
    expect([there.code, there.stderr]).toEqual([2, expect.stringContaining(` --thread t ${quoted}`)]);
  });

  it("also after a tour that was stopped", () => {
    const journal = join(makeFolder({ "journal.jsonl": '{"type":"message"}\n' }), "journal.jsonl");
    const options = { db: "x.db", dir: ".", preset: "minimal" } as const;
    expect(whatStays("t", journal, options)).toMatch(/ chat --thread t --preset minimal --db x\.db$/);
  });

  it("gives the shell the very id, and the terminal no control character", () => {
    expect(chatCommand("a\\'\u001b\n\u009b", { db: ".skein/skein.db" })).toMatch(
      / chat --thread \$'a\\\\\\'\\x1b\\x0a\\xc2\\x9b'$/,
    );
  });
});

describe("a thread's id has no power over the terminal", () => {
  it("that an exported thread has", async () => {
    const cwd = makeFolder({ "e.jsonl": await hostileExport() });
    const { code, stdout } = await inside(["import", "e.jsonl"], { cwd });
    expect([code, stdout.split("\n")[0]]).toEqual([
      0,
      expect.stringMatching(/^Stored thread e\[31mred next:/),
    ]);
    expect(stdout).not.toMatch(CONTROL);
    const { stdout: branches } = await inside(["branches", HOSTILE], { cwd });
    expect(branches).toContain("current");
  });

  it("that a conversation has", async () => {
    const messages = [{ role: "user", content: "hello" }];
    const cwd = makeFolder({ "c.jsonl": JSON.stringify({ id: HOSTILE, messages }) });
    const { code, stdout } = await inside(["import", "c.jsonl"], { cwd });
    expect([code, stdout.split("\n")[0]]).toEqual([
      0,
      expect.stringMatching(/^Stored thread e\[31mred next:/),
    ]);
    expect(stdout).not.toMatch(CONTROL);
  });

  it("that a thread of LangGraph's has, copied or passed over", async () => {
    const cwd = makeFolder();
    const old = new LangGraphSqlite(new Database(join(cwd, "old.db")) as never);
    const configurable = { thread_id: HOSTILE, checkpoint_ns: "" };
    await old.put({ configurable }, emptyCheckpoint(), { source: "update", step: 0, parents: {} });
    const copied = await inside(["migrate", "old.db"], { cwd });
    expect(copied.stdout).toBe("Copied thread e[31mred next: 1 checkpoint.\n");
    const again = await inside(["migrate", "old.db"], { cwd });
    expect(again.stdout).toContain("Passed over thread e[31mred next, which");
    expect(again.stdout).not.toMatch(CONTROL);
  });
});

it("the command that imports an export works, whatever the file is called", async () => {
  const cwd = makeFolder({ "t.jsonl": await hostileExport() });
  await inside(["import", "t.jsonl", "--as", "t"], { cwd });
  const { stdout } = await inside(["export", "--", "t", "-o.jsonl"], { cwd });
  expect(stdout).toMatch(/ import \.\/-o\.jsonl\n$/);
  expect((await inside(["import", "./-o.jsonl", "--as", "u"], { cwd })).code).toBe(0);
});

it("a database of another program: the advice is one that a command can follow", async () => {
  const cwd = makeFolder();
  const db = new Database(join(cwd, "theirs.db"));
  db.exec("CREATE TABLE invoices (id)");
  db.close();
  writeFileSync(join(cwd, "t.jsonl"), await hostileExport());
  for (const args of [["threads"], ["import", "t.jsonl"]]) {
    const { code, stderr } = await inside([...args, "--db", "theirs.db"], { cwd });
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/another program.*Give another path with --db\. \(STORAGE_UNAVAILABLE\)\n$/),
    ]);
  }
});
