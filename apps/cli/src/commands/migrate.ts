import { migrateThread, type MigrateProgress } from "@skein/checkpointer";
import { openStore, prepareStore } from "../database.ts";
import { BadInput, EndedHalfway, EXIT } from "../errors.ts";
import { requireNewId } from "../input.ts";
import { openLangGraph, type LangGraphDatabase } from "../langgraph-database.ts";
import type { CommonOptions } from "../options.ts";
import type { Store } from "../store.ts";
import { label, plural } from "../ui/format.ts";
import { commandLine, pathArgument } from "../ui/invocation.ts";
import { createOutput, type Output } from "../ui/output.ts";

export interface MigrateOptions extends CommonOptions {
  readonly as?: string;
}

/** Where a thread comes from, and where it goes. */
interface Copy {
  readonly source: LangGraphDatabase;
  readonly store: Store;
  readonly threadId: string;
  readonly as: string;
}

/**
 * Copies threads from a database of LangGraph's SqliteSaver. Those that were copied before are passed over,
 * so that a migration that was stopped can be done again.
 */
export async function migrate(
  from: string,
  thread: string | undefined,
  options: MigrateOptions,
): Promise<number> {
  if (options.as !== undefined) requireNewId(options.as, "--as");
  const source = await openLangGraph(from);
  try {
    const threads = threadsToCopy(source.threads(), from, thread, options);
    await prepareStore(options.db);
    const store = await openStore(options.db, "write");
    try {
      const copies = threads.map((threadId) => ({ source, store, threadId, as: options.as ?? threadId }));
      await copyThreads(copies, from, options);
    } finally {
      await store.close();
    }
    return EXIT.ok;
  } finally {
    source.close();
  }
}

/** @throws BadInput when there is nothing to copy, before anything is made for it */
function threadsToCopy(
  there: readonly string[],
  from: string,
  thread: string | undefined,
  { as }: MigrateOptions,
): readonly string[] {
  if (there.length === 0) throw new BadInput(`There are no threads in ${from}.`);
  if (thread === undefined) {
    if (as === undefined) return there;
    throw new BadInput("--as names one thread; say which one of the other database it is.");
  }
  if (there.includes(thread)) return [thread];
  const known = there.slice(0, 3).join(", ");
  throw new BadInput(
    `There is no thread "${thread}" in ${from}; nothing was changed. It has ${plural(there.length, "thread")}, such as ${known}.`,
  );
}

/** What became of the threads so far. */
interface Tally {
  copied: number;
  passedOver: number;
  readonly others: string[];
}

async function copyThreads(copies: readonly Copy[], from: string, options: MigrateOptions): Promise<void> {
  const output = createOutput(options.json);
  const tally: Tally = { copied: 0, passedOver: 0, others: [] };
  try {
    for (const copy of copies) await copyThread(copy, tally, output);
    const { copied, passedOver, others } = tally;
    if (passedOver > 0)
      output.line(`Copied ${plural(copied, "thread")}, passed over ${plural(passedOver, "thread")}.`);
    if (others.length > 0) throw otherThreads(others, from, options);
  } catch (error) {
    throw tally.copied > 0 ? new EndedHalfway(error) : error;
  }
}

async function copyThread(copy: Copy, tally: Tally, output: Output): Promise<void> {
  const { source, store, threadId, as } = copy;
  if (await source.read(threadId, () => isCopied(copy))) {
    tally.passedOver += 1;
    output.data({ thread: as, passedOver: true });
    output.line(`Passed over thread ${label(as)}, which is there already.`);
    return;
  }
  if (await store.exists(as)) {
    tally.others.push(as);
    return;
  }
  const onProgress = ({ checkpoints: done, of }: MigrateProgress): void => {
    if (done % 500 === 0) output.note(`${label(threadId)}: ${done} of ${of} checkpoints`);
  };
  const { checkpoints } = await source.read(threadId, () =>
    migrateThread(source.saver, store.saver, { threadId, as, onProgress }),
  );
  tally.copied += 1;
  output.data({ thread: as, checkpoints });
  output.line(`Copied thread ${label(as)}: ${plural(checkpoints, "checkpoint")}.`);
}

/**
 * Whether a thread has the newest checkpoint of each of the other's namespaces: it becomes visible with all
 * of them, and may have gone on or been pruned since.
 */
async function isCopied({ source, store, threadId, as }: Copy): Promise<boolean> {
  for (const { namespace, id } of source.newest(threadId)) {
    const configurable = { thread_id: as, checkpoint_ns: namespace, checkpoint_id: id };
    if ((await store.saver.getTuple({ configurable })) === undefined) return false;
  }
  return true;
}

function otherThreads(others: readonly string[], from: string, { db }: MigrateOptions): BadInput {
  const named = others.slice(0, 3).map((thread) => `a thread "${thread}"`);
  const more = others.length > named.length ? [`${others.length - named.length} more`] : [];
  return new BadInput(
    `There is ${[...named, ...more].join(" and ")} already, without the newest checkpoints of ${from}: another thread, or a copy of before it went on. Nothing of it was changed. Copy it under another id: ${commandLine(["migrate", pathArgument(from), "THREAD", "--as", "ID"], db)}`,
  );
}
