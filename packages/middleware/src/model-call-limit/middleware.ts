import { AIMessage } from "@langchain/core/messages";
import { createMiddleware } from "@skein/agent";
import { z } from "zod";
import { requireKnownOptions, type OptionKind } from "@skein/errors";
import { requireChoice } from "../shared/checks.ts";
import { CallLimitError, explainLimits, isOver, requireLimits } from "../shared/limits.ts";

const EXITS = ["end", "error"] as const;

/** Options; a run's `context` may set each of them too and goes first. */
export interface ModelCallLimitOptions {
  /** Calls in all runs of a thread; needs a checkpointer. Default: no limit. */
  threadLimit?: number;
  /** Calls in one run, also when it is interrupted and resumed. Default: no limit. */
  runLimit?: number;
  /** `"end"` (default): the run ends with a message that says so. `"error"`: it throws CALL_LIMIT. */
  exitBehavior?: (typeof EXITS)[number];
}

const contextSchema = z.object({
  threadLimit: z.number().optional(),
  runLimit: z.number().optional(),
  exitBehavior: z.enum(EXITS).optional(),
});

const stateSchema = z.object({
  threadModelCallCount: z.number().default(0),
  runModelCallCount: z.number().default(0),
});

const OPTIONS: Readonly<Record<keyof ModelCallLimitOptions, OptionKind>> = {
  threadLimit: "number",
  runLimit: "number",
  exitBehavior: "text",
};

/**
 * Limits how often the model is called. A call counts when it begins, so a call that fails or is
 * cancelled counts too; retries inside of a call don't.
 *
 * @throws GraphError INVALID_CONFIGURATION for limits that can't be; with `exitBehavior: "error"` a
 *   run throws CALL_LIMIT
 *
 * @example
 * createAgent({ model, tools, middleware: [modelCallLimitMiddleware({ runLimit: 25 })] });
 */
export function modelCallLimitMiddleware(options: ModelCallLimitOptions = {}) {
  requireKnownOptions("modelCallLimitMiddleware", options, OPTIONS);
  requireLimits(options);
  requireChoice("exitBehavior", options.exitBehavior ?? "end", EXITS);
  return createMiddleware({
    name: "ModelCallLimitMiddleware",
    contextSchema,
    stateSchema,
    // not when a run ends: a run that failed or was cancelled would leave its count to the next
    beforeAgent: (state) => (state.runModelCallCount === 0 ? undefined : { runModelCallCount: 0 }),
    beforeModel: {
      canJumpTo: ["end"],
      hook: (state, { context }) => {
        const limits = {
          threadLimit: context.threadLimit ?? options.threadLimit,
          runLimit: context.runLimit ?? options.runLimit,
        };
        requireLimits(limits);
        const counts = { thread: state.threadModelCallCount + 1, run: state.runModelCallCount + 1 };
        if (!isOver(limits, counts)) {
          return { threadModelCallCount: counts.thread, runModelCallCount: counts.run };
        }
        const message = `The limit of model calls is reached: ${explainLimits(limits, counts)}.`;
        if ((context.exitBehavior ?? options.exitBehavior) === "error") {
          throw new CallLimitError(message, limits, counts);
        }
        return { jumpTo: "end", messages: [new AIMessage(message)] };
      },
    },
  });
}
