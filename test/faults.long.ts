import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chownSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@skein/checkpointer/memory";
import { PostgresSaver } from "@skein/checkpointer/postgres";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import {
  Annotation,
  END,
  MessagesAnnotation,
  START,
  StateGraph,
  type BaseCheckpointSaver,
  type Durability,
} from "@skein/graph";
import Database from "libsql";
import { Client, Pool } from "pg";
import { afterEach, describe, expect, it } from "vitest";
import { PostgresServer } from "../packages/checkpointer/test/support/postgres-server.ts";

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** A file system of its own, which is as small as it is told. Needs the right to mount one. */
function smallDisk(megabytes: number): { readonly folder: string; readonly grow: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "skein-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder]);
  cleanUps.push(() => {
    execFileSync("umount", ["-l", folder]);
    rmSync(folder, { recursive: true });
  });
  return { folder, grow: () => void execFileSync("mount", ["-o", "remount,size=256m", folder]) };
}

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  /** One for every task: applied twice, it would be too great. */
  count: Annotation<number>({ reducer: (left, right) => left + right, default: () => 0 }),
});
const TURNS = 40;
const config = { configurable: { thread_id: "t" } };
/** Long, and of a kind that no database can compress. */
const text = (name: string): string =>
  Array.from({ length: 300 }, (_, i) => createHash("sha256").update(`${name} ${i}`).digest("base64")).join(
    "",
  );

function program(checkpointer: BaseCheckpointSaver) {
  const node = (name: string) => (state: typeof State.State) => ({
    count: 1,
    messages: [
      new AIMessage({ id: `${state.messages.length}`, content: text(`${name}${state.messages.length}`) }),
    ],
  });
  return new StateGraph(State)
    .addNode("a", node("a"))
    .addNode("b", node("b"))
    .addEdge(START, "a")
    .addEdge("a", "b")
    .addEdge("b", END)
    .compile({ checkpointer });
}
type Program = ReturnType<typeof program>;

/** Goes on from wherever the thread is. @returns turns that ended, as their calls said */
async function talk(graph: Program, durability: Durability, waitMs?: number): Promise<number> {
  for (let ended = 0; ; ended += 1) {
    const { values, next } = await graph.getState(config);
    const said = values.messages?.length ?? 0;
    if (next.length === 0 && said === TURNS * 3) return ended;
    const input =
      next.length > 0
        ? null
        : { messages: [new HumanMessage({ id: `${said}`, content: `question ${said}` })] };
    try {
      const configurable = { ...config.configurable, ...(waitMs && { onConflict: { waitMs } }) };
      await graph.invoke(input, { configurable, durability });
    } catch (error) {
      throw Object.assign(error as Error, { ended });
    }
  }
}

async function visible(graph: Program): Promise<unknown> {
  const { values, next } = await graph.getState(config);
  return {
    count: values.count,
    messages: values.messages.map(({ id, content }: AIMessage) => [id, content]),
    next,
  };
}

const whole = (async () => {
  const graph = program(new MemorySaver());
  await talk(graph, "sync");
  return visible(graph);
})();

/** What a call on a full disk says. */
const full = expect.objectContaining({
  code: "STORAGE_UNAVAILABLE",
  message: expect.stringMatching(/disk/) as string,
}) as unknown;

/** Fills the disk, reads what is there, makes room and goes on. */
async function survives(
  saver: BaseCheckpointSaver,
  grow: () => void,
  durability: Durability,
): Promise<unknown> {
  const graph = program(saver);
  const error = await talk(graph, durability).then(
    () => undefined,
    (reason: Error & { ended: number }) => reason,
  );
  expect(error).toEqual(full);
  // turns whose calls ended are there, and can be read
  const { values } = await graph.getState(config);
  expect(values.count).toBeGreaterThanOrEqual((error?.ended ?? 0) * 2);
  expect(error?.ended).toBeGreaterThan(1);
  grow();
  await talk(graph, durability);
  return visible(graph);
}

/** Containers may forbid it. Then the limits of the databases themselves, in the quick tests, speak alone. */
const mayMount = (() => {
  try {
    smallDisk(1);
    return true;
  } catch (error) {
    console.warn(`Full disks are not tried here: ${String(error)}`);
    return false;
  }
})();

describe.runIf(mayMount)("a disk that is full", () => {
  it.each(["sync", "async", "exit"] as const)(
    "SQLite, a full disk, durability %s: the run says so, nothing that ended is lost, and it goes on to the same end",
    async (durability) => {
      const { folder, grow } = smallDisk(1);
      const path = join(folder, "t.db");
      const saver = SqliteSaver.fromConnString(path);
      expect(await survives(saver, grow, durability)).toEqual(await whole);
      saver.check();
      await saver.close();
      expect(statSync(path).size).toBeGreaterThan(500_000);
    },
  );

  it("SQLite: a saver is closed on a full disk, too, and another one finds everything", async () => {
    const { folder, grow } = smallDisk(1);
    const path = join(folder, "t.db");
    const saver = SqliteSaver.fromConnString(path);
    const graph = program(saver);
    await expect(talk(graph, "sync")).rejects.toEqual(full);
    const before = await visible(graph);
    await saver.close();
    const reader = SqliteSaver.fromConnString(path);
    expect(await visible(program(reader))).toEqual(before);
    grow();
    // on a disk that is full to its last page the thread cannot be given back: its lease has to end
    await talk(program(reader), "sync", 60_000);
    expect(await visible(program(reader))).toEqual(await whole);
    await reader.close();
  });

  it.each(["sync", "async", "exit"] as const)(
    "PostgreSQL, a full disk, durability %s: the run says so, nothing that ended is lost, and it goes on to the same end",
    async (durability) => {
      const { folder, grow } = smallDisk(1);
      const server = await PostgresServer.start();
      cleanUps.push(() => server.stop());
      const pool = new Pool({ connectionString: server.url });
      const { rows } = await pool.query<{ data_directory: string }>("SHOW data_directory");
      const { uid, gid } = statSync(rows[0]?.data_directory ?? "");
      chownSync(folder, uid, gid);
      await pool.query(`CREATE TABLESPACE small LOCATION '${folder}'`);
      await pool.end();
      const options = encodeURIComponent("-c default_tablespace=small");
      const saver = PostgresSaver.fromConnString(`${server.url}?options=${options}`);
      expect(await survives(saver, grow, durability)).toEqual(await whole);
      await saver.close();
    },
  );
});

/** A run whose second node waits until somebody has done something to its storage. */
async function disturbed(
  saver: BaseCheckpointSaver,
  disturb: () => Promise<unknown>,
  settle: () => Promise<unknown>,
  durability: Durability,
): Promise<{ readonly found: unknown; readonly ran: readonly string[]; readonly count: number }> {
  let calm = false;
  const ran: string[] = [];
  const graph = new StateGraph(State)
    .addNode("a", () => ({ count: (ran.push("a"), 1) }))
    .addNode("b", async () => {
      ran.push("b");
      if (!calm) await disturb();
      return { count: 10 };
    })
    .addNode("c", () => ({ count: (ran.push("c"), 100) }))
    .addEdge(START, "a")
    .addEdge("a", "b")
    .addEdge("b", "c")
    .addEdge("c", END)
    .compile({ checkpointer: saver });
  const failed = graph.invoke({ messages: [new HumanMessage("go")] }, { ...config, durability });
  await expect(failed).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
  calm = true;
  await settle();
  const { values, next } = await graph.getState(config);
  const found = [values.count, next];
  const rest = await graph.invoke(next.length > 0 ? null : { messages: [new HumanMessage("go")] }, config);
  return { found, ran, count: rest.count };
}

/** Durability "sync": the first node's step was stored, and is not run again. */
const WHERE_IT_WAS = { found: [1, ["b"]], ran: ["a", "b", "b", "c"], count: 111 };

it("a lock that somebody else holds ends the run, which goes on where it was: SQLite", async () => {
  const folder = mkdtempSync(join(tmpdir(), "skein-lock-"));
  cleanUps.push(() => rmSync(folder, { recursive: true }));
  const saver = SqliteSaver.fromConnString(join(folder, "t.db"));
  const other = new Database(join(folder, "t.db"));
  const lock = async (): Promise<unknown> => other.exec("BEGIN IMMEDIATE");
  expect(await disturbed(saver, lock, async () => other.exec("ROLLBACK"), "sync")).toEqual(WHERE_IT_WAS);
  other.close();
  await saver.close();
});

it.each([
  ["sync", WHERE_IT_WAS],
  ["async", { count: 111 }],
  ["exit", { count: 111 }],
] as const)(
  "connections that are lost in a run with durability %s end it, and it goes on where it was: PostgreSQL",
  async (durability, wanted) => {
    const server = await PostgresServer.start();
    cleanUps.push(() => server.stop());
    const saver = PostgresSaver.fromConnString(server.url);
    await saver.setup();
    const seen = await disturbed(
      saver,
      () => server.kill(),
      () => server.restart(),
      durability,
    );
    expect(seen).toMatchObject(wanted);
    await saver.close();
  },
);

it("a lock that somebody else holds ends the run, which goes on where it was: PostgreSQL", async () => {
  const server = await PostgresServer.start();
  cleanUps.push(() => server.stop());
  const saver = PostgresSaver.fromConnString(server.url);
  await saver.setup();
  const other = new Client({ connectionString: server.url });
  await other.connect();
  const lock = () => other.query("BEGIN; LOCK TABLE skein.checkpoints");
  expect(await disturbed(saver, lock, () => other.query("ROLLBACK"), "sync")).toEqual(WHERE_IT_WAS);
  await other.end();
  await saver.close();
});
