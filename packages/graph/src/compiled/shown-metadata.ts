/** Members of `configurable` that callbacks, traces and servers find in the metadata. */
const SHOWN = [
  "thread_id",
  "checkpoint_id",
  "checkpoint_ns",
  "task_id",
  "run_id",
  "assistant_id",
  "graph_id",
];

/** Adds them to a config's metadata, where they do not stand in it already. */
export function showIn(
  metadata: Record<string, unknown>,
  configurable: Readonly<Record<PropertyKey, unknown>>,
): Record<string, unknown> {
  for (const key of SHOWN) {
    if (configurable[key] !== undefined && !(key in metadata)) metadata[key] = configurable[key];
  }
  return metadata;
}
