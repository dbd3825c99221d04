import type { OptionKind } from "@skein/errors";
import { wait, type Steps } from "../awaitable.ts";
import type { Page, PageOptions } from "../changeset/types.ts";
import type { ItemLog } from "../core/item-log.ts";
import type { Place } from "../core/places.ts";

export interface HistoryOptions extends PageOptions {
  /** Default: the first archive that the checkpoint has, else "messages". */
  readonly channel?: string;
}

/** Not the kinds of numbers: `history` looks at these. */
export const PAGING: Readonly<Record<keyof HistoryOptions, OptionKind>> = {
  channel: "text",
  before: "any",
  limit: "any",
};

export function* historyPage(log: ItemLog, place: Place, options: HistoryOptions): Steps<Page> {
  const { threadId, namespace, checkpointId } = place;
  const address = { threadId, namespace, ...(checkpointId === undefined ? {} : { checkpointId }) };
  if (options.channel !== undefined) return yield* wait(log.page(address, options.channel, options));
  const { checkpoint } = yield* wait(log.open(address));
  const archive = [...(checkpoint?.channels ?? [])].find(([, { kind }]) => kind === "log");
  return yield* wait(log.page(address, archive?.[0] ?? "messages", options));
}
