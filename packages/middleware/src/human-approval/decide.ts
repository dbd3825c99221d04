import { ToolMessage, type AIMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { withCalls } from "../shared/messages.ts";
import { refusal, type LastTurn } from "../shared/turn.ts";
import type { Action, ActionRequest, Decision, DecisionType, ReviewConfig } from "./types.ts";

/** A call that waits for a person, what they are shown of it, and what they may decide. */
export interface Reviewed {
  readonly call: ToolCall;
  readonly action: ActionRequest;
  readonly config: ReviewConfig;
}

/** What is wrong with a resume value; undefined if it decides every call. */
export function problemOf(answer: unknown, reviewed: readonly Reviewed[]): string | undefined {
  const { decisions, timedOut } = (answer ?? {}) as { decisions?: unknown; timedOut?: unknown };
  if (timedOut === true) return "The question has not expired; resume with {decisions: [...]}.";
  if (!Array.isArray(decisions)) return "Resume with {decisions: [...]}, one for each action request.";
  if (decisions.length !== reviewed.length) {
    return `${reviewed.length} calls wait for a decision and ${decisions.length} were given.`;
  }
  for (const [at, { call, config }] of reviewed.entries()) {
    const problem = problemOfDecision(decisions[at], call.name, config.allowedDecisions);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

export function problemOfDecision(
  decision: unknown,
  tool: string,
  allowed: readonly DecisionType[],
): string | undefined {
  const { type, editedAction, message } = (decision ?? {}) as {
    type?: DecisionType;
    editedAction?: Partial<Action>;
    message?: unknown;
  };
  if (type === undefined || !allowed.includes(type)) {
    return `"${String(type)}" is no decision for the tool "${tool}"; allowed are ${allowed.join(", ")}.`;
  }
  const text = typeof message === "string" || (type !== "respond" && message === undefined);
  if (!text) return `The message of a decision about the tool "${tool}" must be a string.`;
  if (type !== "edit") return undefined;
  const args: unknown = editedAction?.args;
  const good = typeof editedAction?.name === "string" && isRecord(args);
  return good ? undefined : `An edited call of the tool "${tool}" needs editedAction: {name, args}.`;
}

const isRecord = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export interface Decided {
  readonly messages: (AIMessage | ToolMessage)[];
  /** Whether no call is left to run. */
  readonly answered: boolean;
}

/**
 * What decisions change: an edited call changes in the reply, a rejected or answered one gets its
 * result. The other calls of the reply run, also when one was rejected.
 */
export function applyDecisions(
  turn: LastTurn,
  reviewed: readonly Reviewed[],
  decisions: readonly Decision[],
): Decided {
  const edits = new Map<ToolCall, ToolCall>();
  const results: ToolMessage[] = [];
  for (const [at, { call }] of reviewed.entries()) {
    const decision = decisions[at] as Decision;
    if (decision.type === "edit") {
      // the answer is a client's JSON: what else it says of the call, such as an id, is not its to say
      const { name, args } = decision.editedAction;
      edits.set(call, { ...call, name, args });
    }
    const result = resultOf(call, decision);
    if (result !== undefined) results.push(result);
  }
  const calls = (turn.reply.tool_calls ?? []).map((call) => edits.get(call) ?? call);
  const reply = edits.size === 0 ? [] : [withCalls(turn.reply, calls)];
  return { messages: [...reply, ...results], answered: results.length === turn.waiting.length };
}

function resultOf(call: ToolCall, decision: Decision): ToolMessage | undefined {
  if (decision.type === "reject") {
    return refusal(call, decision.message ?? `The user rejected the call of "${call.name}". It was not run.`);
  }
  if (decision.type !== "respond") return undefined;
  const { message } = decision;
  return new ToolMessage({
    content: message,
    tool_call_id: call.id ?? "",
    name: call.name,
    status: "success",
  });
}
