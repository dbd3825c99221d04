export { fromRecorded, fromRecordedMessage, toRecorded } from "./adapters/recorded.ts";
export type { RecordedCall, RecordedMessage, RecordedThread } from "./adapters/recorded.ts";
export { CANCELLED_RESULT, countOrphans, repair } from "./chains/repair.ts";
export type { Repaired, RepairReport } from "./chains/repair.ts";
export { structureOf } from "./chains/units.ts";
export type { Orphan, Structure, ToolChain, Unit } from "./chains/units.ts";
export { finishReason, isCutOff } from "./messages/finish.ts";
export {
  isMarkedSummary,
  isRecallOutput,
  RECALL_SOURCE,
  SUMMARY_SOURCE,
  timestampOf,
} from "./messages/kinds.ts";
export { markGrown } from "./messages/growth.ts";
export { argumentsText } from "./messages/json.ts";
export { textOf } from "./messages/text.ts";
export { planCompaction, turnOf } from "./plan/plan.ts";
export type { Compaction, NoCompaction, Plan, PlanReport, ShortenedOutputs } from "./plan/plan.ts";
export { adopt, planAhead } from "./plan/ahead.ts";
export type { Ahead, Candidate, Unusable } from "./plan/ahead.ts";
export { budgetOf } from "./plan/budget.ts";
export type { Budget, BudgetShares } from "./plan/budget.ts";
export { seemsPrefix } from "./plan/prefix.ts";
export type { CoveredPrefix } from "./plan/prefix.ts";
export type { CompactionState, Omitted } from "./plan/state.ts";
export { COMPACTION_OPTIONS, compactionPolicy, DEFAULT_WINDOW } from "./plan/policy.ts";
export type { Keep } from "./plan/keep.ts";
export type { CompactionOptions, CompactionPolicy, TokenLimit } from "./plan/policy.ts";
export type { Condition, Facts, Trigger } from "./plan/trigger.ts";
export { escapeTags, fillTemplate } from "./summary/escape.ts";
export { frameOverhead, frameSummary, frameText, unframeText } from "./summary/frame.ts";
export { addVersion, checkSummary, nextSummary, SUMMARY_VERSIONS } from "./summary/rolling.ts";
export type { InvalidSummary, RollingSummary, SummaryInput, SummaryVersions } from "./summary/rolling.ts";
export { afterFailure, readiness } from "./summary/status.ts";
export type { Attempts, Readiness, SummarizerStatus } from "./summary/status.ts";
export {
  CONVERSATION_OVERHEAD,
  createTokenCounter,
  IMAGE_TOKENS,
  MESSAGE_OVERHEAD,
} from "./tokens/counter.ts";
export type { TokenCounter, TokenCounterOptions, Totals } from "./tokens/counter.ts";
export { estimateTokens } from "./tokens/estimate.ts";
export { estimateTokenizer, loadTiktoken } from "./tokens/tokenizer.ts";
export type { Tokenizer } from "./tokens/tokenizer.ts";
export { coverage } from "./coverage.ts";
export type { Coverage, CoverageInput } from "./coverage.ts";
export { extractiveSummarizer } from "./extractive/extractive.ts";
export { DEFAULT_SUMMARY_PROMPT, promptSummarizer } from "./summary/summarizer.ts";
export type { PromptSummarizerOptions, SummarizeInput, Summarizer } from "./summary/summarizer.ts";
export * from "./outputs/index.ts";
export * from "./loops/index.ts";
export * from "./adapters/index.ts";
