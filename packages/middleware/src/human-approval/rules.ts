import type { ToolCall } from "@langchain/core/messages/tool";
import type { AgentBuiltInState, Runtime, ToolCallRequest } from "@skein/agent";
import { invalidOption } from "../shared/checks.ts";
import {
  DECISIONS,
  type ActionRequest,
  type InterruptOn,
  type InterruptOnConfig,
  type ReviewConfig,
} from "./types.ts";

/** What `true` allows. `respond` must be asked for, as in LangChain, whose forms do not know it. */
const USUAL: InterruptOnConfig = { allowedDecisions: ["approve", "edit", "reject"] };

/** The rule for a call, or undefined if it runs unasked. */
export async function ruleFor(
  interruptOn: InterruptOn,
  request: ToolCallRequest,
): Promise<InterruptOnConfig | undefined> {
  if (interruptOn === "none") return undefined;
  if (interruptOn === "all") return USUAL;
  const { name } = request.toolCall;
  const given =
    typeof interruptOn === "function"
      ? await interruptOn(request)
      : Object.hasOwn(interruptOn, name) && interruptOn[name];
  if (given === false || given === undefined) return undefined;
  if (given === true) return USUAL;
  requireRule(name, given);
  return given.when === undefined || (await given.when(request)) ? given : undefined;
}

/** @throws GraphError INVALID_CONFIGURATION for what is no rule: it must not pass for "runs unasked" */
export function requireInterruptOn(interruptOn: unknown): asserts interruptOn is InterruptOn {
  if (interruptOn === "none" || interruptOn === "all" || typeof interruptOn === "function") return;
  if (typeof interruptOn !== "object" || interruptOn === null) {
    throw invalidOption('interruptOn must be "none", "all", an object by tool name, or a function.');
  }
  for (const [name, rule] of Object.entries(interruptOn)) {
    if (typeof rule !== "boolean") requireRule(name, rule);
  }
}

function requireRule(name: string, rule: unknown): asserts rule is InterruptOnConfig {
  const allowed = (rule as Partial<InterruptOnConfig> | null | undefined)?.allowedDecisions;
  const good =
    Array.isArray(allowed) && allowed.length > 0 && allowed.every((one) => DECISIONS.includes(one));
  if (good) return;
  throw invalidOption(
    `interruptOn of the tool "${name}" must be true, false, or {allowedDecisions: [...]} with some of ${DECISIONS.join(", ")}.`,
  );
}

/** What a person is shown of a call. */
export async function requestOf(
  call: ToolCall,
  rule: InterruptOnConfig,
  prefix: string,
  state: AgentBuiltInState,
  runtime: Runtime,
): Promise<{ action: ActionRequest; review: ReviewConfig }> {
  const { name, args } = call;
  const { description: given, allowedDecisions, argsSchema } = rule;
  const description =
    typeof given === "function"
      ? await given(call, state, runtime)
      : (given ?? `${prefix}\n\nTool: ${name}\nArgs: ${JSON.stringify(args, null, 2)}`);
  return {
    action: { name, args, description },
    review: { actionName: name, allowedDecisions, ...(argsSchema === undefined ? {} : { argsSchema }) },
  };
}
