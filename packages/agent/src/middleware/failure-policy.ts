import type { MiddlewareError } from "../errors.ts";

/** What a middleware may say of its own errors. */
export interface FailurePolicy {
  /**
   * `"closed"`: an error of one of its hooks ends the run, as approval and limits need it. `"open"`:
   * the run goes on as if the hook were not there. Default: "closed".
   */
  readonly failure?: "open" | "closed" | undefined;
  /** Gets every error that was passed over; what it throws itself is a warning on the console. */
  readonly onFailure?: ((error: MiddlewareError, hook: string) => void) | undefined;
}

/** Sent to `streamMode: "custom"` when an error of a hook was passed over. */
export interface MiddlewareFailure {
  readonly type: "middleware_failed";
  readonly middleware: string;
  readonly hook: string;
  readonly message: string;
}
