import type { ToolCall } from "@langchain/core/messages/tool";
import type { AgentBuiltInState, Runtime, ToolCallRequest } from "@skein/agent";
import { argumentsText } from "@skein/context";
import { requireKnownOptions, shown, type OptionKind } from "@skein/errors";
import { invalidOption } from "../shared/checks.ts";
import type { Reviewed } from "./decide.ts";
import { DECISIONS, type InterruptOn, type InterruptOnConfig } from "./types.ts";

/** What `true` allows. `respond` must be asked for, as in LangChain, whose forms do not know it. */
export const USUAL: InterruptOnConfig = { allowedDecisions: ["approve", "edit", "reject"] };

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
  if (given === false) return undefined;
  if (given === true) return USUAL;
  requireRule(name, given);
  const asks: unknown = given.when === undefined ? true : await given.when(request);
  if (typeof asks === "boolean") return asks ? given : undefined;
  throw invalidOption(
    `when of interruptOn of the tool "${name}" must say true or false, not ${shown(asks)}.`,
  );
}

/** @throws GraphError INVALID_CONFIGURATION for what is no rule: it must not pass for "runs unasked" */
export function requireInterruptOn(interruptOn: unknown): asserts interruptOn is InterruptOn {
  if (interruptOn === "none" || interruptOn === "all" || typeof interruptOn === "function") return;
  if (!isPlain(interruptOn)) {
    throw invalidOption(
      `interruptOn must be "none", "all", a plain object by tool name, or a function, not ${shown(interruptOn)}. Lists, Maps, instances of classes and what is inherited hold no rules.`,
    );
  }
  for (const [name, rule] of Object.entries(interruptOn)) {
    if (typeof rule !== "boolean") requireRule(name, rule);
  }
}

/** Whether all rules that an object has would be found in it. */
function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const above: unknown = Object.getPrototypeOf(value);
  // the prototype of another realm's objects is another one, and has none either
  if (above !== null && Object.getPrototypeOf(above) !== null) return false;
  for (const key in value) if (!Object.hasOwn(value, key)) return false;
  return Object.getOwnPropertySymbols(value).length === 0;
}

const RULE: Readonly<Record<keyof InterruptOnConfig, OptionKind>> = {
  allowedDecisions: "any",
  description: "any",
  argsSchema: "object",
  when: "function",
};

function requireRule(name: string, rule: unknown): asserts rule is InterruptOnConfig {
  const { allowedDecisions: allowed, description } = (rule ?? {}) as Partial<InterruptOnConfig>;
  const good =
    Array.isArray(allowed) && allowed.length > 0 && allowed.every((one) => DECISIONS.includes(one));
  if (!good) {
    throw invalidOption(
      `interruptOn of the tool "${name}" must be true, false, or {allowedDecisions: [...]} with some of ${DECISIONS.join(", ")}.`,
    );
  }
  requireKnownOptions(`interruptOn of the tool "${name}"`, rule as InterruptOnConfig, RULE);
  if (description === undefined || typeof description === "string" || typeof description === "function")
    return;
  throw invalidOption(
    `description of interruptOn of the tool "${name}" must be a text or a function, not ${shown(description)}.`,
  );
}

/** What a person is shown of a call. */
export async function requestOf(
  call: ToolCall,
  rule: InterruptOnConfig,
  prefix: string,
  state: AgentBuiltInState,
  runtime: Runtime,
): Promise<Reviewed> {
  const { name, args } = call;
  const { description: given, allowedDecisions, argsSchema } = rule;
  const description: unknown =
    typeof given === "function"
      ? await given(call, state, runtime)
      : (given ?? `${prefix}\n\nTool: ${name}\nArgs: ${argumentsText(args, 2)}`);
  if (typeof description !== "string") {
    throw invalidOption(
      `description of interruptOn of the tool "${name}" must return a text, not ${shown(description)}.`,
    );
  }
  return {
    call,
    action: { name, args, description },
    config: { actionName: name, allowedDecisions, ...(argsSchema === undefined ? {} : { argsSchema }) },
  };
}
