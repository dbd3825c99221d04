import { spawn } from "node:child_process";
import { openSync, readFileSync, truncateSync, closeSync, writeSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { makeFolder, PROJECT } from "./folder.ts";
import { inside } from "./inside.ts";
import { NODE_ARGS, skein } from "./skein.ts";

/** A folder with a thread `t` of two finished turns. */
async function withThread(): Promise<string> {
  const cwd = makeFolder(PROJECT);
  const { code } = await skein(["chat", "--new", "t", "--json"], {
    cwd,
    input: "hello\nwhere is Boiler defined?\n",
  });
  expect(code).toBe(0);
  return cwd;
}

const ofType = (events: readonly Record<string, unknown>[], type: string) =>
  events.filter((event) => event["type"] === type);

describe("a thread from the first question to a branch", () => {
  it("is chatted on, listed, shown, forked and gone on with", { timeout: 60_000 }, async () => {
    const cwd = await withThread();
    const threads = await inside(["threads", "--json"], { cwd });
    expect(threads.json[0]).toMatchObject([{ id: "t", messages: 10 }]);

    const before = await inside(["history", "t", "--json"], { cwd });
    const checkpoints = before.json[0] as unknown as { id: string; next: string[]; messages: number }[];
    const afterFirst = checkpoints.filter(({ next }) => next.length === 0)[1];
    expect(afterFirst).toMatchObject({ messages: 2 });

    const forked = await inside(["fork", "t", afterFirst?.id ?? "", "--json"], { cwd });
    expect(forked.json[0]).toMatchObject({ forkedFrom: afterFirst?.id, before: checkpoints[0]?.id });

    const chat = await skein(["chat", "--json"], {
      cwd,
      input: "summarise README.md\n/context\n/history 1\n",
    });
    expect(chat.json[0]).toMatchObject({ type: "thread", thread: "t", started: "continued", messages: 2 });
    expect(ofType(chat.json, "tool-call")).toMatchObject([
      { name: "read_file", args: { path: "README.md" } },
    ]);
    expect(ofType(chat.json, "tool-result")).toMatchObject([{ failed: false }]);
    const streamed = ofType(chat.json, "token")
      .map((event) => event["text"])
      .join("");
    expect(ofType(chat.json, "answer")).toMatchObject([{ text: streamed }]);
    expect(ofType(chat.json, "context")).toMatchObject([{ total: 6 }]);

    const show = await inside(["show", "t", "--json"], { cwd });
    const { history, context } = show.json[0] as { history: { content: string }[]; context: unknown[] };
    expect([history.length, context.length]).toEqual([6, 6]);
    const after = await inside(["history", "t", "--json"], { cwd });
    expect(after.json[0]).toHaveLength(checkpoints.length + 11);
    expect((await inside(["show", "t"], { cwd })).stdout).toContain("complete history: 6 messages");
  });

  it("keeps the context small and the history whole", { timeout: 60_000 }, async () => {
    const cwd = makeFolder(PROJECT);
    const input = Array.from({ length: 8 }, (_, turn) =>
      turn % 2 ? "where is plan?\n" : "summarise README.md\n",
    ).join("");
    const chat = await skein(["chat", "--new", "long", "--preset", "minimal", "--json"], {
      cwd,
      input: `${input}/reset\n/quit\n`,
    });
    expect(ofType(chat.json, "compaction").length).toBeGreaterThan(2);
    expect(ofType(chat.json, "thread").map((event) => event["started"])).toEqual(["new", "new"]);
    const show = await inside(["show", "long", "--json"], { cwd });
    const { history, context, summary } = show.json[0] as {
      history: { place: string }[];
      context: unknown[];
      summary: { covers: number };
    };
    expect(history.length).toBe(44);
    expect(context.length).toBeLessThan(15);
    expect(summary.covers).toBe(history.filter(({ place }) => place === "summary").length);
    expect(summary.covers + context.length - 1).toBe(44);
  });
});

/** Starts a chat whose model is slow, and does something to it when the answer has begun. */
function disturb(cwd: string, disturbance: (kill: (signal: NodeJS.Signals) => void) => void) {
  const child = spawn(process.execPath, [...NODE_ARGS, "chat", "--new", "t", "--json"], {
    cwd,
    env: { ...process.env, SKEIN_TOKEN_MS: "30", OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let text = "";
  child.stdin.write("summarise README.md\n");
  return new Promise<{ code: number | null; text: string }>((resolve) => {
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      const begun = text.includes('"token"');
      text += chunk;
      if (!begun && text.includes('"token"')) disturbance((signal) => child.kill(signal));
      if (text.includes('"stopped"')) child.stdin.end();
    });
    child.once("close", (code) => resolve({ code, text }));
  });
}

describe("a run that is broken off", () => {
  it.each(["SIGINT", "SIGKILL"] as const)(
    "by %s leaves a thread that resumes",
    { timeout: 60_000 },
    async (signal) => {
      const cwd = makeFolder(PROJECT);
      const broken = await disturb(cwd, (kill) => kill(signal));
      expect(broken.code).toBe(signal === "SIGINT" ? 0 : null);
      expect(broken.text).not.toContain('"answer"');
      const resumed = await skein(["chat", "--thread", "t", "--json"], { cwd, input: "\n/history\n" });
      expect(ofType(resumed.json, "unfinished")).toMatchObject([{ next: ["model_request"] }]);
      expect(ofType(resumed.json, "tool-call")).toEqual([]);
      expect(ofType(resumed.json, "answer")).toMatchObject([
        { text: expect.stringMatching(/schedule of who wants tea/) },
      ]);
      expect(ofType(resumed.json, "history")).toMatchObject([{ total: 4 }]);
    },
  );
});

describe("what is wrong with an existing database or its threads", () => {
  it("is one line, exit code 2, and changes nothing", { timeout: 60_000 }, async () => {
    const cwd = await withThread();
    const file = join(cwd, ".skein/skein.db");
    const stored = readFileSync(file);
    for (const [args, message] of [
      [["show", "nobody"], /no thread "nobody".*latest are t/],
      [["history", "nobody"], /no thread "nobody"/],
      [["chat", "--thread", "nobody"], /no thread "nobody"/],
      [["chat", "--new", "t"], /a thread "t" already/],
      [["fork", "t", "nothing"], /no checkpoint "nothing"/],
    ] as const) {
      const { code, stderr } = await inside(args, { cwd });
      expect([code, stderr.trimEnd().split("\n").length]).toEqual([2, 1]);
      expect(stderr).toMatch(message);
    }
    expect(readFileSync(file).equals(stored)).toBe(true);
  });

  it("is said of a database of a newer format and of a damaged one", { timeout: 60_000 }, async () => {
    const cwd = await withThread();
    const file = join(cwd, ".skein/skein.db");
    const db = new Database(file);
    db.exec("UPDATE meta SET value = '99' WHERE key = 'format'");
    db.close();
    const newer = readFileSync(file);
    for (const args of [["threads"], ["chat"]]) {
      const { code, stderr } = await inside(args, { cwd });
      expect([code, stderr.trimEnd().split("\n").length]).toEqual([2, 1]);
      expect(stderr).toMatch(/format 99.*Nothing was changed/);
    }
    expect(readFileSync(file).equals(newer)).toBe(true);
    truncateSync(file, 8_192);
    const handle = openSync(file, "r+");
    writeSync(handle, Buffer.alloc(3_000, 7), 0, 3_000, 1_000);
    closeSync(handle);
    const { code, stderr } = await inside(["show", "t"], { cwd });
    expect([code, stderr.trimEnd().split("\n").length]).toEqual([2, 1]);
  });
});

describe("the tour", () => {
  it("kills its worker in a superstep and proves that nothing was lost", { timeout: 120_000 }, async () => {
    const cwd = makeFolder(PROJECT);
    const { code, json } = await skein(["--messages", "60", "--preset", "minimal", "--json"], { cwd });
    expect(json[0]).toMatchObject({
      ok: true,
      lost: 0,
      appliedTwice: 0,
      unanswered: 0,
      changed: 0,
      runAgain: 1,
    });
    const report = json[0] as {
      history: { messages: number };
      context: { messages: number };
      compactions: number;
      kill: unknown;
      next: string;
      thread: string;
    };
    expect(report.history.messages).toBeGreaterThanOrEqual(60);
    expect(report.context.messages).toBeLessThan(15);
    expect(report.compactions).toBeGreaterThan(5);
    expect(report.kill).toMatchObject({ signal: "SIGKILL", finishedSiblings: 1 });
    expect(report.next).toContain(`chat --thread ${report.thread}`);
    expect(code).toBe(0);
    const chat = await skein(["chat", "--thread", report.thread, "--json"], {
      cwd,
      input: "what did I ask so far?\n",
    });
    expect(chat.json[0]).toMatchObject({ started: "continued", messages: report.history.messages });
    expect(ofType(chat.json, "unfinished")).toEqual([]);
    expect(ofType(chat.json, "answer")).toHaveLength(1);
  });
});
