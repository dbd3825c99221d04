import type { ToolCall } from "@langchain/core/messages/tool";
import type { Runtime } from "@skein/agent";
import { argumentsText } from "@skein/context";
import type { Reviewed } from "./decide.ts";
import type { Action, HITLRequest } from "./types.ts";

/** Under which a node's `configurable` has its task in `@skein/graph`. LangGraph's tasks know their answers only. */
const TASK = Symbol.for("skein.task");
/** The key of what tasks ask, among what is stored under a checkpoint. */
const INTERRUPT = "__interrupt__";

interface RunningTask {
  readonly task: { readonly id: string };
  readonly scope: { readonly inherited: { readonly run?: { readonly pending: readonly Pending[] } } };
}
type Pending = readonly [task: string, key: string, value: unknown];

/**
 * What the hook asked when it ran before, in whichever process: its task waits since then, and stores it.
 * Rules may say something else by now, since they look at the run's context and at the world.
 */
export function askedBefore({ configurable }: Runtime): HITLRequest | undefined {
  const running = (configurable as { readonly [TASK]?: RunningTask } | undefined)?.[TASK];
  const pending = running?.scope.inherited.run?.pending ?? [];
  const stored = pending.find(([task, key]) => task === running?.task.id && key === INTERRUPT)?.[2];
  const question = (stored as { readonly value?: unknown } | undefined)?.value;
  return isRequest(question) ? question : undefined;
}

/** A rule may have asked something of its own. */
function isRequest(value: unknown): value is HITLRequest {
  const { actionRequests: actions, reviewConfigs: configs } = (value ?? {}) as Partial<HITLRequest>;
  return Array.isArray(actions) && Array.isArray(configs) && actions.length === configs.length;
}

/** The calls that a question is about. Undefined where nobody can tell: they were edited, or others are alike. */
export function callsOf(
  { actionRequests, reviewConfigs }: HITLRequest,
  waiting: readonly ToolCall[],
): ReadonlyMap<ToolCall, Reviewed> | undefined {
  const texts = actionRequests.map(textOf);
  const calls = waiting.filter((call) => texts.includes(textOf(call)));
  if (calls.length !== texts.length) return undefined;
  const asked = new Map<ToolCall, Reviewed>();
  for (const [at, call] of calls.entries()) {
    const [action, config] = [actionRequests[at], reviewConfigs[at]];
    if (action === undefined || config === undefined || textOf(call) !== texts[at]) return undefined;
    asked.set(call, { call, action, config });
  }
  return asked;
}

const textOf = ({ name, args }: Action): string => `${name} ${argumentsText(args)}`;
