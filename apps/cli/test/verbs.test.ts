import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHANGE_SETS, type Claim } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { exportTo } from "../src/commands/transfer.ts";
import { makeFolder, PROJECT } from "./folder.ts";
import { inside } from "./inside.ts";
import { skein, type Ended } from "./skein.ts";

type Json = Record<string, unknown>;
type Run = (...args: string[]) => Promise<Ended>;

/** A folder with a thread `t` of two finished turns. */
async function withThread(): Promise<{ cwd: string; run: Run }> {
  const cwd = makeFolder(PROJECT);
  const { code } = await skein(["chat", "--new", "t", "--json"], {
    cwd,
    input: "hello kettle\nwhere is Boiler defined?\n",
  });
  expect(code).toBe(0);
  const db = join(cwd, ".skein/skein.db");
  return { cwd, run: (...args) => inside([...args, "--db", db]) };
}

const historyOf = async (run: Run, thread: string) => {
  const { json } = await run("show", thread, "--json");
  return (json[0] as { history: { id: string; role: string; content: string }[] }).history;
};

describe("going back and forward (A10)", () => {
  it("undo, redo, diff, branches, fork to a copy", { timeout: 120_000 }, async () => {
    const { cwd, run } = await withThread();
    const whole = await historyOf(run, "t");
    const before = (await run("history", "t", "--json")).json[0] as unknown as { id: string }[];
    const head = before[0]?.id as string;

    const undone = await run("undo", "t", "--json");
    expect(undone.json[0]).toMatchObject({ thread: "t", messages: 2 });
    const first = (undone.json[0] as Json)["head"] as string;
    expect(await historyOf(run, "t")).toHaveLength(2);
    const lines = (await run("history", "t")).stdout.split("\n").filter((line) => line.includes("head"));
    expect(lines).toEqual([expect.stringContaining(first)]);
    expect((await run("redo", "t")).stdout).toContain(head);
    expect(await historyOf(run, "t")).toEqual(whole);

    const diff = await run("diff", "t", first, head, "--json");
    const added = whole.slice(2).map(({ id, role, content }) => ({ id, role, content }));
    expect(diff.json[0]).toMatchObject({ changed: { messages: { kind: "list", removed: [], added } } });
    expect((await run("diff", "t", first, head)).stdout).toContain("+ messages  user: where is Boiler");
    expect((await run("diff", "t", head, head)).stdout).toBe("Nothing differs.\n");
    const begun = before.at(-1)?.id as string;
    const spoken = (await run("diff", "t", begun, first)).stdout.split("\n");
    expect(spoken).toContain("+ messages  user: hello kettle");
    expect(spoken.filter((line) => line.startsWith("+ full_messages  "))).toHaveLength(2);

    await run("undo", "t");
    await skein(["chat", "--thread", "t", "--json"], { cwd, input: "what else?\n" });
    const branches = (await run("branches", "t", "--json")).json[0] as unknown as Json[];
    expect(branches).toMatchObject([
      { from: first, isCurrent: true },
      { tip: head, from: first, isCurrent: false },
    ]);
    for (const option of ["--switch", "--delete"]) {
      const { code, stderr } = await run("branches", "t", option, first);
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(`Checkpoint "${first}" of thread "t" is not the tip of a branch.* branches t`),
      ]);
    }
    for (const nothing of [
      ["branches", "t", "--switch", ""],
      ["fork", "t", head, "--to", " "],
    ]) {
      expect((await run(...nothing)).code).toBe(2);
    }
    expect((await run("branches", "t", "--switch", head)).code).toBe(0);
    expect(await historyOf(run, "t")).toEqual(whole);
    const other = String(branches[0]?.["tip"]);
    expect((await run("branches", "t", "--delete", other, "--json")).json[0]).toMatchObject({ thread: "t" });
    expect((await run("branches", "t")).stdout.trimEnd().split("\n")).toHaveLength(2);

    const copied = await run("fork", "t", first, "--to", "copy", "--json");
    expect(copied.json[0]).toMatchObject({ thread: "copy", head: first, copyOf: "t" });
    expect(await historyOf(run, "copy")).toHaveLength(2);
    expect(await historyOf(run, "t")).toEqual(whole);
  });
});

it("a busy thread is left alone, with an advice that a command's user can follow", async () => {
  const { cwd, run } = await withThread();
  const saver = SqliteSaver.fromConnString(join(cwd, ".skein/skein.db"));
  const sets = saver[CHANGE_SETS];
  const { claim } = await sets.open({ threadId: "t", namespace: "" }, { claim: "fail" });
  const { code, stderr } = await run("undo", "t");
  expect([code, stderr]).toEqual([
    2,
    'skein: Thread "t" is busy: another program works on it. Nothing was done. Try again when that has ended its turn. (THREAD_CONFLICT)\n',
  ]);
  await sets.release(claim as Claim);
  await saver.close();
});

describe("keeping and moving threads", () => {
  it("export, import, search, prune, erase", { timeout: 120_000 }, async () => {
    const { cwd, run } = await withThread();
    const whole = await historyOf(run, "t");
    const file = join(cwd, "t.jsonl");
    expect((await run("export", "t", file)).stdout).toContain(`import ${file}`);
    expect((await run("import", file, "--as", "u", "--json")).json[0]).toEqual({
      thread: "u",
      checkpoints: expect.any(Number) as number,
      items: expect.any(Number) as number,
    });
    expect(await historyOf(run, "u")).toEqual(whole);
    expect((await run("export", "t")).stdout).toBe(readFileSync(file, "utf8"));

    const found = await run("search", "u", "BOILER defined", "--json");
    expect((found.json[0] as { hits: Json[] }).hits[0]).toMatchObject({ id: whole[2]?.id });
    expect((await run("search", "u", "kettle")).stdout).toContain("hello kettle");
    expect((await run("search", "u", "nothing-of-the-kind")).stdout).toBe("Nothing was found.\n");

    const pruned = await run("prune", "u", "--keep-turns", "--json");
    expect(pruned.json[0]).toMatchObject({ checkpointsKept: 4 });
    expect((await run("prune", "u", "--keep-last", "1")).stdout).toContain("1 checkpoint stays.");
    expect(await historyOf(run, "u")).toEqual(whole);

    const db = join(cwd, ".skein/skein.db");
    const secret = "where is Boiler defined?";
    expect(readFileSync(db).includes(secret)).toBe(true);
    const erased = await run("erase", "u", String(whole[2]?.id), "--text", "kettle");
    expect(erased.stdout).toContain("Erased message");
    expect((await historyOf(run, "u"))[0]).toMatchObject({ content: "hello [erased]" });
    expect((await historyOf(run, "u"))[2]).toMatchObject({ content: "[erased]" });
    expect((await historyOf(run, "t"))[2]).toMatchObject({ content: secret });
    expect((await run("erase", "t", "--thread", "--json")).json[0]).toMatchObject({ deleted: true });
    expect(readFileSync(db).includes(secret)).toBe(false);
    expect((await run("threads", "--json")).json[0]).toMatchObject([{ id: "u" }]);
  });

  it(
    "says what is left to do when the files cannot be cleaned, and does it",
    { timeout: 60_000 },
    async () => {
      const { cwd, run } = await withThread();
      const path = join(cwd, ".skein/skein.db");
      const secret = "where is Boiler defined?";
      const holdsSecret = () =>
        [path, `${path}-wal`].some((file) => existsSync(file) && readFileSync(file).includes(secret));
      const reader = new Database(path);
      reader.exec("BEGIN");
      reader.prepare("SELECT count(*) FROM threads").get();
      const { code, stderr } = await run("erase", "t", "--thread");
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(
          /^skein: It is erased, but the files may still hold it\. .* erase --clean-up --db .*STORAGE_UNAVAILABLE/,
        ),
      ]);
      expect(holdsSecret()).toBe(true);
      reader.exec("COMMIT");
      reader.close();
      expect((await run("erase", "--clean-up")).stdout).toContain("nothing of what was erased is left");
      expect(holdsSecret()).toBe(false);
    },
  );

  it("leaves no file of an export that failed", { timeout: 60_000 }, async () => {
    const { cwd, run } = await withThread();
    const db = new Database(join(cwd, ".skein/skein.db"));
    db.exec("DELETE FROM items WHERE ord = 1");
    db.close();
    const { code, stderr } = await run("export", "t", join(cwd, "t.jsonl"));
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^skein: Thread "t" refers to .*STORAGE_CORRUPT/),
    ]);
    expect(existsSync(join(cwd, "t.jsonl"))).toBe(false);
  });

  it("keeps a file that somebody else wrote meanwhile, and says where none can be written", async () => {
    const { cwd, run } = await withThread();
    const file = join(cwd, "t.jsonl");
    const exported = exportTo("t", file, { db: join(cwd, ".skein/skein.db"), json: true });
    writeFileSync(file, "theirs");
    await expect(exported).rejects.toThrow(/^Cannot write .*EEXIST/);
    expect(readFileSync(file, "utf8")).toBe("theirs");
    const { code, stderr } = await run("export", "t", join(file, "below.jsonl"));
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^skein: Cannot write .*ENOTDIR/)]);
  });

  it("bad input is one line, exit code 2, and changes nothing", { timeout: 120_000 }, async () => {
    const { cwd, run } = await withThread();
    const wrong = join(cwd, "wrong.jsonl");
    writeFileSync(wrong, "nonsense\n");
    for (const [args, message] of [
      [["undo", "t", "5"], /cannot go back by 5 turns/],
      [["redo", "t"], /cannot go forward/],
      [["undo", "nobody"], /no thread "nobody"/],
      [["diff", "t", "x", "y"], /no checkpoint "x"/],
      [["branches", "t", "--switch", "x"], /no checkpoint "x"/],
      [["fork", "t", "x", "--to", "u"], /no checkpoint "x"/],
      [["export", "nobody"], /no thread "nobody"/],
      [["export", "t", wrong], /wrong.jsonl already/],
      [["import", wrong], /Line 1 .* is no JSON/],
      [["import", "missing.jsonl"], /no file "missing.jsonl"/],
      [["migrate", "missing.db"], /no database missing.db/],
      [["migrate", join(cwd, ".skein/skein.db")], /no database of LangGraph/],
      [["migrate", wrong], /no SQLite database/],
      [["prune", "t"], /Say what stays/],
      [["erase", "t"], /id of a message, or --thread/],
      [["erase", "t", "x"], /no message "x"/],
      [["erase"], /id of a thread/],
      [["erase", "t", "--clean-up"], /takes no thread/],
      [["erase", "--clean-up", "--thread"], /cannot be used with/],
      [["erase", "t", "x", "--text", " "], /not blank/],
      [["search", "nobody", "x"], /no thread "nobody"/],
    ] as const) {
      const { code, stderr } = await run(...args);
      expect([args, code, stderr.trimEnd().split("\n").length]).toEqual([args, 2, 1]);
      expect(stderr).toMatch(message);
    }
    expect(await historyOf(run, "t")).toHaveLength(10);
  });

  it("the help of erase says which copies it reaches", async () => {
    const { stdout } = await inside(["erase", "--help"]);
    expect(stdout.replace(/\s+/g, " ")).toContain("in its copies by fork");
    expect(stdout.replace(/\s+/g, " ")).toContain("An imported copy is a thread of its own");
  });

  it("the help of what programs read says how npm is kept out of it", async () => {
    const env = { npm_lifecycle_event: "start" };
    const { stdout } = await inside(["export", "--help"], { env });
    expect(stdout.match(/npm start\s+--silent/g)).toHaveLength(2);
    expect((await inside(["export", "--help"])).stdout).not.toContain("npm");
  });

  it("each command has help", { timeout: 60_000 }, async () => {
    for (const name of ["diff", "branches", "undo", "search", "export", "migrate", "prune", "erase"]) {
      const { code, stdout } = await inside([name, "--help"]);
      expect([name, code]).toEqual([name, 0]);
      expect(stdout).toMatch(/--db <path>[\s\S]*--json/);
    }
  });
});
