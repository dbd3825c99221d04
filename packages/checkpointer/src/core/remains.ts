import { wait, type Steps } from "../awaitable.ts";
import type { Backend, HeadRow } from "./backend.ts";
import type { Place } from "./places.ts";

/**
 * Whether a thread holds nothing but what an import stored whose process was killed: rows that no
 * namespace shows. An import claims its thread, so one that was never claimed is not even asked for.
 *
 * @param row - of a namespace of the thread
 */
export function* isRemains(
  backend: Backend,
  { threadId, namespace }: Pick<Place, "threadId" | "namespace">,
  row: HeadRow,
): Steps<boolean> {
  if (row.head !== null || row.epoch === 0) return false;
  if (namespace !== "") {
    const root = yield* wait(backend.find(threadId, ""));
    if (root === undefined || root.head !== null) return false;
  }
  if ((yield* wait(backend.namespaces(threadId))).length > 0) return false;
  const sizes = yield* wait(backend.sizes(threadId));
  return sizes !== undefined && sizes.items + sizes.manifestBytes > 0;
}

/** Removes a thread that is claimed, where it is remains. @returns whether it was */
export function* removeRemains(
  backend: Backend,
  place: Pick<Place, "threadId" | "namespace">,
  claimed: HeadRow,
): Steps<boolean> {
  if (!(yield* isRemains(backend, place, claimed))) return false;
  yield* wait(backend.delete(place.threadId));
  return true;
}
