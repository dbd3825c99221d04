import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  CHANGE_SETS,
  type ChangeSets,
  type ChannelChange,
  type Claim,
  type Segment,
  type TaskWrites,
} from "../src/index.ts";
import { SqliteSaver } from "../src/sqlite/index.ts";

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
  open(): void {
    const opened = this.#sets.open({ threadId: "thread", namespace: "" }, { claim: "fail" });
    this.#claim = (opened as { claim: Claim }).claim;
  }
  static uuid(kind: number, n: number): string {
    return `1f0c5b2e-${String(kind).padStart(4, "0")}-6d10-8${String(n % 1000).padStart(3, "0")}-${String(n).padStart(12, "0")}`;
  }
  record(writes: readonly TaskWrites[]): void {
    void this.#sets.record(
      this.#claim as Claim,
      { threadId: "thread", namespace: "", checkpointId: this.#head as string },
      writes,
    );
  }
  commit(channels: Record<string, ChannelChange>, writes: readonly TaskWrites[] = [], release = false): void {
    this.#step += 1;
    const id = Thread.uuid(1, this.#step);
    void this.#sets.commit(this.#claim as Claim, {
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

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skein-size-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Bytes of the database after each of some numbers of turns. */
async function bytesAfter(
  turns: readonly number[],
  turn: (thread: Thread, n: number) => void,
): Promise<number[]> {
  const saver = SqliteSaver.fromConnString(join(folder, "threads.db"));
  const thread = new Thread(saver[CHANGE_SETS]);
  const sizes: number[] = [];
  for (let n = 1; n <= (turns.at(-1) as number); n += 1) {
    thread.open();
    turn(thread, n);
    if (turns.includes(n)) sizes.push((await saver.storageReport("thread"))?.totalBytes as number);
  }
  await saver.close();
  // what the pages say is what the file has once the log is folded in
  expect(statSync(join(folder, "threads.db")).size).toBe(sizes.at(-1));
  return sizes;
}

/** Bytes of one turn at the end of a thread, and how that compares with the beginning. */
async function perTurn(few: number, many: number, turn: (thread: Thread, n: number) => void) {
  const [first, last] = (await bytesAfter([few, many], turn)) as [number, number];
  const late = (last - first) / (many - few);
  return { average: last / many, late, growth: late / (first / few) };
}

function chatTurn(thread: Thread): void {
  const [question, answer] = [human(), ai()];
  thread.commit({ __start__: { op: "set", value: { messages: [question] } } });
  thread.commit(
    {
      __start__: { op: "clear" },
      messages: thread.append(question),
      "branch:to:agent": { op: "set", value: null },
    },
    [write("messages", [question])],
  );
  thread.commit(
    {
      "branch:to:agent": { op: "clear" },
      messages: thread.append(answer),
      full_messages: { op: "log", lane: "messages", entries: [{ add: question }, { add: answer }] },
    },
    [write("messages", [answer])],
    true,
  );
}

/** A step of five tasks, four of which finish earlier, in some order. */
const parallelTurn = (order: (n: number) => number[]) => (thread: Thread, n: number) => {
  thread.commit({ "branch:to:agent": { op: "set", value: null } });
  const tasks = Array.from({ length: 5 }, () => [ai(), ai()]);
  const written = tasks.map((messages) => write("messages", ...messages));
  for (const i of order(n)) thread.record([written[i] as TaskWrites]);
  thread.commit({ messages: thread.append(...tasks.flat()) }, written, true);
};

describe("bytes on disk (F3)", () => {
  it("are flat per turn and at most 3 KB for 2 x 400 characters, both tracks and three checkpoints", async () => {
    const { average, growth } = await perTurn(100, 1000, chatTurn);
    expect(average).toBeLessThan(3 * 1024);
    expect(growth).toBeLessThan(1.1);
  });

  it("do not grow with the list when messages in it are replaced in place", async () => {
    const { late, growth } = await perTurn(100, 1000, (thread, n) => {
      chatTurn(thread);
      thread.open();
      const at = (n * 7919) % thread.length;
      const revised = ai();
      const segments: Segment[] = [
        { keep: [0, at] },
        { add: [revised], lane: "messages" },
        { keep: [at + 1, thread.length] },
      ];
      thread.commit({ messages: { op: "list", segments } }, [write("messages", [revised])], true);
    });
    expect(growth).toBeLessThan(2);
    expect(late).toBeLessThan(8 * 1024);
  });

  it("do not grow when the last message is written twice, as streaming does", async () => {
    const { average, growth } = await perTurn(100, 1000, (thread) => {
      chatTurn(thread);
      thread.open();
      const final = ai();
      const segments: Segment[] = [{ keep: [0, thread.length - 1] }, { add: [final], lane: "messages" }];
      thread.commit({ messages: { op: "list", segments } }, [write("messages", [final])], true);
    });
    expect(average).toBeLessThan(6 * 1024);
    expect(growth).toBeLessThan(1.5);
  });

  it("of a checkpoint are those of the one channel that changed, of a thousand", async () => {
    const { late } = await perTurn(1, 1000, (thread, n) => {
      const all = Array.from({ length: 1000 }, (_, i): [string, ChannelChange] => [
        `channel-${i}`,
        { op: "set", value: i },
      ]);
      thread.commit(
        n === 1 ? Object.fromEntries(all) : { [`channel-${n % 7}`]: { op: "set", value: n } },
        [],
        true,
      );
    });
    expect(late).toBeLessThan(1024);
  });

  it("do not depend on the order in which parallel tasks finish", async () => {
    const inOrder = await perTurn(
      20,
      200,
      parallelTurn(() => [0, 1, 2, 3]),
    );
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    const anyOrder = await perTurn(
      20,
      200,
      parallelTurn((n) => [(n * 3) % 5, (n * 3 + 2) % 5, (n * 3 + 4) % 5, (n * 3 + 1) % 5]),
    );
    expect(anyOrder.late / inOrder.late).toBeLessThan(1.05);
    expect(anyOrder.growth).toBeLessThan(1.15);
  });

  it("hold a message once, though a node returns the whole list every time (A4)", async () => {
    let all: unknown[] = [];
    const { average, growth } = await perTurn(50, 500, (thread) => {
      const added = human();
      all = [...all, added];
      thread.commit({ x: { op: "set", value: null } });
      thread.commit({ messages: thread.append(added) }, [write("messages", all)], true);
    });
    expect(average).toBeLessThan(3 * 1024);
    expect(growth).toBeLessThan(1.2);
  });
});
