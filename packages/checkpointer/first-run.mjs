// What `scripts/compile-early.mjs` runs: a thread in a SQLite file is written, and read by another saver. Of the
// files that only the SQLite saver loads: the others are loaded by every import of the engine.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const entry = "node/sqlite/index.js";
export const files = /^node\/(sqlite\/index|connection-[\w-]+|dictionary-[\w-]+)\.js$/;

const CHECKPOINTS = [
  { id: "1f0b7c5e-0000-6000-8000-000000000001", messages: ["one", "two"], version: 1 },
  { id: "1f0b7c5e-0000-6001-8000-000000000001", messages: ["one", "two", "three"], version: 2 },
];

export async function firstRun({ SqliteSaver }) {
  const folder = mkdtempSync(join(tmpdir(), "skein-first-run-"));
  const path = join(folder, "threads.db");
  const thread = { configurable: { thread_id: "thread", checkpoint_ns: "" } };
  try {
    const written = SqliteSaver.fromConnString(path);
    let config = thread;
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
    const tuple = await read.getTuple(thread);
    await read.close();
    const count = tuple?.checkpoint.channel_values.messages.length;
    if (count !== 3) throw new Error(`the first run read ${count} messages instead of 3`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
