export { ToolCallLimitExceededError } from "./error.ts";
export { toolCallLimitMiddleware, type ToolCallLimitOptions } from "./middleware.ts";
