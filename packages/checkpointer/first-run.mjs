// What `scripts/compile-early.mjs` runs: a thread in a SQLite file is written, and read by another saver; and a
// thread is read as a PostgreSQL server tells it. Of the files that only these savers load: the others are loaded
// by every import of the engine.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const entries = ["node/sqlite/index.js", "node/postgres/index.js"];
export const files = /^node\/(sqlite\/index|postgres\/index|connection-[\w-]+|dictionary-[\w-]+)\.js$/;

const THREAD = { configurable: { thread_id: "thread", checkpoint_ns: "" } };

const CHECKPOINTS = [
  { id: "1f0b7c5e-0000-6000-8000-000000000001", messages: ["one", "two"], version: 1 },
  { id: "1f0b7c5e-0000-6001-8000-000000000001", messages: ["one", "two", "three"], version: 2 },
];

export async function firstRun([{ SqliteSaver }, { PostgresSaver }]) {
  await onSqlite(SqliteSaver);
  await onPostgres(PostgresSaver);
}

async function onSqlite(SqliteSaver) {
  const folder = mkdtempSync(join(tmpdir(), "skein-first-run-"));
  const path = join(folder, "threads.db");
  try {
    const written = SqliteSaver.fromConnString(path);
    let config = THREAD;
    for (const [at, { id, messages, version }] of CHECKPOINTS.entries()) {
      const checkpoint = {
        v: 4,
        id,
        ts: `2026-01-01T00:00:0${version}.000Z`,
        channel_values: { messages },
        channel_versions: { messages: version },
        versions_seen: { node: { messages: version - 1 } },
      };
      const metadata = { source: at === 0 ? "input" : "loop", step: at - 1, parents: {} };
      config = await written.put(config, checkpoint, metadata, { messages: version });
      await written.putWrites(config, [["messages", ["four"]]], "1f0b7c5e-0000-5000-8000-000000000001");
    }
    await written.close();
    const read = SqliteSaver.fromConnString(path);
    await expectMessages(read, 3);
    await read.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a server answers: the format; a thread whose messages come along; items that do not. */
const ANSWERS = [
  [/meta WHERE key = 'format'/, () => [["4"]]],
  [/^\s*SELECT t.tid/, ([, threadId]) => (threadId === "" ? [] : [FOUND])],
  [/^SELECT body FROM/, () => [['"four"']]],
];

const MANIFEST = [
  [1, [1, [3, 2, [1, 0, 2]], 3, [3, 1, [2, 0, 1]]], [2, [1, 0]]],
  [2, [1, [3, 3, [1, 0, 3]]], [2, [1, 1]]],
].map((manifest) => JSON.stringify(manifest));

const HEAD = [1, 0, 4353037775052305, null, null, 1, 2, 3, "6khwMV--N-5----------F"];

const FOUND = [
  ...HEAD,
  JSON.stringify([["6khwMV--J-1----------F", 0, '[["messages",["four"]]]']]),
  JSON.stringify([
    [1, "6khwMV--N-1----------F", null, null, 1, "-Ohqqejc", "input -1", MANIFEST[0]],
    [2, "6khwMV--N-5----------F", 1, "6khwMV--N-1----------F", 1, "-OhqqezF", "loop 0", MANIFEST[1]],
  ]),
  JSON.stringify([
    [1, "messages", 2, [0, ['"one"', '"two"', '"three"']]],
    [2, "notes", 0, null],
  ]),
  false,
  JSON.stringify(["31a6812f-b456-407a-816a-be9d26e830a0", [[1, "messages"], [2, "node"], [3, "notes"]]]), // prettier-ignore
];

async function onPostgres(PostgresSaver) {
  const server = {
    query: async ({ text, values }) => ({ rows: answer(text, values), rowCount: 1 }),
    connect: async () => ({ ...server, release() {} }),
    end: async () => {},
    on() {},
    removeListener() {},
  };
  const saver = new PostgresSaver(server);
  await saver.setup();
  await expectMessages(saver, 3);
  await saver.close();
}

function answer(text, values) {
  const told = ANSWERS.find(([question]) => question.test(text));
  if (told === undefined) throw new Error(`the first run's server has no answer to ${text}`);
  return told[1](values);
}

async function expectMessages(saver, count) {
  const tuple = await saver.getTuple(THREAD);
  const found = tuple?.checkpoint.channel_values.messages?.length;
  if (found !== count) throw new Error(`the first run read ${found} messages instead of ${count}`);
}
