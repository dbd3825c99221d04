import { openStore, requireThread, requireWritable } from "./database.ts";
import { advised } from "./errors.ts";
import type { CommonOptions } from "./options.ts";
import type { Store } from "./store.ts";

/** Does something with a thread that is only read. @throws BadInput if there is none */
export async function readThread<Result>(
  thread: string,
  options: CommonOptions,
  body: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await openStore(options.db, "read");
  try {
    await requireThread(store, thread, options.db);
    return await body(store);
  } finally {
    await store.close();
  }
}

/** Does something that changes a thread. A database or thread that is not there is told before anything is opened for writing. */
export async function changeThread<Result>(
  thread: string,
  options: CommonOptions,
  body: (store: Store) => Promise<Result>,
): Promise<Result> {
  await requireWritable(options.db);
  await readThread(thread, options, async () => {});
  const store = await openStore(options.db, "write");
  try {
    return await body(store);
  } catch (error) {
    throw advised(error);
  } finally {
    await store.close();
  }
}
