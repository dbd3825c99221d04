import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { expect, it } from "vitest";
import { startProgram } from "../../checkpointer/test/support/program.ts";

const THREADS = 150;
const STEPS = 20;
const WORKER = fileURLToPath(new URL("crowd-worker.ts", import.meta.url));

/** Runs the worker; kills it when it has printed so many lines. Gives the last count of each thread. */
async function work(path: string, killAfter: number): Promise<Map<string, number>> {
  const child = await startProgram(WORKER, path, `${THREADS}`, `${STEPS}`);
  let text = "";
  let lines = 0;
  for await (const part of child.stdout) {
    text += String(part);
    lines += String(part).split("\n").length - 1;
    if (lines >= killAfter) child.kill("SIGKILL");
  }
  const printed = text.split("\n").slice(0, -1);
  return new Map(printed.map((line) => [line.split(" ")[0] as string, Number(line.split(" ")[1])]));
}

it(
  "of many runs at once that are stored together, none loses a step that another followed, and none does one twice (F2, F9)",
  { timeout: 300_000 },
  async () => {
    for (const killAfter of [1, 64, 200, 1_000, 2_500]) {
      const folder = mkdtempSync(join(tmpdir(), "skein-crowd-"));
      const path = join(folder, "threads.db");
      const begun = await work(path, killAfter);
      const saver = SqliteSaver.fromConnString(path);
      for (const [id, count] of begun) {
        const tuple = await saver.getTuple({ configurable: { thread_id: id } });
        // a node that has begun has seen what is stored: its step itself may be, or not
        const stored = (tuple?.checkpoint.channel_values["count"] ?? 0) as number;
        expect([count, count + 1], `${id}, killed after ${killAfter} lines`).toContain(stored);
      }
      await saver.close();
      await work(path, Number.POSITIVE_INFINITY);
      const after = SqliteSaver.fromConnString(path);
      for (let i = 0; i < THREADS; i += 1) {
        const tuple = await after.getTuple({ configurable: { thread_id: `t${i}` } });
        expect(tuple?.checkpoint.channel_values["count"]).toBe(STEPS);
      }
      await after.close();
      rmSync(folder, { recursive: true });
    }
  },
);
