export { llmToolSelectorMiddleware, type LLMToolSelectorOptions } from "./middleware.ts";
