import { AIMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { createMiddleware, type AgentBuiltInState } from "@skein/agent";
import { z } from "zod";
import { requireKnownOptions, type OptionKind } from "@skein/errors";
import { invalidOption, requireChoice } from "../shared/checks.ts";
import { isOver, requireLimits, requireOrder, type Counts } from "../shared/limits.ts";
import { explainToolLimits, ToolCallLimitExceededError } from "./error.ts";
import { refusal, turnToRun } from "../shared/turn.ts";

const EXITS = ["continue", "end", "error"] as const;

export interface ToolCallLimitOptions {
  /** The tool that is limited. Default: all tools together. */
  toolName?: string;
  /** Most calls in all runs of a thread; needs a checkpointer. Default: no limit; then `runLimit` is needed. */
  threadLimit?: number;
  /** Most calls in one run, also when it is interrupted and resumed. Default: no limit. */
  runLimit?: number;
  /**
   * `"continue"` (default): a call too many gets an error as its result, the others run. `"end"`: no
   * call of the reply runs and the run ends with a message that says so. `"error"`: it throws CALL_LIMIT.
   */
  exitBehavior?: (typeof EXITS)[number];
}

const stateSchema = z.object({
  threadToolCallCount: z.record(z.string(), z.number()).default({}),
  runToolCallCount: z.record(z.string(), z.number()).default({}),
});

/** Under this key all tools are counted together. */
const ALL = "__all__";

type State = AgentBuiltInState & z.output<typeof stateSchema>;

const OPTIONS: Readonly<Record<keyof ToolCallLimitOptions, OptionKind>> = {
  toolName: "text",
  threadLimit: "number",
  runLimit: "number",
  exitBehavior: "text",
};

/**
 * Limits how often tools are called, one or all together. Several of these may stand in an agent if
 * each is for another tool.
 *
 * The thread's count is of calls that were let through, the run's count is of calls that were asked for.
 *
 * @throws GraphError INVALID_CONFIGURATION without a limit or for limits that can't be; with
 *   `exitBehavior: "error"` a run throws CALL_LIMIT
 *
 * @example
 * createAgent({ model, tools, middleware: [toolCallLimitMiddleware({ toolName: "search", runLimit: 5 })] });
 */
export function toolCallLimitMiddleware(options: ToolCallLimitOptions) {
  requireKnownOptions("toolCallLimitMiddleware", options, OPTIONS);
  const { toolName, threadLimit, runLimit, exitBehavior = "continue" } = options;
  if (toolName === "")
    throw invalidOption("toolName must be the name of a tool; without it all are limited.");
  if (threadLimit === undefined && runLimit === undefined) {
    throw invalidOption("toolCallLimitMiddleware needs a threadLimit or a runLimit.");
  }
  requireLimits(options);
  requireOrder(options);
  requireChoice("exitBehavior", exitBehavior, EXITS);
  const key = keyOf(toolName);
  return createMiddleware({
    name: toolName === undefined ? "ToolCallLimitMiddleware" : `ToolCallLimitMiddleware[${toolName}]`,
    stateSchema,
    // not when a run ends: a run that failed or was cancelled would leave its count to the next
    beforeAgent: (state) => {
      const { [key]: _count, ...others } = state.runToolCallCount;
      return countOf(state.runToolCallCount, key) === 0 ? undefined : { runToolCallCount: others };
    },
    afterModel: {
      canJumpTo: ["model", "end"],
      hook: (state, runtime) => {
        const { waiting = [] } = turnToRun(state.messages, runtime) ?? {};
        const limited = waiting.filter((call) => toolName === undefined || call.name === toolName);
        if (limited.length === 0) return undefined;
        const { blocked, counts, exceeded } = count(limited, state, key, options);
        const update = {
          threadToolCallCount: { ...state.threadToolCallCount, [key]: counts.thread },
          runToolCallCount: { ...state.runToolCallCount, [key]: counts.run },
        };
        if (exceeded === undefined) return update;
        if (exitBehavior === "error") {
          const { thread, run } = exceeded;
          throw new ToolCallLimitExceededError(thread, run, threadLimit, runLimit, toolName);
        }
        const message = explainToolLimits(options, exceeded, toolName);
        if (exitBehavior === "continue") {
          const advice = `${message} This call was not run. Go on without ${toolName === undefined ? "tools" : "it"}.`;
          const messages = blocked.map((call) => refusal(call, advice));
          const answered = blocked.length === waiting.length ? { jumpTo: "model" as const } : {};
          return { ...update, messages, ...answered };
        }
        // every call that waits gets a result: a later turn must not find one without
        const results = waiting.map((call) => refusal(call, `${message} This call was not run.`));
        return { ...update, jumpTo: "end", messages: [...results, new AIMessage(message)] };
      },
    },
  });
}

/** Under `__proto__` an object that is copied or stored keeps nothing, and one name stands for all tools. */
function keyOf(toolName: string | undefined): string {
  if (toolName === undefined) return ALL;
  return toolName === ALL || toolName === "__proto__" ? `tool ${toolName}` : toolName;
}

/** Not what every object has, such as `constructor`. */
function countOf(counts: Readonly<Record<string, number>>, key: string): number {
  return Object.hasOwn(counts, key) ? (counts[key] as number) : 0;
}

function count(calls: readonly ToolCall[], state: State, key: string, options: ToolCallLimitOptions) {
  const before: Counts = {
    thread: countOf(state.threadToolCallCount, key),
    run: countOf(state.runToolCallCount, key),
  };
  const isBlocked = (_call: ToolCall, at: number): boolean =>
    isOver(options, { thread: before.thread + at + 1, run: before.run + at + 1 });
  const blocked = calls.filter(isBlocked);
  const asked = { thread: before.thread + calls.length, run: before.run + calls.length };
  const ended = options.exitBehavior === "end" && blocked.length > 0;
  const allowed = ended ? 0 : calls.length - blocked.length;
  return {
    blocked,
    counts: { thread: before.thread + allowed, run: asked.run },
    exceeded: blocked.length === 0 ? undefined : asked,
  };
}
