import { NodeTimeoutError } from "../errors/errors.ts";
import type { TimeoutPolicy } from "../program/timeout-policy.ts";
import type { LangGraphRunnableConfig } from "./config.ts";

/**
 * Runs an attempt under limits. When one is passed, the attempt's own signal is aborted and the
 * attempt fails; what the node does afterwards is ignored.
 */
export function limited<T>(
  node: string,
  policy: TimeoutPolicy,
  config: LangGraphRunnableConfig,
  run: (config: LangGraphRunnableConfig) => T | Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const began = Date.now();
  const outer = config.signal;
  const forward = (): void => controller.abort(outer?.reason);
  outer?.addEventListener("abort", forward, { once: true });
  return new Promise<T>((resolve, reject) => {
    const fail = (kind: "run" | "idle"): void => {
      const error = new NodeTimeoutError({ node, kind, elapsed: Date.now() - began, ...policy });
      controller.abort(error);
      reject(error);
    };
    const runTimer = policy.runTimeout === undefined ? undefined : setTimeout(fail, policy.runTimeout, "run");
    let idleTimer: ReturnType<typeof setTimeout> | undefined;
    const progress = (): void => {
      if (policy.idleTimeout === undefined) return;
      clearTimeout(idleTimer);
      idleTimer = setTimeout(fail, policy.idleTimeout, "idle");
    };
    const done = (): void => {
      clearTimeout(runTimer);
      clearTimeout(idleTimer);
      outer?.removeEventListener("abort", forward);
    };
    progress();
    const writer = config.writer;
    const scoped: LangGraphRunnableConfig = { ...config, signal: controller.signal, heartbeat: progress };
    if (writer !== undefined) {
      scoped.writer = (chunk) => {
        progress();
        writer(chunk);
      };
    }
    Promise.resolve()
      .then(() => run(scoped))
      .then(resolve, reject)
      .finally(done);
  });
}
