import type { RunnableConfig } from "@langchain/core/runnables";
import type { Page } from "@skein/checkpointer";
import { GraphError, shown } from "@skein/errors";
import type { Program } from "../program/program.ts";
import { changeSetsOf } from "../run/change-set-session.ts";
import { openAt } from "../run/open.ts";
import { materialise, viewState } from "../run/read.ts";
import { addressOf, type Place } from "./place.ts";

export interface HistoryPageOptions {
  /** Where the page ends; from the page after it. Default: at the newest element. */
  readonly before?: number | undefined;
  /** Most elements, 1 or more. Default: 100. */
  readonly limit?: number;
  /** The key to read. Default: the state's only hidden key. */
  readonly key?: string;
}

/** One page of a thread's archive, in order; `before` of a page names the page before it. */
export async function readPage(
  place: Place,
  config: RunnableConfig,
  given: HistoryPageOptions | null | undefined,
): Promise<Page> {
  const options = given ?? {};
  const { program } = place.settings;
  const key = options.key ?? archiveOf(program);
  const address = addressOf(place, config);
  const { limit = 100, before } = options;
  requireCount("limit", limit, 1);
  if (before !== undefined) requireCount("before", before, 0);
  const sets = changeSetsOf(place.saver);
  if (sets !== undefined) {
    const { threadId, namespace, checkpointId } = address;
    const where = { threadId, namespace, ...(checkpointId === undefined ? {} : { checkpointId }) };
    return sets.page(where, key, before === undefined ? { limit } : { limit, before });
  }
  const session = await openAt(place.saver, program, address, {});
  const { snapshot } = viewState(program, session, false);
  await materialise(snapshot, [key]);
  const all = (snapshot.read([key])[key] ?? []) as unknown[];
  const end = Math.min(before ?? all.length, all.length);
  const start = Math.max(0, end - limit);
  return { elements: all.slice(start, end), before: start > 0 ? start : undefined };
}

/** @throws GraphError INVALID_CONFIGURATION unless it is a whole number, as many or more, or Infinity */
function requireCount(option: string, value: unknown, least: number): void {
  if (value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && (value as number) >= least))
    return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `"${option}" is a whole number, ${least} or more, or Infinity, not ${shown(value)}.`,
    { details: { option } },
  );
}

/** All that an archive ever held under some ids, oldest first. */
export async function readRevisions(
  place: Place,
  config: RunnableConfig,
  ids: readonly string[],
  key?: string,
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  if (!Array.isArray(ids)) {
    throw new GraphError("INVALID_CONFIGURATION", "revisions() takes a list of ids.");
  }
  const { program } = place.settings;
  const session = await openAt(place.saver, program, addressOf(place, config), {});
  const { snapshot } = viewState(program, session, false);
  return (await snapshot.slot(key ?? archiveOf(program))?.channel.revisions(ids)) ?? new Map();
}

const archiveOf = ({ stateKeys, channels }: Program): string =>
  onlyArchive(stateKeys.filter((name) => channels.get(name)?.lazy === true));

function onlyArchive(keys: readonly string[]): string {
  if (keys.length === 1) return keys[0] as string;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    keys.length === 0
      ? "The state keeps no history: it has no archive key, such as dualTrackMessages() brings."
      : `The state has several archives. Name one with {key}: ${keys.join(", ")}.`,
  );
}
