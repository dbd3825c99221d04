import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BaseMessage } from "@langchain/core/messages";
import { expect } from "vitest";
import { CHANGE_SETS, type Claim } from "../src/index.ts";
import { PostgresSaver } from "../src/postgres/index.ts";
import { SqliteSaver } from "../src/sqlite/index.ts";
import type { Saver } from "./savers.ts";
import { newSchema, postgresUrl } from "./support/postgres.ts";
import { PostgresServer } from "./support/postgres-server.ts";
import { text } from "./text.ts";

/** A database that processes work on, and what is killed of it. */
export interface Crashing {
  /** As `worker.ts` takes it. */
  readonly target: string;
  open(): Saver & { close(): Promise<void> };
  /** Ends the work at once. */
  strike(child: ChildProcess): Promise<void>;
  close(): Promise<void>;
}

export function onSqlite(): Crashing {
  const folder = mkdtempSync(join(tmpdir(), "skein-crash-"));
  const target = join(folder, "threads.db");
  return {
    target,
    open: () => SqliteSaver.fromConnString(target),
    strike: killed,
    close: async () => rmSync(folder, { recursive: true }),
  };
}

/** The client is killed. */
export async function onPostgres(): Promise<Crashing> {
  const url = await postgresUrl();
  const schema = newSchema();
  return {
    target: `${url}#${schema}`,
    open: () => PostgresSaver.fromConnString(url, { schema }),
    strike: killed,
    close: async () => {},
  };
}

/** The server is killed, with everything that belongs to it, and started again. */
export async function onDyingServer(): Promise<Crashing> {
  const server = await PostgresServer.start({ durable: true });
  return {
    target: `${server.url}#skein`,
    open: () => PostgresSaver.fromConnString(server.url),
    async strike(child) {
      const exit = once(child, "exit");
      await server.kill();
      // the client says so, and ends
      expect(await exit).toEqual([1, null]);
      await server.restart();
    },
    close: () => server.stop(),
  };
}

/**
 * Strikes a process that commits turns, again and again at random moments, on one database. After
 * every strike: the database opens, the thread can be claimed at once, and everything is there that
 * the process had said was stored.
 *
 * @returns how many messages the thread has in the end
 */
export async function crashRepeatedly(
  crashing: Crashing,
  rounds: number,
  random: () => number,
): Promise<number> {
  let acknowledged = 0;
  try {
    for (let round = 0; round < rounds; round += 1) {
      acknowledged = Math.max(acknowledged, await strikeAfter(crashing, 5 + random() * 60));
      const saver = crashing.open();
      const address = { threadId: "thread", namespace: "" };
      const opened = await saver[CHANGE_SETS].open(address, { claim: "fail" });
      const messages = ((await opened.checkpoint?.channels.get("messages")?.load()) ?? []) as BaseMessage[];
      expect(messages.length).toBeGreaterThanOrEqual(acknowledged);
      // one step may be stored without having been acknowledged; it is there whole or not at all
      expect(messages.length).toBeLessThanOrEqual(acknowledged + 4);
      expect(messages.map(({ content }) => content)).toEqual(messages.map((_, i) => text(i)));
      acknowledged = messages.length;
      await saver[CHANGE_SETS].release(opened.claim as Claim);
      await saver.close();
    }
    return acknowledged;
  } finally {
    await crashing.close();
  }
}

/** Runs the worker for some milliseconds after its first commit; the messages that it said are stored. */
async function strikeAfter(crashing: Crashing, ms: number): Promise<number> {
  const worker = join(import.meta.dirname, "worker.ts");
  const args = ["--import", "tsx", "--conditions=@skein/source", worker, crashing.target, "chat", "thread"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    errors += chunk;
  });
  const exit = once(child, "exit");
  await Promise.race([once(child.stdout, "data"), exit]);
  if (child.exitCode !== null) throw new Error(`The worker ended by itself: ${errors}`);
  await new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
  await crashing.strike(child);
  if (child.signalCode === null) expect(errors).toContain("STORAGE_UNAVAILABLE");
  const lines = output.split("\n").slice(0, -1);
  return Number(lines.at(-1)?.split(" ")[1] ?? 0);
}

async function killed(child: ChildProcess): Promise<void> {
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  expect(await exit).toEqual([null, "SIGKILL"]);
}
