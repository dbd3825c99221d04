import { GraphError, type OptionKind } from "@skein/errors";
import { run, wait, type Steps } from "../awaitable.ts";
import type { RunClaim } from "../core/claims.ts";
import { givenNewThreadId, knownOptions } from "../core/given.ts";
import type { ItemLog } from "../core/item-log.ts";
import { EXPORT_FORMAT } from "./export.ts";
import { ImportedThread } from "./imported-thread.ts";
import { Line, splitLines } from "./lines.ts";

export interface ImportReport {
  /** Id of the thread as it is stored now. */
  readonly threadId: string;
  readonly checkpoints: number;
  /** Messages, list elements and longer values. */
  readonly items: number;
}

export interface ImportOptions {
  /** Id of the new thread. Default: the one that was exported. */
  readonly as?: string;
}

const IMPORTING: Readonly<Record<keyof ImportOptions, OptionKind>> = { as: "any" };

type Source = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/**
 * Stores a thread from the lines of `exportThread`. It has no head, and nobody sees its checkpoints,
 * before its last line was read; when anything is wrong, nothing stays.
 *
 * @throws GraphError INVALID_INPUT for lines that are not as they were written, INVALID_CONFIGURATION
 *   when there is a thread with that id, THREAD_CONFLICT when there is one by the time that the lines end
 */
export async function importThread(
  log: ItemLog,
  source: Source,
  options: ImportOptions,
): Promise<ImportReport> {
  const { as } = knownOptions(options, "importThread", IMPORTING);
  const given = as === undefined ? undefined : givenNewThreadId(as);
  const lines = splitLines(source);
  const first = await lines.next();
  const header = new Line(first.done === true ? "" : first.value, 1);
  if (!header.has("skein") || header.text("skein") !== "thread")
    throw header.wrong("is not the head of a thread");
  if (header.count("format") > EXPORT_FORMAT) throw newerExport(header.count("format"));
  const threadId = given ?? header.text("thread");
  const claim = await run(newThread(log, threadId));
  try {
    const target = new ImportedThread(log, claim);
    let number = 1;
    for await (const text of lines) {
      number += 1;
      await target.take(new Line(text, number));
    }
    const { checkpoints, items } = await target.finish(new Line("{}", number + 1));
    return { threadId, checkpoints, items };
  } catch (error) {
    // what somebody else has stored under this id meanwhile is not ours
    await log.backend.delete(threadId, claim);
    throw error;
  } finally {
    await log.release(claim);
    log.forget(threadId);
  }
}

/** Takes a thread that has nothing in it; what an empty one left behind is removed. */
function* newThread(log: ItemLog, threadId: string): Steps<RunClaim> {
  const { backend } = log;
  const take = function* (): Steps<RunClaim> {
    return (yield* wait(log.open({ threadId, namespace: "" }, { claim: "fail" }))).claim;
  };
  const found = yield* wait(backend.find(threadId, ""));
  const claim = yield* take();
  if (found === undefined) return claim;
  try {
    if ((yield* wait(backend.namespaces(threadId))).length > 0) throw threadExists(threadId);
    yield* wait(backend.delete(threadId, claim));
  } finally {
    yield* wait(log.release(claim));
    log.forget(threadId);
  }
  return yield* take();
}

export function threadExists(threadId: string): GraphError {
  return new GraphError(
    "INVALID_CONFIGURATION",
    `There is a thread "${threadId}" already; nothing was changed. Give another id, or delete that thread first.`,
    { details: { threadId } },
  );
}

function newerExport(format: number): GraphError {
  return new GraphError(
    "STORAGE_NEWER",
    `The exported thread has format ${format}; this version of @skein/checkpointer reads formats up to ${EXPORT_FORMAT}. Nothing was imported. Update @skein/checkpointer.`,
    { details: { format, supported: EXPORT_FORMAT } },
  );
}
