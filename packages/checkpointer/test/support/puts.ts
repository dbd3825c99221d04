import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import type { Saver } from "../savers.ts";

/** A checkpoint as LangGraph puts it. */
export const checkpoint = (
  id: string,
  values: Record<string, unknown>,
  version = 1,
  year = 2026,
): Checkpoint => ({
  v: 4,
  id,
  ts: `${year}-01-01T00:00:0${version}.000Z`,
  channel_values: values,
  channel_versions: Object.fromEntries(Object.keys(values).map((channel) => [channel, version])),
  versions_seen: {},
});
export const at = (id?: string, thread = "t") => ({
  configurable: { thread_id: thread, checkpoint_ns: "", ...(id === undefined ? {} : { checkpoint_id: id }) },
});

export async function ids(saver: Saver, ...[config, options]: Parameters<Saver["list"]>): Promise<string[]> {
  const found: string[] = [];
  for await (const tuple of saver.list(config, options)) found.push(tuple.checkpoint.id);
  return found;
}
