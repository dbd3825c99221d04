import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { SqliteSaver as LangGraphSqlite } from "@langchain/langgraph-checkpoint-sqlite";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { makeFolder } from "./folder.ts";
import { inside } from "./inside.ts";

type Json = Record<string, unknown>;
type Put = (thread: string, namespace?: string) => Promise<void>;

/** Puts checkpoints into a database of LangGraph's, each newer than those before it. */
function fill(path: string): Put {
  const old = new LangGraphSqlite(new Database(path) as never);
  return async (thread, namespace = "") => {
    const checkpoint = {
      ...emptyCheckpoint(),
      id: uuid6(0),
      channel_values: { messages: [new HumanMessage({ id: "1", content: `hello ${thread}` })] },
      channel_versions: { messages: 1 },
    };
    await old.put({ configurable: { thread_id: thread, checkpoint_ns: namespace } }, checkpoint, {
      source: "update",
      step: 0,
      parents: {},
    });
  };
}

it("migrates a database of LangGraph's", { timeout: 60_000 }, async () => {
  const cwd = makeFolder();
  const put = fill(join(cwd, "old.db"));
  for (const thread of ["a", "b"]) await put(thread);
  const args = ["--db", join(cwd, "new.db")];
  const { code, json } = await inside(["migrate", join(cwd, "old.db"), ...args, "--json"]);
  expect([code, json]).toEqual([
    0,
    [
      { thread: "a", checkpoints: 1 },
      { thread: "b", checkpoints: 1 },
    ],
  ]);
  const listed = (await inside(["threads", ...args, "--json"])).json[0];
  expect(listed).toMatchObject([{ messages: 1 }, { messages: 1 }]);
  const shown = (await inside(["show", "b", ...args, "--json"])).json[0];
  expect(shown).toMatchObject({ history: [{ id: "1", content: "hello b" }] });
  const search = await inside(["search", "b", "hello", ...args]);
  expect(search.stdout).toContain("hello b");
});

it("history says which nodes a migrated checkpoint waits for, though no graph here has them", async () => {
  const cwd = makeFolder();
  const old = new LangGraphSqlite(new Database(join(cwd, "old.db")) as never);
  const steps = [
    { values: { "branch:to:plan": null, "branch:to:write": null }, versions: [2, 2], seen: {} },
    { values: { "branch:to:write": null }, versions: [3, 2], seen: { plan: { "branch:to:plan": 2 } } },
    { values: {}, versions: [3, 3], seen: { write: { "branch:to:write": 2 } } },
  ];
  for (const [
    step,
    {
      values,
      versions: [plan, write],
      seen,
    },
  ] of steps.entries()) {
    const checkpoint = {
      ...emptyCheckpoint(),
      id: uuid6(step),
      channel_values: values,
      channel_versions: { "branch:to:plan": plan as number, "branch:to:write": write as number },
      versions_seen: seen,
    };
    await old.put({ configurable: { thread_id: "t", checkpoint_ns: "" } }, checkpoint as never, {
      source: "loop",
      step,
      parents: {},
    });
  }
  const args = ["--db", join(cwd, "new.db"), "--json"];
  await inside(["migrate", join(cwd, "old.db"), ...args]);
  const { json } = await inside(["history", "t", ...args]);
  expect(json[0]).toMatchObject([{ next: [] }, { next: ["write"] }, { next: ["plan", "write"] }]);
});

it("leaves a database that it migrates from as it is, and names a checkpoint's thread that cannot be read", async () => {
  const cwd = makeFolder();
  const path = join(cwd, "old.db");
  const db = new Database(path);
  const old = new LangGraphSqlite(db as never);
  for (const thread of ["a", "b", "c"]) {
    await old.put({ configurable: { thread_id: thread, checkpoint_ns: "" } }, emptyCheckpoint(), {
      source: "update",
      step: 0,
      parents: {},
    });
  }
  db.exec("UPDATE checkpoints SET checkpoint = '{broken' WHERE thread_id = 'b'");
  // LangGraph's saver would make it WAL again
  db.prepare("PRAGMA journal_mode = DELETE").get();
  db.close();
  const before = readFileSync(path);
  const args = ["--db", join(cwd, "new.db"), "--json"];
  const { code, json, stderr } = await inside(["migrate", path, ...args]);
  // 2 would say that nothing was changed
  expect([code, json]).toEqual([1, [{ thread: "a", checkpoints: 1 }]]);
  expect(stderr).toMatch(/old\.db is damaged: .*thread "b".* copied before stay/);
  expect(readFileSync(path)).toEqual(before);
  expect((await inside(["migrate", path, "b", ...args])).code).toBe(2);
  expect((await inside(["migrate", path, "c", ...args])).code).toBe(0);
  const listed = (await inside(["threads", ...args])).json[0] as unknown as Json[];
  expect(listed.map(({ id }) => id).toSorted()).toEqual(["a", "c"]);
});

it("says that a database to migrate from is damaged, wherever it is", async () => {
  const cwd = makeFolder();
  const path = join(cwd, "old.db");
  const db = new Database(path);
  const old = new LangGraphSqlite(db as never);
  await old.put({ configurable: { thread_id: "a", checkpoint_ns: "" } }, emptyCheckpoint(), {
    source: "update",
    step: 0,
    parents: {},
  });
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  const whole = readFileSync(path);
  for (let page = 0; page < 3; page += 1) {
    const bytes = Buffer.from(whole);
    bytes.fill(0xff, page * 4096 + (page === 0 ? 100 : 0), (page + 1) * 4096);
    writeFileSync(path, bytes);
    const { code, stderr } = await inside(["migrate", path, "--db", join(cwd, "new.db")]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/old\.db is damaged\. .*backup/)]);
  }
});

async function migrated() {
  const cwd = makeFolder();
  const [from, db] = [join(cwd, "old.db"), join(cwd, "new.db")];
  const put = fill(from);
  for (const thread of ["a", "b", "c"]) await put(thread);
  const migrate = (...args: string[]) => inside(["migrate", from, ...args, "--db", db]);
  const idsOf = async () =>
    ((await inside(["threads", "--db", db, "--json"])).json[0] as unknown as Json[])
      .map(({ id }) => String(id))
      .toSorted();
  return { put, migrate, idsOf, db };
}

describe("a migration that is done again", () => {
  it("passes over what was copied, and copies the rest", async () => {
    const { migrate, idsOf } = await migrated();
    expect((await migrate("b")).code).toBe(0);
    const { code, json } = await migrate("--json");
    expect([code, json]).toEqual([
      0,
      [
        { thread: "a", checkpoints: 1 },
        { thread: "b", passedOver: true },
        { thread: "c", checkpoints: 1 },
      ],
    ]);
    expect(await idsOf()).toEqual(["a", "b", "c"]);
    const again = await migrate();
    expect([again.code, again.stdout.trimEnd().split("\n")]).toEqual([
      0,
      [
        ...["a", "b", "c"].map((thread) => `Passed over thread ${thread}, which is there already.`),
        "Copied 0 threads, passed over 3 threads.",
      ],
    ]);
    expect((await migrate("a")).stdout).toContain("Passed over thread a");
    expect((await migrate("a", "--as", "other")).stdout).toContain("Copied thread other");
    expect((await migrate("a", "--as", "other")).stdout).toContain("Passed over thread other");
  });

  it("also what went on or was pruned since", async () => {
    const { put, migrate, db } = await migrated();
    await put("a");
    await put("a", "inner");
    expect((await migrate()).code).toBe(0);
    const saver = SqliteSaver.fromConnString(db);
    await saver.prune("a", { keepLast: 1 });
    await saver.put({ configurable: { thread_id: "a", checkpoint_ns: "" } }, emptyCheckpoint(), {
      source: "update",
      step: 1,
      parents: {},
    });
    await saver.close();
    expect((await migrate("--json")).json[0]).toEqual({ thread: "a", passedOver: true });
  });

  it("names threads that are others, and copies the rest", async () => {
    const { put, migrate, idsOf, db } = await migrated();
    const saver = SqliteSaver.fromConnString(db);
    await saver.put({ configurable: { thread_id: "b", checkpoint_ns: "" } }, emptyCheckpoint(), {
      source: "update",
      step: 0,
      parents: {},
    });
    await saver.close();
    const { code, json, stderr } = await migrate("--json");
    expect([code, json]).toEqual([
      1,
      [
        { thread: "a", checkpoints: 1 },
        { thread: "c", checkpoints: 1 },
      ],
    ]);
    expect(stderr).toMatch(/^skein: There is a thread "b" already, .*--as ID/);
    expect(await idsOf()).toEqual(["a", "b", "c"]);
    // what LangGraph wrote since is not here
    await put("a");
    await put("c", "inner");
    expect((await migrate()).stderr).toMatch(/a thread "a" and a thread "b" and a thread "c" already/);
    expect((await migrate("a")).code).toBe(2);
  });
});

it("makes no database for a thread that there is not", async () => {
  const cwd = makeFolder();
  await fill(join(cwd, "old.db"))("a");
  const db = join(cwd, "below/new.db");
  const { code, stderr } = await inside(["migrate", join(cwd, "old.db"), "nope", "--db", db]);
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/no thread "nope" in .*nothing was changed.*such as a/),
  ]);
  expect(existsSync(join(cwd, "below"))).toBe(false);
});
