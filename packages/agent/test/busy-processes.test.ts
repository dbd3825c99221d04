import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "@skein/checkpointer/postgres";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundlePrograms } from "../../bench/src/bundle.ts";
import { newSchema, postgresUrl } from "../../checkpointer/test/support/postgres.ts";
import { newFolder, second, seen } from "./busy-runs.ts";
import { textsOf } from "./busy-teams.ts";
import { askedOf, takeTurns, turnOf } from "./busy-turns.ts";

const { newPath, remove } = newFolder();
afterAll(remove);

/** Another process on the same database, and what it says. */
function startWorker(script: string, target: string) {
  const child = spawn(process.execPath, [script, target], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    tell: (line: string) => void child.stdin.write(`${line}\n`),
    says: async (): Promise<string> => String((await lines.next()).value),
    end: async () => {
      child.stdin.end();
      await once(child, "exit");
    },
  };
}

describe.each(["SQLite", "PostgreSQL"])("two processes on %s", (kind) => {
  const bundle = mkdtempSync(join(import.meta.dirname, "../node_modules/.bundle-"));
  let worker: ReturnType<typeof startWorker>;
  let saver: BaseCheckpointSaver & { close(): Promise<void> };
  beforeAll(async () => {
    const [script = ""] = await bundlePrograms([join(import.meta.dirname, "busy-worker.ts")], bundle);
    const schema = newSchema();
    const target = kind === "SQLite" ? newPath() : `${await postgresUrl()}#${schema}`;
    worker = startWorker(script, target);
    saver =
      kind === "SQLite"
        ? SqliteSaver.fromConnString(target)
        : PostgresSaver.fromConnString(await postgresUrl(), { schema });
  });
  afterAll(async () => {
    await worker.end();
    await saver.close();
    rmSync(bundle, { recursive: true });
  });

  it.each([
    ["queue", "done", ["ai: first is done", "human: second", "ai: second is done"]],
    ["interrupt", "THREAD_CONFLICT", ["human: first", "ai: ", "human: second", "ai: second is done"]],
    ["rollback", "THREAD_CONFLICT", ["human: second", "ai: second is done"]],
    ["cancel-and-heal", "THREAD_CONFLICT", ["tool: Cancelled", "human: second", "ai: second is done"]],
  ] as const)("%s", async (onBusy, said, end) => {
    const config = { configurable: { thread_id: onBusy } };
    worker.tell(`run ${onBusy}`);
    expect(await worker.says()).toBe(`running ${onBusy}`);
    const next = second(saver, onBusy).invoke({ messages: "second" }, config);
    // a queued run waits for the other one to end; the others take the thread while its tool runs
    if (onBusy !== "queue") await next;
    worker.tell(`go ${onBusy}`);
    expect(await worker.says()).toBe(`${said} ${onBusy}`);
    const { messages } = await next;
    expect(seen(messages).slice(-end.length)).toEqual(end);
    const { values } = await second(saver).getState(config);
    expect(seen(values.messages)).toEqual(seen(messages));
    expect(seen(values.full_messages)).toEqual(seen(messages));
  });

  it("error: the second one is refused, and the first one ends as if nothing had been", async () => {
    const config = { configurable: { thread_id: "error" } };
    worker.tell("run error");
    expect(await worker.says()).toBe("running error");
    for (const agent of [second(saver), second(saver, "error")]) {
      const next = agent.invoke({ messages: "second" }, config);
      await expect(next).rejects.toMatchObject({ code: "THREAD_CONFLICT" });
    }
    worker.tell("go error");
    expect(await worker.says()).toBe("done error");
    const { values } = await second(saver).getState(config);
    const turn = ["human: first", "ai: ", "tool: worked", "ai: first is done"];
    expect(seen(values.full_messages)).toEqual(turn);
    const { messages } = await second(saver).invoke({ messages: "second" }, config);
    expect(seen(messages)).toEqual([...turn, "human: second", "ai: second is done"]);
  });

  it("rollback by three callers and more at once leaves the turns that were answered, and only whole ones", async () => {
    const names = ["a", "b", "c", "d"].map((caller) => [1, 2, 3, 4].map((n) => `${caller}${n}`));
    for (const those of names.slice(2)) worker.tell(`turns many ${those.join()}`);
    const here = await Promise.all(names.slice(0, 2).map((those) => takeTurns(saver, "many", those)));
    const there = [await worker.says(), await worker.says()].map((said) => said.split(" ")[1] ?? "");
    const { values, next } = await second(saver).getState({ configurable: { thread_id: "many" } });
    const messages = seen(values.full_messages);
    const asked = askedOf(messages);
    expect(messages).toEqual(asked.flatMap(turnOf));
    expect(next).toEqual([]);
    const answered = [...here.flat(), ...there.join().split(",")].filter((name) => name !== "");
    expect(asked).toEqual(expect.arrayContaining(answered));
  });

  it.each([
    ["queue", "done", ["tool: first is done", "ai: done", "human: second", "ai: second is done"]],
    ["interrupt", "THREAD_CONFLICT", ["human: first", "ai: ", "human: second", "ai: second is done"]],
    ["rollback", "THREAD_CONFLICT", ["human: second", "ai: second is done"]],
    ["cancel-and-heal", "THREAD_CONFLICT", ["tool: Cancelled", "human: second", "ai: second is done"]],
  ] as const)("%s of a run that is within a subgraph", async (onBusy, said, end) => {
    const id = `ask-${onBusy}`;
    worker.tell(`ask ${id}`);
    expect(await worker.says()).toBe(`running ${id}`);
    expect(await textsOf(saver, id)).toEqual(new Set(["first", "q1"]));
    const next = second(saver, onBusy).invoke({ messages: "second" }, { configurable: { thread_id: id } });
    if (onBusy !== "queue") await next;
    worker.tell(`go ${id}`);
    expect(await worker.says()).toBe(`${said} ${id}`);
    await next;
    const { values } = await second(saver).getState({ configurable: { thread_id: id } });
    expect(seen(values.full_messages).slice(-end.length)).toEqual(end);
    const texts = await textsOf(saver, id);
    expect(texts.has("q1")).toBe(onBusy !== "rollback");
    expect(texts.has("first is done")).toBe(onBusy === "queue");
  });
});
