export { modelRetryMiddleware, type ModelRetryOptions } from "./middleware.ts";
export type { RetryOptions } from "../shared/backoff.ts";
export type { ErrorClass, RetryOn } from "../shared/retry-on.ts";
