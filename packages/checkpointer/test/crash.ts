import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BaseMessage } from "@langchain/core/messages";
import { expect } from "vitest";
import { CHANGE_SETS, type Opened } from "../src/index.ts";
import { SqliteSaver } from "../src/sqlite/index.ts";
import { text } from "./text.ts";

/**
 * Kills a process that commits turns, again and again at random moments, on one database. After
 * every kill: the database opens, the thread can be claimed at once, and everything is there that
 * the process had said was stored.
 *
 * @returns how many messages the thread has in the end
 */
export async function crashRepeatedly(rounds: number, random: () => number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "skein-crash-"));
  const path = join(folder, "threads.db");
  let acknowledged = 0;
  try {
    for (let round = 0; round < rounds; round += 1) {
      acknowledged = Math.max(acknowledged, await killAfter(path, 5 + random() * 60));
      const saver = SqliteSaver.fromConnString(path);
      const address = { threadId: "thread", namespace: "" };
      const opened = saver[CHANGE_SETS].open(address, { claim: "fail" }) as Opened;
      const messages = (opened.checkpoint?.channels.get("messages")?.load() ?? []) as BaseMessage[];
      expect(messages.length).toBeGreaterThanOrEqual(acknowledged);
      // one step may be stored without having been acknowledged; it is there whole or not at all
      expect(messages.length).toBeLessThanOrEqual(acknowledged + 4);
      expect(messages.map(({ content }) => content)).toEqual(messages.map((_, i) => text(i)));
      acknowledged = messages.length;
      await saver.close();
    }
    return acknowledged;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs the worker for some milliseconds after its first commit; the messages that it said are stored. */
async function killAfter(path: string, ms: number): Promise<number> {
  const worker = join(import.meta.dirname, "worker.ts");
  const args = ["--import", "tsx", "--conditions=@skein/source", worker, path, "chat", "thread"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
  });
  const exit = once(child, "exit");
  await Promise.race([once(child.stdout, "data"), exit]);
  await new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
  child.kill("SIGKILL");
  const [code] = (await exit) as [number | null];
  expect(code).toBeNull();
  const lines = output.split("\n").slice(0, -1);
  return Number(lines.at(-1)?.split(" ")[1] ?? 0);
}
