import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { BaseMessage } from "@langchain/core/messages";
import { PostgresSaver } from "@skein/checkpointer/postgres";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundlePrograms } from "../../bench/src/bundle.ts";
import { newSchema, postgresUrl } from "../../checkpointer/test/support/postgres.ts";

const PROCESSES = 8;
const TURNS = 15;

let folder: string;
let script: string;
beforeAll(async () => {
  folder = mkdtempSync(join(import.meta.dirname, "../node_modules/.bundle-"));
  [script = ""] = await bundlePrograms([join(import.meta.dirname, "counting-worker.ts")], folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts all, lets them go at once, and gives what each said at its end. */
async function race(target: string, policy: "fail" | "wait"): Promise<{ ran: number; refused: number }[]> {
  const workers = Array.from({ length: PROCESSES }, (_, i) => {
    const args = [script, target, `p${i}`, String(TURNS), policy];
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (said += chunk));
    return { child, ready: once(child.stdout, "data"), end: once(child, "close"), said: () => said };
  });
  await Promise.all(workers.map(({ ready }) => ready));
  for (const { child } of workers) child.stdin.end("go\n");
  const ends = await Promise.all(workers.map(({ end }) => end));
  expect(ends.map(([code]) => code as unknown)).toEqual(workers.map(() => 0));
  return workers.map(
    ({ said }) => JSON.parse(said().split("\n")[1] ?? "") as { ran: number; refused: number },
  );
}

describe.each(["SQLite", "PostgreSQL"])(
  "eight processes on one thread of a database without tables: %s",
  (kind) => {
    it.each(["fail", "wait"] as const)(
      "lose no update, and who is refused has run no node (onConflict: %s) (A9, F6)",
      async (policy) => {
        const schema = newSchema();
        const url = await postgresUrl();
        const path = join(folder, `${policy}.db`);
        const said = await race(kind === "SQLite" ? path : `${url}#${schema}`, policy);
        const saver =
          kind === "SQLite"
            ? SqliteSaver.fromConnString(path)
            : PostgresSaver.fromConnString(url, { schema });
        const tuple = await saver.getTuple({ configurable: { thread_id: "t" } });
        const values = tuple?.checkpoint.channel_values ?? {};
        const messages = values["messages"] as BaseMessage[];
        expect(values["count"]).toBe(PROCESSES * TURNS);
        expect(new Set(messages.map(({ id }) => id)).size).toBe(2 * PROCESSES * TURNS);
        expect(messages.filter(({ id }) => id?.startsWith("p"))).toHaveLength(PROCESSES * TURNS);
        expect(said.map(({ ran }) => ran)).toEqual(said.map(() => TURNS));
        const refused = said.reduce((sum, one) => sum + one.refused, 0);
        expect(refused > 0).toBe(policy === "fail");
        await saver.close();
      },
    );
  },
);
