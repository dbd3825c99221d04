import { GraphError, shown } from "@skein/errors";
import type { Session } from "./storage.ts";

/** What a saver gives in the place of a checkpoint, in words; undefined for a checkpoint, of any format. */
export function noCheckpoint(given: unknown): string | undefined {
  const { channel_values: values } = Object(given) as { readonly channel_values?: unknown };
  return typeof values === "object" ? undefined : shown(given);
}

/**
 * A run takes what is no checkpoint for an empty thread, as in LangGraph; a reader must not.
 *
 * @throws GraphError STORAGE_CORRUPT
 */
export function requireCheckpoint({ address, noCheckpoint: found }: Session): void {
  if (found === undefined) return;
  const { threadId, namespace } = address;
  throw new GraphError(
    "STORAGE_CORRUPT",
    `A checkpoint of thread "${threadId}" is none: the saver gives ${found}, as LangGraph's do for a state with a bigint. Nothing was changed; delete the thread, or read another checkpoint.`,
    { details: { threadId, namespace } },
  );
}
