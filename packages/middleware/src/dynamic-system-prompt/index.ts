export { dynamicSystemPromptMiddleware, type DynamicSystemPrompt } from "./middleware.ts";
