export { toolCallLimitMiddleware, type ToolCallLimitOptions } from "./middleware.ts";
