import { openStore, requireThread, requireWritable } from "./database.ts";
import { advised } from "./errors.ts";
import type { CommonOptions } from "./options.ts";
import type { Store } from "./store.ts";

/** Does something with a thread that is only read. @throws BadInput if there is none */
export function readThread<Result>(
  thread: string,
  options: CommonOptions,
  body: (store: Store) => Promise<Result>,
): Promise<Result> {
  return whileOpen(options, "read", async (store) => {
    await requireThread(store, thread, options.db);
    return await body(store);
  });
}

/** Does something that changes a thread. A thread that is not there is told before anything is opened for writing. */
export function changeThread<Result>(
  thread: string,
  options: CommonOptions,
  body: (store: Store) => Promise<Result>,
): Promise<Result> {
  return changeDatabase(options, body, (store) => requireThread(store, thread, options.db));
}

/**
 * Does something that changes a database. One that is not there is not made.
 *
 * @param check - looks at it before it is opened for writing. Default: nothing is looked at
 */
export async function changeDatabase<Result>(
  options: CommonOptions,
  body: (store: Store) => Promise<Result>,
  check: (store: Store) => Promise<void> = async () => {},
): Promise<Result> {
  await requireWritable(options.db);
  await whileOpen(options, "read", check);
  return whileOpen(options, "write", async (store) => {
    try {
      return await body(store);
    } catch (error) {
      throw advised(error);
    }
  });
}

async function whileOpen<Result>(
  options: CommonOptions,
  mode: "read" | "write",
  body: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await openStore(options.db, mode);
  try {
    return await body(store);
  } finally {
    await store.close();
  }
}
