import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { getArchive } from "@skein/graph";
import { fullMessages, type DualTrackState } from "./dual-track.ts";

/**
 * The complete history of the thread that a tool, a node or a hook runs in, as it stood before the
 * present step. Whose thread it is says the config, which the runtime gives; nobody can name another.
 *
 * Loaded when somebody asks, which costs what the history costs. Under LangGraph's engine it is taken
 * from the state that a tool gets.
 *
 * @param config - the second argument of the tool, the node or the hook
 * @param options - `shown`: without what was removed from the context (`RemoveMessage`, remove-all), as
 *   far as the engine keeps a record of it
 * @throws GraphError INVALID_INPUT where there is no history: neither an archive nor a state with `full_messages`
 *
 * @example
 * const count = tool(async (_, config) => `${(await threadHistory(config)).length} messages`, { name: "count", schema });
 */
export async function threadHistory(
  config: RunnableConfig,
  options: { readonly shown?: boolean } = {},
): Promise<BaseMessage[]> {
  const archive = await getArchive<BaseMessage>("full_messages", config, options);
  return archive === undefined ? fullMessages(stateOf(config)) : [...archive];
}

/** Tools of agents get their state beside the config. */
function stateOf(config: object): DualTrackState {
  return (config as { state?: DualTrackState }).state ?? {};
}
