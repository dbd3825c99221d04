import { mkdtempSync, rmSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import Database from "libsql";
import { afterAll, expect, it } from "vitest";
import { Annotation, START, StateGraph, type StateSnapshot } from "../src/index.ts";

const folder = mkdtempSync(join(tmpdir(), "polled-subgraphs-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A database that counts what is asked of it. */
function counting(path: string) {
  const db = new Database(path);
  let asked = 0;
  const counted = new Proxy(db, {
    get(_, member) {
      if (member !== "prepare") {
        const value: unknown = Reflect.get(db, member);
        return typeof value === "function" ? (value.bind(db) as unknown) : value;
      }
      return (sql: string) => {
        const statement = db.prepare(sql);
        const { get, all } = statement;
        return Object.assign(statement, {
          get: (...given: unknown[]) => ((asked += 1), get.apply(statement, given)),
          all: (...given: unknown[]) => ((asked += 1), all.apply(statement, given)),
        });
      };
    },
  });
  return { saver: new SqliteSaver(counted), asked: () => asked };
}

const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
});
const NAMES = ["one", "two", "three", "four", "five", "six"];
const thread = { configurable: { thread_id: "t" } };

const wait = async (gate: AbortController | undefined, told: AbortController | undefined) => {
  told?.abort();
  if (gate?.signal.aborted === false) await once(gate.signal, "abort");
  return { log: ["x".repeat(400)] };
};

it("of a run elsewhere, only what has gone on is read again by who polls its subgraphs", async () => {
  const file = join(folder, "threads.db");
  const gates = new Map(NAMES.map((name) => [name, [new AbortController(), new AbortController()]] as const));
  const begun = NAMES.map(() => new AbortController());
  const moved = new AbortController();
  const graph = new StateGraph(State) as StateGraph<typeof State.spec, typeof State.State, object, string>;
  for (const [i, name] of NAMES.entries()) {
    const within = new StateGraph(State)
      .addNode("first", () => ({ log: [name] }))
      .addNode("second", () => wait(gates.get(name)?.[0], begun[i]))
      .addNode("third", () => wait(gates.get(name)?.[1], name === "one" ? moved : undefined))
      .addEdge(START, "first")
      .addEdge("first", "second")
      .addEdge("second", "third")
      .compile();
    graph.addNode(name, within).addEdge(START, name);
  }
  const app = (checkpointer: SqliteSaver) => graph.compile({ checkpointer });
  const allBegun = Promise.all(begun.map(({ signal }) => once(signal, "abort")));
  const hasMoved = once(moved.signal, "abort");
  const run = app(SqliteSaver.fromConnString(file)).invoke({ log: ["in"] }, thread);
  await allBegun;
  const { saver, asked } = counting(file);
  const polling = app(saver);
  const poll = async () => {
    const before = asked();
    const { tasks } = await polling.getState(thread, { subgraphs: true });
    const next = Object.fromEntries(tasks.map(({ name, state }) => [name, (state as StateSnapshot).next]));
    return { next, asked: asked() - before };
  };
  await poll();
  const still = await poll();
  gates.get("one")?.[0].abort();
  await hasMoved;
  const after = await poll();
  const again = await poll();
  for (const both of gates.values()) for (const gate of both) gate.abort();
  await run;
  expect(after.next).toEqual({ ...still.next, one: ["third"] });
  expect(again.asked).toBe(still.asked);
  expect(after.asked).toBeLessThan(still.asked + NAMES.length);
});
