import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { createMiddleware, type AgentBuiltInState, type Runtime } from "@skein/agent";
import { z } from "zod";
import { requireKnownOptions, type OptionKind } from "@skein/errors";
import { requireChoice, requireWhole } from "../shared/checks.ts";
import { lastTurn } from "../shared/turn.ts";
import { NOTHING, repeatedFailure, watchTurn, type Watch } from "./watch.ts";

const WHEN_STUCK = ["ask", "stop"] as const;

export interface LoopGuardOptions {
  /** The same call with the same arguments failed so often: the model is told. Default: 3. */
  identicalFailures?: number;
  /** So many calls failed one after the other: the user is asked. Default: 5. */
  consecutiveFailures?: number;
  /** So many of the last `window` calls failed: the run ends. Default: 8. */
  errors?: number;
  /** Newest calls of which `errors` may fail. Default: 10. */
  window?: number;
  /** `"ask"` (default): an interrupt, which needs a checkpointer. `"stop"`: the run ends instead. */
  onStuck?: (typeof WHEN_STUCK)[number];
}

/** The interrupt's value. Resume with `"stop"`, with `"continue"`, or with advice for the model. */
export interface LoopGuardQuestion {
  type: "loop-guard";
  question: string;
  failures: number;
  /** What the last tool said. */
  lastError: string;
}

const stateSchema = z.object({
  // custom: a parsed copy would be a write of its own every time
  _loopGuard: z.custom<Watch>().default(() => NOTHING),
});

const OPTIONS: Readonly<Record<keyof LoopGuardOptions, OptionKind>> = {
  identicalFailures: "number",
  consecutiveFailures: "number",
  errors: "number",
  window: "number",
  onStuck: "text",
};

/**
 * Ends loops of failing tool calls: tells the model that it repeats itself, then asks the user, then
 * stops. Counts begin anew with every run; a run that was interrupted goes on with its counts.
 *
 * @throws GraphError INVALID_CONFIGURATION
 *
 * @example
 * createAgent({ model, tools, checkpointer, middleware: [loopGuardMiddleware()] });
 */
export function loopGuardMiddleware(options: LoopGuardOptions = {}) {
  requireKnownOptions("loopGuardMiddleware", options, OPTIONS);
  const {
    identicalFailures = 3,
    consecutiveFailures = 5,
    errors = 8,
    window = 10,
    onStuck = "ask",
  } = options;
  requireWhole("identicalFailures", identicalFailures, 1);
  requireWhole("consecutiveFailures", consecutiveFailures, 1);
  requireWhole("errors", errors, 1);
  requireWhole("window", window, errors);
  requireChoice("onStuck", onStuck, WHEN_STUCK);
  const memory = Math.max(window, identicalFailures);
  return createMiddleware({
    name: "LoopGuardMiddleware",
    stateSchema,
    beforeAgent: ({ _loopGuard }) => (_loopGuard === NOTHING ? undefined : { _loopGuard: NOTHING }),
    beforeModel: {
      canJumpTo: ["end"],
      hook: (state, runtime) => {
        const turn = lastTurn(state.messages);
        const before = state._loopGuard;
        const isNew = turn !== undefined && turn.waiting.length === 0 && turn.reply.id !== before.reply;
        if (!isNew) return undefined;
        const watch = watchTurn(before, turn, memory);
        const failed = watch.outcomes.slice(-window).filter((outcome) => outcome.failed).length;
        if (failed >= errors) return stop(watch, `${failed} of the last ${window} tool calls failed`);
        if (watch.failures >= consecutiveFailures) {
          const why = `${watch.failures} tool calls failed one after the other`;
          return onStuck === "stop" ? stop(watch, why) : ask(watch, why, state, runtime);
        }
        const { key, times } = repeatedFailure(watch, turn.reply.tool_calls?.length ?? 0);
        if (times < identicalFailures) return { _loopGuard: watch };
        runtime.writer?.({ type: "loop-guard-alert", times });
        return { _loopGuard: { ...watch, alert: alertOf(key, times) } };
      },
    },
    wrapModelCall: (request, handler) => {
      const { alert } = request.state._loopGuard;
      // for this call only: it is no part of the conversation
      return alert === null
        ? handler(request)
        : handler({ ...request, messages: [...request.messages, new HumanMessage(alert)] });
    },
  });
}

function stop(watch: Watch, why: string) {
  return { _loopGuard: watch, jumpTo: "end" as const, messages: [new AIMessage(`Stopped: ${why}.`)] };
}

function ask(watch: Watch, why: string, { messages }: AgentBuiltInState, { interrupt }: Runtime) {
  const question: LoopGuardQuestion = {
    type: "loop-guard",
    question: `${why}. Stop, go on, or tell the model what to do?`,
    failures: watch.failures,
    lastError: messages.at(-1)?.text ?? "",
  };
  const answer = interrupt?.(question) ?? "stop";
  if (answer === "stop") return stop(watch, why);
  const advice = typeof answer === "string" && answer !== "continue" && answer !== "";
  return {
    _loopGuard: { ...watch, failures: 0 },
    ...(advice ? { messages: [new HumanMessage(answer)] } : {}),
  };
}

function alertOf(key: string, times: number): string {
  const shown = key.length > 300 ? `${key.slice(0, 300)}...` : key;
  return `[loop guard] The call ${shown} failed ${times} times with the same arguments. Do not repeat it. Read the errors, change the arguments or the approach, or tell the user what is in the way.`;
}
