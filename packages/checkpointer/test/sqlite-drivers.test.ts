import { createRequire } from "node:module";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { afterAll, describe, expect, it } from "vitest";
import { testSaver } from "../src/conformance/index.ts";
import { SqliteSaver, type SqliteDatabase } from "../src/sqlite/index.ts";
import { testStore } from "../src/store/conformance/index.ts";
import { SqliteStore } from "../src/store/sqlite/index.ts";

type Open = (path: string) => SqliteDatabase;

/** libsql, as strict as better-sqlite3 is: a numbered parameter is a named one, and no place of a list is for it. */
function strict(path: string): SqliteDatabase {
  const db = new Database(path) as unknown as SqliteDatabase;
  return {
    exec: (sql) => db.exec(sql),
    close: () => db.close(),
    prepare(sql) {
      if (/[?:@$][A-Za-z0-9_]/.test(sql.replaceAll(/'[^']*'/g, "")))
        throw new RangeError(`Too many parameter values were provided: ${sql}`);
      return db.prepare(sql);
    },
  };
}

/** better-sqlite3 itself, where its binary is: its package builds or downloads one, which an install may leave out. */
function betterSqlite(): Open | undefined {
  try {
    // a dependency of LangGraph's saver
    const theirs = createRequire(import.meta.url).resolve("@langchain/langgraph-checkpoint-sqlite");
    const Driver = createRequire(theirs)("better-sqlite3") as new (path: string) => SqliteDatabase;
    new Driver(":memory:").close();
    return (path) => new Driver(path);
  } catch {
    return undefined;
  }
}

const folder = mkdtempSync(join(tmpdir(), "skein-drivers-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

const drivers = Object.entries({
  "a driver as strict as better-sqlite3": strict,
  "better-sqlite3": betterSqlite(),
});
for (const [name, driver] of drivers) {
  if (driver === undefined) continue;
  describe(`SqliteSaver over ${name}`, () => {
    testSaver(
      {
        features: ["verbs"],
        open() {
          const path = join(folder, `${(files += 1)}.db`);
          const opened: SqliteSaver[] = [];
          const another = () => {
            const saver = new SqliteSaver(driver(path));
            opened.push(saver);
            return saver;
          };
          const close = async () => {
            for (const saver of opened) await saver.close();
          };
          return { saver: another(), another, close };
        },
      },
      { describe, it },
    );
  });
  describe(`SqliteStore over ${name}`, () => {
    testStore(
      {
        features: ["text", "ttl"],
        open: (options) => new SqliteStore(() => driver(join(folder, `${(files += 1)}.db`)), options),
      },
      { describe, it },
    );
  });
}

it("the strict driver takes no numbered parameters", () => {
  const db = strict(":memory:");
  expect(() => db.prepare("SELECT ?1")).toThrow(RangeError);
  expect(db.prepare("SELECT '?1', ?").raw().get([2])).toEqual(["?1", 2]);
  db.close();
});
