import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { END, interrupt, MessagesAnnotation, START, StateGraph, Command } from "@langchain/langgraph";
import {
  emptyCheckpoint,
  MemorySaver as LangGraphMemory,
  type BaseCheckpointSaver,
} from "@langchain/langgraph-checkpoint";
import { SqliteSaver as LangGraphSqlite } from "@langchain/langgraph-checkpoint-sqlite";
import { PostgresSaver as LangGraphPostgres } from "@langchain/langgraph-checkpoint-postgres";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { MemorySaver, migrateThread, type MigrateProgress } from "../src/index.ts";
import { SqliteSaver } from "../src/sqlite/index.ts";
import { newSchema, postgresUrl } from "./support/postgres.ts";
import { startProgram } from "./support/program.ts";

/** Asks before it answers, inside a subgraph. */
function chat(checkpointer: BaseCheckpointSaver) {
  const inner = new StateGraph(MessagesAnnotation)
    .addNode("answer", ({ messages }) => {
      const approved = interrupt("may I?") as string;
      return { messages: [new AIMessage(`${approved}: ${messages.length}`)] };
    })
    .addEdge(START, "answer")
    .addEdge("answer", END)
    .compile();
  return new StateGraph(MessagesAnnotation)
    .addNode("inner", inner)
    .addEdge(START, "inner")
    .addEdge("inner", END)
    .compile({ checkpointer });
}

const config = { configurable: { thread_id: "t" } };

interface Source {
  readonly saver: BaseCheckpointSaver;
  close(): Promise<void>;
}

const SOURCES: Readonly<Record<string, (folder: string) => Source | Promise<Source>>> = {
  "LangGraph's MemorySaver": () => ({ saver: new LangGraphMemory(), close: async () => {} }),
  "LangGraph's SqliteSaver": (folder) => ({
    saver: new LangGraphSqlite(new Database(join(folder, "old.db")) as never),
    close: async () => {},
  }),
  "LangGraph's PostgresSaver": async () => {
    const saver = LangGraphPostgres.fromConnString(await postgresUrl(), { schema: newSchema() });
    await saver.setup();
    return { saver, close: () => saver.end() };
  },
  "our SqliteSaver": (folder) => {
    const saver = SqliteSaver.fromConnString(join(folder, "ours.db"));
    return { saver, close: () => saver.close() };
  },
};

/** Of all checkpoints, whatever order a saver lists them in. */
async function pendingWritesOf(saver: BaseCheckpointSaver): Promise<string[]> {
  const all: string[] = [];
  for await (const { config: place, pendingWrites = [] } of saver.list(config)) {
    const { checkpoint_ns: namespace, checkpoint_id: id } = place.configurable ?? {};
    for (const write of pendingWrites) all.push(JSON.stringify([namespace, id, write]));
  }
  expect(all.some((write) => write.includes("may I?"))).toBe(true);
  return all.toSorted();
}

describe.each(Object.entries(SOURCES))("migrateThread from %s", (_, open) => {
  it("takes every checkpoint, the branches and the pending interrupt, and the thread goes on", async () => {
    const folder = mkdtempSync(join(tmpdir(), "skein-migrate-"));
    const { saver: from, close } = await open(folder);
    const graph = chat(from);
    for (let turn = 0; turn < 3; turn += 1) {
      await graph.invoke({ messages: [new HumanMessage(`question ${turn}`)] }, config);
      await graph.invoke(new Command({ resume: "yes" }), config);
    }
    const history: { id: unknown; parent: unknown; values: unknown }[] = [];
    for await (const state of graph.getStateHistory(config)) {
      history.push({ id: state.config, parent: state.parentConfig, values: state.values });
    }
    await graph.invoke({ messages: [new HumanMessage("one more")] }, config);

    const to = SqliteSaver.fromConnString(join(folder, "new.db"));
    const seen: number[] = [];
    const report = await migrateThread(from, to, {
      threadId: "t",
      onProgress: ({ checkpoints }) => void seen.push(checkpoints),
    });
    expect(seen.at(-1)).toBe(report.checkpoints);
    expect(report.checkpoints).toBe(report.of);

    const moved = chat(to);
    const after: typeof history = [];
    for await (const state of moved.getStateHistory(config)) {
      after.push({ id: state.config, parent: state.parentConfig, values: state.values });
    }
    expect(JSON.parse(JSON.stringify(after.slice(-history.length)))).toEqual(
      JSON.parse(JSON.stringify(history)),
    );
    expect(await pendingWritesOf(to)).toEqual(await pendingWritesOf(from));
    const end = await moved.invoke(new Command({ resume: "sure" }), config);
    expect((end["messages"] as BaseMessage[]).map(({ content }) => content)).toEqual([
      "question 0",
      "yes: 1",
      "question 1",
      "yes: 3",
      "question 2",
      "yes: 5",
      "one more",
      "sure: 7",
    ]);
    await to.close();
    await close();
    rmSync(folder, { recursive: true });
  });

  it("overwrites nothing and knows what is not there", async () => {
    const folder = mkdtempSync(join(tmpdir(), "skein-migrate-"));
    const { saver: from, close } = await open(folder);
    const to = new MemorySaver();
    const unknown = { code: "UNKNOWN_THREAD" };
    await expect(migrateThread(from, to, { threadId: "t" })).rejects.toMatchObject(unknown);
    await chat(from).invoke({ messages: [new HumanMessage("hi")] }, config);
    await migrateThread(from, to, { threadId: "t", as: "u" });
    await expect(migrateThread(from, to, { threadId: "t", as: "u" })).rejects.toMatchObject({
      code: "INVALID_CONFIGURATION",
    });
    await close();
    rmSync(folder, { recursive: true });
  });
});

function failsAtFive({ checkpoints }: MigrateProgress): void {
  if (checkpoints === 5) throw new Error("the line is down");
}

it("refuses an id that no run could name, from whatever saver the thread comes", async () => {
  const [from, to] = [new LangGraphMemory(), new MemorySaver()];
  const metadata = { source: "input", step: -1, parents: {} } as const;
  await from.put({ configurable: { thread_id: "t", checkpoint_ns: "" } }, emptyCheckpoint(), metadata);
  await expect(migrateThread(from, to, { threadId: "t", as: "" })).rejects.toMatchObject({
    code: "INVALID_CONFIGURATION",
  });
  expect(await to.listThreads()).toEqual([]);
});

it("a migration that fails leaves nothing, and can be done again", async () => {
  const from = new LangGraphMemory();
  for (let turn = 0; turn < 2; turn += 1) {
    await chat(from).invoke({ messages: [new HumanMessage(`question ${turn}`)] }, config);
    await chat(from).invoke(new Command({ resume: "yes" }), config);
  }
  for (const to of [new MemorySaver(), new LangGraphMemory()]) {
    await expect(migrateThread(from, to, { threadId: "t", onProgress: failsAtFive })).rejects.toThrow(
      "the line is down",
    );
    expect(await to.getTuple(config)).toBeUndefined();
    const { checkpoints, of } = await migrateThread(from, to, { threadId: "t" });
    expect(checkpoints).toBe(of);
    expect(of).toBeGreaterThan(5);
  }
});

it("a migration stops at what LangGraph stores for a state with a bigint, and names the checkpoint", async () => {
  const from = new LangGraphMemory();
  const checkpoint = { ...emptyCheckpoint(), channel_values: { n: 1n }, channel_versions: { n: 1 } };
  await from.put({ configurable: { thread_id: "t", checkpoint_ns: "" } }, checkpoint, {
    source: "update",
    step: 0,
    parents: {},
  });
  for (const to of [new MemorySaver(), new LangGraphMemory()]) {
    await expect(migrateThread(from, to, { threadId: "t", as: "u" })).rejects.toMatchObject({
      code: "STORAGE_CORRUPT",
      message: expect.stringContaining(checkpoint.id) as string,
    });
    expect(await to.getTuple({ configurable: { thread_id: "u" } })).toBeUndefined();
  }
});

it("a migration whose process is killed leaves no thread, and can be done again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "skein-migrate-"));
  const old = join(folder, "old.db");
  const from = new LangGraphSqlite(new Database(old) as never);
  await chat(from).invoke({ messages: [new HumanMessage("hi")] }, config);
  await chat(from).invoke(new Command({ resume: "yes" }), config);
  const path = join(folder, "new.db");
  const killed = await startProgram(join(import.meta.dirname, "migrator.ts"), old, path, "3");
  expect((await once(killed, "exit"))[1]).toBe("SIGKILL");

  const to = SqliteSaver.fromConnString(path);
  expect(await to.getTuple(config)).toBeUndefined();
  expect(await to.listThreads()).toEqual([]);
  const { checkpoints, of } = await migrateThread(from, to, { threadId: "t" });
  expect([checkpoints, checkpoints > 3]).toEqual([of, true]);
  const { values } = await chat(to).getState(config);
  expect((values["messages"] as BaseMessage[]).map(({ content }) => content)).toEqual(["hi", "yes: 1"]);
  await to.close();
  rmSync(folder, { recursive: true });
});
