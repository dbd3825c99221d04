export {
  fromAnthropic,
  toAnthropic,
  type AnthropicConversation,
  type AnthropicMessage,
} from "./anthropic.ts";
export { fromGrouped, toGrouped, type GroupedMessage, type GroupedResult } from "./grouped.ts";
export { fromJsonLines, toJsonLines } from "./lines.ts";
export { fromOpenAI, toOpenAI, type OpenAICall, type OpenAIMessage } from "./openai.ts";
export type { ExportOptions } from "./parts.ts";
export {
  separateSystem,
  SYSTEM_POLICIES,
  type ExternalPrompt,
  type SeparatedSystem,
  type SystemPolicy,
} from "./system.ts";
