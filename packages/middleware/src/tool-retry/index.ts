export { toolRetryMiddleware, type ToolRetryOptions } from "./middleware.ts";
export type { RetryOptions } from "../shared/backoff.ts";
export type { ErrorClass, RetryOn } from "../shared/retry-on.ts";
