import { constants, existsSync } from "node:fs";
import { access, mkdir, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { BadInput, oneLine } from "./errors.ts";
import type { Store } from "./store.ts";
import { commandLine } from "./ui/invocation.ts";

/**
 * Opens a database. To read, it must exist, and nothing is created; `prepareStore` comes before
 * writing. The driver is loaded here and not before, so that bad input is told at once.
 *
 * @param make - the command that makes one, for who has none
 * @throws BadInput if there is none to read, or one that may not be read or written
 * @throws GraphError STORAGE_CORRUPT, STORAGE_NEWER, STORAGE_UNAVAILABLE
 */
export async function openStore(
  path: string,
  mode: "read" | "write",
  make: readonly string[] = ["chat"],
): Promise<Store> {
  if (mode === "read") await requireDatabase(path, make);
  else await requireWritable(path);
  const { openSqlite } = await import("./store.ts");
  return openSqlite(path, mode);
}

/** Told here, and not after the first question: SQLite opens a file that it may only read. */
export async function requireWritable(path: string): Promise<void> {
  if (!existsSync(path)) return;
  try {
    await access(path, constants.R_OK | constants.W_OK);
    await access(dirname(resolve(path)), constants.W_OK);
  } catch (error) {
    throw new BadInput(
      `You may not write ${path} or its folder, where SQLite puts files beside it. Give another path with --db.`,
      { cause: error },
    );
  }
}

async function requireDatabase(path: string, make: readonly string[] = ["chat"]): Promise<void> {
  // SQLite would take it for a database of its own in memory, and forget it.
  if (path.trim() === "") throw new BadInput("--db takes a path that is not empty.");
  const info = await stat(path).catch(() => undefined);
  if (!info) {
    throw new BadInput(
      `There is no database at ${resolve(path)}. Give another one with --db, or make one with: ${commandLine(make, path)}`,
    );
  }
  if (!info.isFile()) {
    throw new BadInput(
      `${path} is ${info.isDirectory() ? "a folder" : "no regular file"}; give a database file with --db.`,
    );
  }
  await access(path, constants.R_OK).catch((error: unknown) => {
    throw new BadInput(`You may not read ${path}. Give another database with --db.`, { cause: error });
  });
}

/** Makes the folder of a database that will be written, once everything else was found to be right. */
export async function prepareStore(path: string): Promise<void> {
  if (existsSync(path) || path.trim() === "") {
    await requireDatabase(path);
    await requireWritable(path);
    return;
  }
  try {
    await mkdir(dirname(resolve(path)), { recursive: true });
  } catch (error) {
    throw new BadInput(`Cannot make the folder of ${path}: ${oneLine(error)}. Give another path with --db.`, {
      cause: error,
    });
  }
}

/** Moves what stands in the write-ahead log into the database file, so that its size says something. */
export async function foldLog(path: string): Promise<void> {
  const { default: Database } = await import("libsql");
  const db = new Database(path);
  db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
  db.close();
}

/** Bytes of the database on disk, the part that is still in its write-ahead log included. */
export async function fileBytes(path: string): Promise<number> {
  const sizes = await Promise.all(
    [path, `${path}-wal`].map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** @throws BadInput with the threads that there are */
export async function requireThread(store: Store, thread: string, db: string): Promise<void> {
  if (await store.exists(thread)) return;
  const known = (await store.threads()).slice(0, 3).map(({ id }) => id);
  const hint =
    known.length > 0
      ? `The latest are ${known.join(", ")}; all of them: ${commandLine(["threads"], db)}`
      : "It has no threads yet.";
  throw new BadInput(`There is no thread "${thread}" in this database. ${hint}`);
}
