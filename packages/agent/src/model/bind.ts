import { RunnableBinding, RunnableSequence, type Runnable } from "@langchain/core/runnables";
import { GraphError } from "@skein/errors";
import { MultipleToolsBoundError } from "../errors.ts";
import type { ReadFormat } from "../response/format.ts";
import type { AgentLanguageModelLike, AgentTool, ModelRequest } from "./request.ts";

interface ToolBinding {
  bindTools(tools: readonly AgentTool[], settings: Record<string, unknown>): AgentLanguageModelLike;
}

export type Bound = Pick<AgentLanguageModelLike, "invoke">;

/**
 * Binds a request's tools to its model. Binding converts every tool's schema, so the last binding
 * of each model is kept for as long as a request asks for the same one.
 */
export function bindModel(): (request: ModelRequest, format: ReadFormat | undefined) => Bound {
  const last = new WeakMap<AgentLanguageModelLike, Binding & { bound: Bound }>();
  return ({ model, tools, toolChoice, modelSettings }, format) => {
    // not the request itself, which would keep its messages alive
    const binding: Binding = { tools, toolChoice, modelSettings, format };
    const known = last.get(model);
    if (known !== undefined && sameBinding(known, binding)) return known.bound;
    // a wrap may have put another model in its place
    requireUnboundModel(model);
    const bound = bind(model, [...tools, ...responseTools(format)], settingsOf(binding));
    last.set(model, { ...binding, bound });
    return bound;
  };
}

type Binding = Pick<ModelRequest, "tools" | "toolChoice" | "modelSettings"> & {
  readonly format: ReadFormat | undefined;
};

function sameBinding(a: Binding, b: Binding): boolean {
  return (
    a.tools === b.tools &&
    a.toolChoice === b.toolChoice &&
    a.modelSettings === b.modelSettings &&
    a.format === b.format
  );
}

/** The tools that a model gives its structured response with. */
export function responseTools(format: ReadFormat | undefined): AgentTool[] {
  return format?.kind === "tool" ? [...format.tools.values()].map(({ tool }) => ({ ...tool })) : [];
}

function settingsOf({ toolChoice, modelSettings, format }: Binding): Record<string, unknown> {
  // one of the tools must be called, or there would be no response
  const choice = toolChoice ?? (format?.kind === "tool" ? "any" : undefined);
  return {
    ...(format?.kind === "provider" ? nativeSettings(format.strategy, modelSettings) : {}),
    ...modelSettings,
    ...(choice === undefined ? {} : { tool_choice: choice }),
  };
}

/** The same schema under the names that OpenAI, Anthropic, Google and LangSmith have for it. */
function nativeSettings(
  { schema, strict }: Extract<ReadFormat, { kind: "provider" }>["strategy"],
  settings: Record<string, unknown> | undefined,
): Record<string, unknown> {
  const { name, description } = schema;
  const json_schema = {
    name: name ?? "extract",
    ...(description === undefined ? {} : { description }),
    schema,
    strict: settings?.["strict"] ?? strict,
  };
  return {
    response_format: { type: "json_schema", json_schema },
    outputConfig: { format: { type: "json_schema", schema } },
    responseSchema: schema,
    ls_structured_output_format: { kwargs: { method: "json_schema" }, schema },
  };
}

function bind(
  model: AgentLanguageModelLike,
  tools: readonly AgentTool[],
  settings: Record<string, unknown>,
): AgentLanguageModelLike {
  const nothing = tools.length === 0 && Object.keys(settings).length === 0;
  if (nothing) return model;
  if (canBind(model)) return model.bindTools(tools, settings);
  if (RunnableBinding.isRunnableBinding(model)) {
    const bound = bind(model.bound as AgentLanguageModelLike, tools, settings);
    // a copy of its class: one that tries again, as `withRetry` makes it, must go on to do so
    const copy = Object.create(Object.getPrototypeOf(model) as object) as AgentLanguageModelLike;
    return Object.assign(copy, model, { bound });
  }
  if (RunnableSequence.isRunnableSequence(model)) {
    const steps = [...model.steps] as AgentLanguageModelLike[];
    const at = steps.findIndex(leadsToModel);
    const step = steps[at];
    if (step !== undefined) {
      steps[at] = bind(step, tools, settings);
      return RunnableSequence.from(steps as never, model.name) as AgentLanguageModelLike;
    }
  }
  throw new GraphError(
    "INVALID_CONFIGURATION",
    "The agent has tools or a response format, but its model has no bindTools(), so it can not be told of them. Use a chat model that supports tool calls.",
  );
}

/** Whether a step of a sequence is a model, or has one within it. */
function leadsToModel(step: unknown): boolean {
  if (RunnableBinding.isRunnableBinding(step)) return leadsToModel(step.bound);
  return RunnableSequence.isRunnableSequence(step) ? step.steps.some(leadsToModel) : canBind(step);
}

function canBind(model: unknown): model is ToolBinding {
  return typeof (model as Partial<ToolBinding>).bindTools === "function";
}

/** Refuses a model that tools were bound to before: the agent binds its own. */
export function requireUnboundModel(model: AgentLanguageModelLike): void {
  if (RunnableSequence.isRunnableSequence(model)) {
    for (const step of model.steps) requireUnboundModel(step as AgentLanguageModelLike);
    return;
  }
  const isBinding = RunnableBinding.isRunnableBinding(model);
  const { kwargs, config, bound } = model as RunnableBinding<unknown, unknown> & { kwargs?: unknown };
  for (const source of isBinding ? [kwargs, config] : [model]) {
    const tools = (source as { tools?: unknown } | null | undefined)?.tools;
    if (Array.isArray(tools) && tools.length > 0) {
      throw new MultipleToolsBoundError();
    }
  }
  if (isBinding) requireUnboundModel(bound as Runnable as AgentLanguageModelLike);
}
