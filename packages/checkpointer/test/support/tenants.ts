import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import {
  back,
  branches,
  CHANGE_SETS,
  diffCheckpoints,
  forward,
  goTo,
  lineage,
  redo,
  switchBranch,
  undo,
  type Claim,
} from "../../src/index.ts";
import { MemorySaver } from "../../src/memory/index.ts";
import { SqliteSaver } from "../../src/sqlite/index.ts";
import type { Saver } from "../savers.ts";
import { chat, commitTurn, idOf } from "../turns.ts";
import { openPostgres } from "./postgres.ts";

/** What two tenants do with the same ids. */
interface Step {
  readonly tenant: 0 | 1;
  readonly verb: string;
  readonly thread: string;
  readonly other: string;
  readonly n: number;
}

const THREADS = ["t", "u"];
/** Threads of this name are made by steps only. */
const NEW = ["t", "u", "copy", "%", "t' OR '1'='1"];

type Verb = (saver: Saver, step: Step, memory: Memory) => unknown;

/** What a tenant has in hand: it must be of no use to the other. */
interface Memory {
  exported: readonly string[];
  claim: Claim | undefined;
  cursor: string | undefined;
}

const at = ({ thread, n }: Step, namespace = "") => ({
  configurable: { thread_id: thread, checkpoint_ns: namespace, ...(n > 8 ? {} : { checkpoint_id: idOf(n) }) },
});
/** Says whose it is, and holds what quotes are looked for by. */
const textOf = ({ tenant, n }: Step) => `tenant ${tenant} says at ${n} what only tenant ${tenant} may read`;

async function listed(saver: Saver, ...args: Parameters<Saver["list"]>): Promise<unknown[]> {
  const tuples: unknown[] = [];
  for await (const tuple of saver.list(...args)) tuples.push(tuple);
  return tuples;
}

async function whole(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

/** Every method of a saver, and every function over one. */
const VERBS: Readonly<Record<string, Verb>> = {
  put: (saver, step) =>
    saver.put(
      { configurable: { thread_id: step.other, checkpoint_ns: "", checkpoint_id: idOf(step.n - 1) } },
      {
        v: 4,
        id: idOf(step.n),
        ts: `2026-01-01T00:00:00.0${String(step.n).padStart(2, "0")}Z`,
        channel_values: { n: textOf(step), list: [{ id: "e", text: textOf(step) }] },
        channel_versions: { n: step.n, list: step.n },
        versions_seen: {},
      },
      { source: step.n % 2 === 0 ? "loop" : "input", step: step.n, parents: {}, user: "eve" } as never,
      { n: step.n, list: step.n },
    ),
  putWrites: (saver, step) => saver.putWrites(at(step), [["n", textOf(step)]], `task${step.n % 3}`),
  interrupt: (saver, step) => saver.putWrites(at(step), [["__interrupt__", { value: textOf(step) }]], "asks"),
  turn: (saver, step) =>
    commitTurn(saver, { thread: step.other, n: 20 + step.n * 2, question: textOf(step), answer: "ok" }),
  getTuple: (saver, step) => saver.getTuple(at(step)),
  list: (saver, step) => listed(saver, { configurable: { thread_id: step.thread } }),
  listAll: (saver) => listed(saver, {}),
  listFiltered: (saver, step) =>
    listed(saver, step.n % 2 === 0 ? {} : { configurable: { checkpoint_ns: "" } }, {
      filter: step.n % 3 === 0 ? { user: "eve" } : { source: "loop" },
      limit: step.n,
      before: at(step),
    }),
  deleteThread: (saver, step) => saver.deleteThread(step.other),
  copyThread: (saver, step) => saver.copyThread(step.thread, step.other),
  prune: (saver, step) => saver.prune(step.thread, { keepLast: step.n % 3, keepTurnBoundaries: step.n > 6 }),
  eraseMessage: (saver, step) =>
    saver.eraseMessage(at(step), `${step.n % 2 === 0 ? "h" : "a"}${(step.n % 3) * 2 + 2}`, {
      texts: [`says at ${step.n}`],
    }),
  exportThread: async (saver, step, memory) =>
    (memory.exported = await whole(saver.exportThread(step.thread))),
  importThread: (saver, step, memory) => saver.importThread(memory.exported, { as: step.other }),
  // threads are as young as their last write: all of them are swept, or none
  sweep: async (saver, step) =>
    (await saver.sweep({ ttl: step.n % 2 === 0 ? 3_600_000 : 0, now: Date.now() + 60_000 })).sort(),
  history: (saver, step) => saver.history(at(step), { limit: step.n }),
  search: async (saver, step, memory) => {
    const page = await saver.search(at({ ...step, n: 9 }), "question tenant", { limit: 2, mode: "any" });
    memory.cursor = page.cursor;
    return page;
  },
  searchOn: (saver, step, memory) =>
    saver.search(at({ ...step, n: 9 }), "question tenant", {
      mode: "any",
      ...(memory.cursor === undefined ? {} : { cursor: memory.cursor }),
    }),
  moveHead: (saver, step) => saver.moveHead(step.thread, idOf(step.n)),
  deleteBranch: (saver, step) => saver.deleteBranch(step.thread, idOf(step.n)),
  rewind: (saver, step, memory) => memory.claim && saver.rewind(memory.claim, idOf(step.n)),
  checkpoints: (saver, step) => saver.checkpoints(step.thread),
  listThreads: async (saver) =>
    // of those that were written to in one millisecond any may come first
    (await saver.listThreads())
      .map(({ threadId, headId, checkpoints }) => ({ threadId, headId, checkpoints }))
      .sort((a, b) => (a.threadId < b.threadId ? -1 : 1)),
  storageReport: async (saver, step) => {
    const report = await saver.storageReport(step.thread);
    return report && { items: report.items, bytes: report.itemBytes };
  },
  lineage: (saver, step) => lineage(saver, step.thread),
  goTo: (saver, step) => goTo(saver, step.thread, idOf(step.n)),
  back: (saver, step) => back(saver, step.thread),
  forward: (saver, step) => forward(saver, step.thread),
  undo: (saver, step) => undo(saver, step.thread),
  redo: (saver, step) => redo(saver, step.thread),
  branches: (saver, step) => branches(saver, step.thread),
  switchBranch: (saver, step) => switchBranch(saver, step.thread, idOf(step.n)),
  diff: (saver, step) => diffCheckpoints(saver, step.thread, idOf(step.n), idOf(step.n + 1)),
  claim: async (saver, step, memory) => {
    if (memory.claim !== undefined) return undefined;
    const opened = await saver[CHANGE_SETS].open({ threadId: step.other, namespace: "" }, { claim: "fail" });
    memory.claim = opened.claim;
    return [opened.headId, opened.checkpoint?.id, opened.checkpoint?.pendingWrites];
  },
  record: (saver, step, memory) =>
    memory.claim === undefined
      ? undefined
      : saver[CHANGE_SETS].record(
          memory.claim,
          { threadId: step.thread, namespace: "", checkpointId: idOf(step.n) },
          [
            {
              taskId: "recorded",
              writes: [["messages", [new HumanMessage({ id: "r", content: textOf(step) })]]],
            },
          ],
        ),
  release: async (saver, _step, memory) => {
    if (memory.claim === undefined) return undefined;
    await saver[CHANGE_SETS].release(memory.claim);
    memory.claim = undefined;
    return "released";
  },
  page: (saver, step) =>
    saver[CHANGE_SETS].page({ threadId: step.thread, namespace: "" }, "full_messages", { limit: step.n }),
};

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    tenant: fc.constantFrom(0 as const, 1 as const),
    verb: fc.constantFrom(...Object.keys(VERBS)),
    thread: fc.constantFrom(...THREADS),
    other: fc.constantFrom(...NEW),
    n: fc.integer({ min: 1, max: 12 }),
  }),
  { minLength: 20, maxLength: 60, size: "max" },
);

/** What a step came to: its answer, or the code of its refusal. */
async function outcome(saver: Saver, step: Step, memory: Memory): Promise<unknown> {
  try {
    const verb = VERBS[step.verb] as Verb;
    return JSON.parse(JSON.stringify({ gave: await verb(saver, step, memory) })) as unknown;
  } catch (error) {
    return `${(error as { code?: string }).code ?? String(error)}`;
  }
}

/** The outcomes of each tenant's steps, in their order. Either begins with the same two threads. */
async function outcomes(savers: readonly (Saver | undefined)[], all: readonly Step[]): Promise<unknown[][]> {
  const seen: unknown[][] = [[], []];
  const memories: Memory[] = [0, 1].map(() => ({ exported: [], claim: undefined, cursor: undefined }));
  for (const saver of savers) {
    if (saver === undefined) continue;
    await chat(saver, "t", 3);
    await chat(saver, "u", 2);
  }
  for (const step of all) {
    const saver = savers[step.tenant];
    if (saver === undefined) continue;
    seen[step.tenant]?.push([step.verb, await outcome(saver, step, memories[step.tenant] as Memory)]);
  }
  return seen;
}

/** Two tenants over one storage. */
interface Shared {
  readonly savers: readonly [Saver, Saver];
  close(): Promise<unknown>;
}

/** By how the storage is shared. */
export const TENANTS = {
  MemorySaver: () => {
    const first = new MemorySaver({ tenant: "a" });
    return { savers: [first, first.forTenant("b")], close: async () => {} };
  },
  "SqliteSaver, one database": () => {
    const first = SqliteSaver.fromConnString(":memory:", { tenant: "a" });
    return { savers: [first, first.forTenant("b")], close: () => first.close() };
  },
  "SqliteSaver, one file opened twice": () => {
    const folder = mkdtempSync(join(tmpdir(), "skein-tenants-"));
    const open = (tenant: string) => SqliteSaver.fromConnString(join(folder, "t.db"), { tenant });
    const savers = [open(""), open("\0")] as const;
    return {
      savers,
      async close() {
        for (const saver of savers) await saver.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
  PostgresSaver: () => {
    const { reopen, close } = openPostgres();
    return { savers: [reopen({ tenant: "a" }), reopen({ tenant: "A" })], close };
  },
} satisfies Readonly<Record<string, () => Shared>>;

/** What two tenants see who share a storage, and what each sees who has one alone. */
export async function seen(
  open: () => Shared,
  all: readonly Step[],
): Promise<{ readonly together: unknown; readonly alone: unknown }> {
  const shared = open();
  try {
    const together = await outcomes(shared.savers, all);
    const [mine] = await outcomes([new MemorySaver(), undefined], all);
    const [, theirs] = await outcomes([undefined, new MemorySaver()], all);
    return { together, alone: [mine, theirs] };
  } finally {
    await shared.close();
  }
}
