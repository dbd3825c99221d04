import { writeSync } from "node:fs";
import Database from "libsql";
import { SqliteSaver, type SqliteDatabase, type SqliteStatement } from "@skein/checkpointer/sqlite";
import { crashProgram, runTo } from "./program.ts";

/**
 * The process that is killed: `worker DATABASE TURNS [BOUNDARY]`. It says, in lines on stdout, what
 * is safe by now. At a boundary, an even number before and an odd one after a call of the driver, it
 * kills itself; without one it says at its end how many there are.
 */
const [path, turns, boundary] = process.argv.slice(2) as [string, string, string | undefined];
const say = (line: string): void => void writeSync(1, `${line}\n`);

let passed = 0;
function pass(): void {
  if (String(passed) === boundary) process.kill(process.pid, "SIGKILL");
  passed += 1;
}
function counted<T>(call: () => T): T {
  pass();
  const result = call();
  pass();
  return result;
}
const countedStatement = (statement: SqliteStatement): SqliteStatement => ({
  run: (...parameters) => counted(() => statement.run(...parameters)),
  get: (...parameters) => counted(() => statement.get(...parameters)),
  all: (...parameters) => counted(() => statement.all(...parameters)),
  raw(toggle) {
    statement.raw(toggle);
    return this;
  },
});
const db = new Database(path) as unknown as SqliteDatabase;
const saver = new SqliteSaver({
  prepare: (sql) => countedStatement(db.prepare(sql)),
  exec: (sql) => counted(() => db.exec(sql)),
  close: () => db.close(),
});

say("ready");
const graph = crashProgram(saver, { started: (task, count) => say(`started ${task} ${count}`) });
await runTo(graph, Number(turns), (task) => say(`finished ${task}`));
say(`boundaries ${passed}`);
await saver.close();
