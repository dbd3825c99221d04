export const RECALL_TOOL = "recall_tool_call";
export const SEARCH_TOOL = "search_history";

const NAMES: ReadonlySet<string> = new Set([RECALL_TOOL, SEARCH_TOOL]);

export const isRecallTool = (name: string): boolean => NAMES.has(name);
