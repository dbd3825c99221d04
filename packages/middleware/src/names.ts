import type { DynamicSystemPrompt } from "./dynamic-system-prompt/index.ts";
import type { CountMessages } from "./summarization/index.ts";

// options, under the names that `langchain` gives them
export type {
  ClearToolUsesEditOptions as ClearToolUsesEditConfig,
  ContextEditingOptions as ContextEditingMiddlewareConfig,
} from "./context-editing/index.ts";
export type { HumanInTheLoopOptions as HumanInTheLoopMiddlewareConfig } from "./human-approval/index.ts";
export type { ModelCallLimitOptions as ModelCallLimitMiddlewareConfig } from "./model-call-limit/index.ts";
export type { ModelRetryOptions as ModelRetryMiddlewareConfig } from "./model-retry/index.ts";
export type { PIIMiddlewareOptions as PIIMiddlewareConfig } from "./pii/index.ts";
export type { SummarizationMiddlewareOptions as SummarizationMiddlewareConfig } from "./summarization/index.ts";
export type { TodoListOptions as TodoListMiddlewareOptions } from "./todo-list/index.ts";
export type { ToolCallLimitOptions as ToolCallLimitConfig } from "./tool-call-limit/index.ts";
export type { ToolRetryOptions as ToolRetryMiddlewareConfig } from "./tool-retry/index.ts";
export type { LLMToolSelectorOptions as LLMToolSelectorConfig } from "./tool-selector/index.ts";

/** A type of personal data that is found without a detector of one's own. */
export type BuiltInPIIType = "email" | "credit_card" | "ip" | "mac_address" | "url";

/** What counts messages for `summarizationMiddleware`. */
export type TokenCounter = CountMessages;

/** What `dynamicSystemPromptMiddleware` takes, for callers who pass this `context`. */
export type DynamicSystemPromptMiddlewareConfig<TContext = unknown> = DynamicSystemPrompt<TContext>;
