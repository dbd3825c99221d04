import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  CHANGE_SETS,
  type ChangeSets,
  type ChannelChange,
  type Claim,
  type Segment,
  type TaskWrites,
} from "../src/index.ts";
import { PostgresSaver } from "../src/postgres/index.ts";
import { SqliteSaver } from "../src/sqlite/index.ts";
import type { Saver } from "./savers.ts";
import { newSchema } from "./support/postgres.ts";
import { PostgresServer } from "./support/postgres-server.ts";

/** A thread as the engine drives it: claim, commits, release. Ids have the length of real ones. */
class Thread {
  readonly #sets: ChangeSets;
  #claim: Claim | undefined;
  #step = 0;
  #head: string | undefined;
  length = 0;

  constructor(sets: ChangeSets) {
    this.#sets = sets;
  }
  async open(): Promise<void> {
    const opened = await this.#sets.open({ threadId: "thread", namespace: "" }, { claim: "fail" });
    this.#claim = opened.claim;
  }
  static uuid(kind: number, n: number): string {
    return `1f0c5b2e-${String(kind).padStart(4, "0")}-6d10-8${String(n % 1000).padStart(3, "0")}-${String(n).padStart(12, "0")}`;
  }
  async record(writes: readonly TaskWrites[]): Promise<void> {
    await this.#sets.record(
      this.#claim as Claim,
      { threadId: "thread", namespace: "", checkpointId: this.#head as string },
      writes,
    );
  }
  async commit(
    channels: Record<string, ChannelChange>,
    writes: readonly TaskWrites[] = [],
    release = false,
  ): Promise<void> {
    this.#step += 1;
    const id = Thread.uuid(1, this.#step);
    await this.#sets.commit(this.#claim as Claim, {
      namespace: "",
      parentId: this.#head,
      expectedHead: this.#head,
      checkpoint: {
        id,
        ts: "2026-01-01T00:00:00.000Z",
        metadata: { source: "loop", step: this.#step, parents: {} },
        channelVersions: Object.fromEntries(Object.keys(channels).map((channel) => [channel, this.#step])),
        versionsSeen: writes.length === 0 ? {} : { agent: { "branch:to:agent": this.#step } },
      },
      channels: new Map(Object.entries(channels)),
      writes,
      release,
    });
    this.#head = id;
  }
  append(...add: unknown[]): ChannelChange {
    const segments: Segment[] = [
      ...(this.length > 0 ? [{ keep: [0, this.length] as const }] : []),
      { add, lane: "messages" },
    ];
    this.length += add.length;
    return { op: "list", segments };
  }
}

const TEXT = "Natural language has letters and spaces. ".repeat(10).slice(0, 400);
let made = 0;
const human = (): HumanMessage => new HumanMessage({ id: Thread.uuid(2, (made += 1)), content: TEXT });
const ai = (): AIMessage => new AIMessage({ id: Thread.uuid(3, (made += 1)), content: TEXT });
const write = (channel: string, ...values: unknown[]): TaskWrites => ({
  taskId: Thread.uuid(4, (made += 1)),
  writes: values.map((value): [string, unknown] => [channel, value]),
});

interface Storage {
  readonly saver: Saver & { close(): Promise<void> };
  /** Called when the saver is closed, with the bytes that it said it takes. */
  check(bytes: number): void;
}

interface StorageKind {
  readonly name: string;
  /** Part of the turns that are made: all of them in the long run, and a round trip to a server takes its time. */
  readonly part: number;
  /** How many times SQLite's bytes it may take: PostgreSQL's rows have longer heads, and more indexes. */
  readonly room: number;
  open(): Promise<Storage>;
}

/**
 * Nobody else's, and it vacuums nothing by itself: what changed rows leave is used again when no transaction of the
 * server is older, and a vacuum gives each small table 32 KB of maps, at any time.
 */
let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
  const client = new Client(server.url);
  await client.connect();
  await client.query("ALTER SYSTEM SET autovacuum = off");
  await client.query("SELECT pg_reload_conf()");
  await client.end();
});
afterAll(() => server.stop());

const STORAGES: readonly StorageKind[] = [
  {
    name: "SQLite",
    part: process.env["SKEIN_TESTS"] === "long" ? 1 : 0.4,
    room: 1,
    async open() {
      const folder = mkdtempSync(join(tmpdir(), "skein-size-"));
      const path = join(folder, "threads.db");
      return {
        saver: SqliteSaver.fromConnString(path),
        check(bytes) {
          // what the pages say is what the file has once the log is folded in
          expect(statSync(path).size).toBe(bytes);
          rmSync(folder, { recursive: true });
        },
      };
    },
  },
  {
    name: "PostgreSQL",
    part: 0.3,
    room: 1.5,
    async open() {
      return { saver: PostgresSaver.fromConnString(server.url, { schema: newSchema() }), check: () => {} };
    },
  },
];

interface Report {
  readonly disk: number;
  readonly rows: number;
}

type MakeTurn = (thread: Thread, n: number) => Promise<void>;

/**
 * Bytes of one turn on disk, from `few` turns to `many`; and how many times the bytes in rows of then
 * are those of early turns, from two fifths of `few` on. What empty tables take is in neither, nor
 * pages that are half full in growth.
 */
async function perTurn(kind: StorageKind, few: number, many: number, turn: MakeTurn) {
  const ends = [few * 0.4, few, many].map((end) => Math.round(end * kind.part)) as [number, number, number];
  const { saver, check } = await kind.open();
  const thread = new Thread(saver[CHANGE_SETS]);
  const reports: Report[] = [];
  for (let n = 1; n <= ends[2]; n += 1) {
    await thread.open();
    await turn(thread, n);
    if (!ends.includes(n)) continue;
    const sizes = await saver.storageReport("thread");
    assert(sizes !== undefined);
    const { itemBytes, writeBytes, manifestBytes, totalBytes } = sizes;
    reports.push({ disk: totalBytes, rows: itemBytes + writeBytes + manifestBytes });
  }
  await saver.close();
  const [start, early, late] = reports as [Report, Report, Report];
  check(late.disk);
  const [earlyTurns, lateTurns] = [ends[1] - ends[0], ends[2] - ends[1]];
  const growth = (late.rows - early.rows) / lateTurns / ((early.rows - start.rows) / earlyTurns);
  return { late: (late.disk - early.disk) / lateTurns, growth };
}

async function chatTurn(thread: Thread): Promise<void> {
  const [question, answer] = [human(), ai()];
  await thread.commit({ __start__: { op: "set", value: { messages: [question] } } });
  await thread.commit(
    {
      __start__: { op: "clear" },
      messages: thread.append(question),
      "branch:to:agent": { op: "set", value: null },
    },
    [write("messages", [question])],
  );
  await thread.commit(
    {
      "branch:to:agent": { op: "clear" },
      messages: thread.append(answer),
      full_messages: { op: "log", lane: "messages", entries: [{ add: question }, { add: answer }] },
    },
    [write("messages", [answer])],
    true,
  );
}

/** As the reducer gives them, in place. */
function stamp(message: HumanMessage | AIMessage, id: string): void {
  message.id = message.lc_kwargs["id"] = id;
  const additional = { ...message.additional_kwargs, timestamp: 1_795_782_360_238 };
  message.additional_kwargs = message.lc_kwargs["additional_kwargs"] = additional;
}

/** A question, and the answers of two tasks of which one was recorded; `late`: ids and times come with the list. */
const stampedTurn =
  (late: boolean) =>
  async (thread: Thread, n: number): Promise<void> => {
    const messages = [
      new HumanMessage(TEXT),
      new AIMessage(TEXT),
      new AIMessage({ content: TEXT, name: "b" }),
    ];
    const stampAll = (): void =>
      messages.forEach((message, at) => stamp(message, Thread.uuid(5, 3 * n + at)));
    const [question, ...answers] = messages;
    if (!late) stampAll();
    await thread.commit({ __start__: { op: "set", value: { messages: [question], from: "somebody" } } });
    const tasks = answers.map((answer) => write("messages", [answer]));
    await thread.record(tasks.slice(0, 1));
    if (late) stampAll();
    await thread.commit({ __start__: { op: "clear" }, messages: thread.append(...messages) }, tasks, true);
  };

/** A step of five tasks, four of which finish earlier, in some order. */
const parallelTurn =
  (order: (n: number) => number[]) =>
  async (thread: Thread, n: number): Promise<void> => {
    await thread.commit({ "branch:to:agent": { op: "set", value: null } });
    const tasks = Array.from({ length: 5 }, () => [ai(), ai()]);
    const written = tasks.map((messages) => write("messages", ...messages));
    for (const i of order(n)) await thread.record([written[i] as TaskWrites]);
    await thread.commit({ messages: thread.append(...tasks.flat()) }, written, true);
  };

describe.each(STORAGES)("bytes on $name (F3)", (kind) => {
  it("are flat per turn and at most 3 KB for 2 x 400 characters, both tracks and three checkpoints", async () => {
    const { late, growth } = await perTurn(kind, 100, 1000, chatTurn);
    expect(late).toBeLessThan(3 * 1024 * kind.room);
    expect(growth).toBeLessThan(1.05);
  });

  it("do not grow with the list when messages in it are replaced in place", async () => {
    const { late, growth } = await perTurn(kind, 100, 700, async (thread, n) => {
      await chatTurn(thread);
      await thread.open();
      const at = (n * 7919) % thread.length;
      const revised = ai();
      const segments: Segment[] = [
        { keep: [0, at] },
        { add: [revised], lane: "messages" },
        { keep: [at + 1, thread.length] },
      ];
      await thread.commit({ messages: { op: "list", segments } }, [write("messages", [revised])], true);
    });
    // the ranges of a ragged list are a tree, whose height grows
    expect(growth).toBeLessThan(1.3);
    expect(late).toBeLessThan(6 * 1024 * kind.room);
  });

  it("do not grow when the last message is written twice, as streaming does", async () => {
    const { late, growth } = await perTurn(kind, 100, 1000, async (thread) => {
      await chatTurn(thread);
      await thread.open();
      const final = ai();
      const segments: Segment[] = [{ keep: [0, thread.length - 1] }, { add: [final], lane: "messages" }];
      await thread.commit({ messages: { op: "list", segments } }, [write("messages", [final])], true);
    });
    expect(late).toBeLessThan(6 * 1024 * kind.room);
    expect(growth).toBeLessThan(1.3);
  });

  it("of a checkpoint are those of the one channel that changed, of a thousand", async () => {
    const { late } = await perTurn(kind, 100, 1000, async (thread, n) => {
      const all = Array.from({ length: 1000 }, (_, i): [string, ChannelChange] => [
        `channel-${i}`,
        { op: "set", value: i },
      ]);
      await thread.commit(
        n === 1 ? Object.fromEntries(all) : { [`channel-${n % 7}`]: { op: "set", value: n } },
        [],
        true,
      );
    });
    expect(late).toBeLessThan(1024 * kind.room);
  });

  it("of a record are those of the entry that changed, of a thousand (I7)", async () => {
    let record = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`key-${i}`, `value ${i}`]));
    const { late, growth } = await perTurn(kind, 100, 500, async (thread, n) => {
      record = { ...record, [`key-${(n * 7919) % 1000}`]: `value ${n} of ${"x".repeat(80)}` };
      await thread.commit(
        { record: { op: "set", value: record } },
        n === 1 ? [] : [write("record", n)],
        true,
      );
    });
    // a whole one takes 50 KB to 120 KB
    expect(late).toBeLessThan(3 * 1024 * kind.room);
    expect(growth).toBeLessThan(3);
  });

  it("do not depend on when messages are given their ids and times", async () => {
    const early = await perTurn(kind, 50, 200, stampedTurn(false));
    const late = await perTurn(kind, 50, 200, stampedTurn(true));
    expect(late.late / early.late).toBeLessThan(1.05);
  });

  it("do not depend on the order in which parallel tasks finish", async () => {
    const inOrder = await perTurn(
      kind,
      50,
      200,
      parallelTurn(() => [0, 1, 2, 3]),
    );
    // four of the five, shuffled: the same way in every run of this test
    const four = fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 4, maxLength: 4 });
    const orders = fc.sample(four, { seed: 1, numRuns: 200 });
    const anyOrder = await perTurn(
      kind,
      50,
      200,
      parallelTurn((n) => orders[n % orders.length] as number[]),
    );
    expect(anyOrder.late / inOrder.late).toBeLessThan(1.05);
    expect(anyOrder.growth).toBeLessThan(1.05);
  });

  it("hold a message once, though a node returns the whole list every time (A4)", async () => {
    let all: unknown[] = [];
    const { late, growth } = await perTurn(kind, 100, 500, async (thread) => {
      const added = human();
      all = [...all, added];
      await thread.commit({ x: { op: "set", value: null } });
      await thread.commit({ messages: thread.append(added) }, [write("messages", all)], true);
    });
    expect(late).toBeLessThan(3 * 1024 * kind.room);
    expect(growth).toBeLessThan(1.05);
  });
});
