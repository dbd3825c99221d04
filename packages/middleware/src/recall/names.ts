/** Returns the whole result of an earlier call. */
export const RECALL_TOOL = "recall_tool_call";
/** Finds messages of the whole history. */
export const SEARCH_TOOL = "search_history";

const NAMES: ReadonlySet<string> = new Set([RECALL_TOOL, SEARCH_TOOL]);

export const isRecallTool = (name: string): boolean => NAMES.has(name);
