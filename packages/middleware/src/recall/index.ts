export { recallMiddleware, type RecallOptions } from "./middleware.ts";
export { RECALL_TOOL, SEARCH_TOOL } from "./names.ts";
