export { toolRetryMiddleware, type ToolRetryOptions } from "./middleware.ts";
export type { RetryOn, RetryOptions } from "../shared/backoff.ts";
