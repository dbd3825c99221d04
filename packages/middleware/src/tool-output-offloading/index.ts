export { toolOutputOffloadingMiddleware, type ToolOutputOffloadingOptions } from "./middleware.ts";
