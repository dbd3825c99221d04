export { modelRetryMiddleware, type ModelRetryOptions } from "./middleware.ts";
export type { RetryOn, RetryOptions } from "../shared/backoff.ts";
