export { summaryDerivations, type SummaryDerivationsOptions } from "./derivations.ts";
export type { CompactionRuntime, CompactionUpdate } from "./compact.ts";
export type { CompactionEvent } from "./events.ts";
export { summarizationMiddleware } from "./middleware.ts";
export type { SummaryModel } from "./model.ts";
export { summarizationNode, type SummarizationNode } from "./node.ts";
export type { CountMessages, SummarizationOptions } from "./options.ts";
export { summaryFields, summaryInForce, type SummarizedState } from "./state.ts";
