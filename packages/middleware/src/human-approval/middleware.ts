import { AIMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { createMiddleware, type AgentBuiltInState, type Runtime } from "@skein/agent";
import { timestampOf } from "@skein/context";
import { GraphError, requireKnownOptions, type OptionKind } from "@skein/errors";
import { z } from "zod";
import { invalidOption, requireAmount } from "../shared/checks.ts";
import { withKwargs } from "../shared/messages.ts";
import { turnToRun } from "../shared/turn.ts";
import { askedBefore, callsOf } from "./asked.ts";
import { applyDecisions, problemOf, problemOfDecision, type Reviewed } from "./decide.ts";
import { requestOf, requireInterruptOn, ruleFor, USUAL } from "./rules.ts";
import {
  DECISIONS,
  type ApprovalTimeout,
  type Decision,
  type HITLRequest,
  type HumanInTheLoopOptions,
  type InterruptOn,
} from "./types.ts";

const contextSchema = z.object({
  interruptOn: z.custom<InterruptOn>().optional(),
  descriptionPrefix: z.string().optional(),
});

const OPTIONS: Readonly<Record<keyof HumanInTheLoopOptions, OptionKind>> = {
  interruptOn: "any",
  descriptionPrefix: "text",
  timeout: "any",
};

/**
 * Asks a person before tools run. All calls of a reply that need an answer stand in one interrupt;
 * resume the run with `{decisions: [...]}`, one for each, in any process.
 *
 * It fails closed (E3): a rule that throws ends the run; an answer with a missing decision, or with one
 * that is not allowed, runs nothing and the question is asked again, with `error`.
 *
 * @throws GraphError INVALID_CONFIGURATION for rules or a timeout that can't be
 *
 * @example
 * createAgent({
 *   model,
 *   tools: [search, sendMail],
 *   checkpointer: new MemorySaver(),
 *   middleware: [humanInTheLoopMiddleware({ interruptOn: { sendMail: true } })],
 * });
 */
export function humanInTheLoopMiddleware(options: HumanInTheLoopOptions = {}) {
  requireKnownOptions("humanInTheLoopMiddleware", options, OPTIONS);
  requireInterruptOn(options.interruptOn === undefined ? "none" : options.interruptOn);
  const { timeout } = options;
  if (timeout !== undefined) requireTimeout(timeout);
  return createMiddleware({
    name: "HumanInTheLoopMiddleware",
    contextSchema,
    wrapModelCall:
      timeout === undefined
        ? undefined
        : async (request, handler) => {
            const reply = await handler(request);
            // a question's time runs from the reply on, across processes: it must be saved with it
            if (!AIMessage.isInstance(reply) || timestampOf(reply) !== undefined) return reply;
            return withKwargs(reply, { timestamp: Date.now() });
          },
    afterModel: { canJumpTo: ["model"], hook: (state, runtime) => review(state, runtime, options) },
  });
}

async function review(
  state: AgentBuiltInState,
  runtime: Runtime<z.output<typeof contextSchema>>,
  options: HumanInTheLoopOptions,
) {
  const turn = turnToRun(state.messages, runtime);
  if (turn === undefined) return undefined;
  const { interruptOn = options.interruptOn ?? "none" } = runtime.context;
  requireInterruptOn(interruptOn);
  const prefix =
    runtime.context.descriptionPrefix ?? options.descriptionPrefix ?? "Tool execution requires approval";
  const ruled = new Map<ToolCall, Reviewed>();
  for (const call of turn.waiting) {
    const rule = await ruleFor(interruptOn, { toolCall: call, tool: undefined, state, runtime });
    if (rule !== undefined) ruled.set(call, await requestOf(call, rule, prefix, state, runtime));
  }
  const unruled = (call: ToolCall) => requestOf(call, USUAL, prefix, state, runtime);
  const reviewed = await reviewedOf(turn.waiting, ruled, askedBefore(runtime), unruled);
  if (reviewed.length === 0) return undefined;
  const question: HITLRequest = {
    actionRequests: reviewed.map(({ action }) => action),
    reviewConfigs: reviewed.map(({ config }) => config),
  };
  if (options.timeout !== undefined) question.expiresAt = askedAt(turn.reply) + options.timeout.after;
  const decisions = ask(question, reviewed, runtime, options.timeout);
  const { messages, answered } = applyDecisions(turn, reviewed, decisions);
  if (messages.length === 0) return undefined;
  return { messages, ...(answered ? { jumpTo: "model" as const } : {}) };
}

/**
 * The calls that are asked about, in their order. What was asked is asked until it is answered: an
 * answer is for what the person saw, also where no rule asks any more. What rules ask by now stands beside it,
 * never in its place: so answers to an earlier question have too few decisions for a later one.
 *
 * @param ruled - what the rules ask about
 * @param asked - the question that waits, if one does
 */
async function reviewedOf(
  waiting: readonly ToolCall[],
  ruled: ReadonlyMap<ToolCall, Reviewed>,
  asked: HITLRequest | undefined,
  unruled: (call: ToolCall) => Promise<Reviewed>,
): Promise<readonly Reviewed[]> {
  const known = asked && callsOf(asked, waiting);
  const isUnknown = asked !== undefined && known === undefined;
  // the calls were edited with the answer: it decides those that stand for them, or all are asked about
  const asksAll = isUnknown && asked.actionRequests.length !== ruled.size;
  const reviewed: Reviewed[] = [];
  for (const call of waiting) {
    const request = known?.get(call) ?? ruled.get(call) ?? (asksAll ? await unruled(call) : undefined);
    if (request !== undefined) reviewed.push(request);
  }
  return reviewed;
}

function ask(
  question: HITLRequest,
  reviewed: readonly Reviewed[],
  { interrupt, writer }: Runtime,
  timeout: ApprovalTimeout | undefined,
): readonly Decision[] {
  if (interrupt === undefined) {
    throw new GraphError("OUTSIDE_RUN", "Human approval can only ask inside of a run of an agent.");
  }
  const { expiresAt } = question;
  const isOver = (): boolean => expiresAt !== undefined && Date.now() >= expiresAt;
  let answer = interrupt(question);
  // a run that failed on a wrong answer would get the same answer for ever: it is saved with the thread
  for (let error = problemOf(answer, reviewed); error !== undefined && !isOver();) {
    answer = interrupt({ ...question, error });
    error = problemOf(answer, reviewed);
  }
  if (timeout === undefined || !isOver()) return (answer as { decisions: Decision[] }).decisions;
  const decision = timeout.policy ?? rejectedByTimeout(timeout);
  writer?.({ type: "approval-timeout", expiresAt, decision: decision.type, calls: reviewed.length });
  return reviewed.map(() => decision);
}

function rejectedByTimeout({ after }: ApprovalTimeout): Decision {
  return {
    type: "reject",
    message: `Nobody approved this call within ${Math.round(after / 1000)} seconds. It was not run.`,
  };
}

function askedAt(reply: AIMessage): number {
  const time = timestampOf(reply);
  if (time !== undefined) return time;
  throw new GraphError(
    "INVALID_MIDDLEWARE",
    "Human approval has a timeout, but the model's reply lost its timestamp. Put humanInTheLoopMiddleware before middleware that replaces replies.",
  );
}

const TIMEOUT: Readonly<Record<keyof ApprovalTimeout, OptionKind>> = { after: "number", policy: "any" };
const POLICY = { type: "any", message: "any", editedAction: "any" } as const;

/** An edit would give every call the same arguments, so it can't be a policy. */
function requireTimeout(timeout: ApprovalTimeout): void {
  requireKnownOptions("timeout", timeout, TIMEOUT);
  const { after, policy } = timeout;
  requireAmount("timeout.after", after);
  if (policy === undefined) return;
  requireKnownOptions("timeout.policy", policy, POLICY);
  const problem = problemOfDecision(
    policy,
    "any",
    DECISIONS.filter((type) => type !== "edit"),
  );
  if (problem !== undefined) throw invalidOption(`timeout.policy is no policy: ${problem}`);
}
