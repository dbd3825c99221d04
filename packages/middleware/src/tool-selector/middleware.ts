import { HumanMessage, SystemMessage, type BaseMessage } from "@langchain/core/messages";
import { createMiddleware, modelResolver, type AgentLanguageModelLike, type AgentTool } from "@skein/agent";
import { isMarkedSummary } from "@skein/context";
import { z } from "zod";
import { requireKnownOptions, type OptionKind } from "@skein/errors";
import { isRecallTool } from "../recall/names.ts";
import { asError } from "../shared/as-error.ts";
import { mustPropagate } from "../shared/backoff.ts";
import { invalidOption, requireModel, requireWhole } from "../shared/checks.ts";
import { internalCall } from "../shared/internal.ts";
import { isNamed, type NamedTool } from "../shared/tools.ts";

const DEFAULT_PROMPT = "Select the tools that help most to answer the user's request.";

/** Options; a run's `context` may set each of them too and goes first. */
export interface LLMToolSelectorOptions {
  /** The model that selects; a small one will do. Default: the agent's. */
  model?: string | AgentLanguageModelLike;
  /** Default: "Select the tools that help most to answer the user's request." */
  systemPrompt?: string;
  /** Most tools, beside those of `alwaysInclude`. Default: no limit. */
  maxTools?: number;
  /** Names of tools that are offered without being asked about. Default: none. */
  alwaysInclude?: string[];
}

const contextSchema = z.object({
  model: z.custom<string | AgentLanguageModelLike>().optional(),
  systemPrompt: z.string().optional(),
  maxTools: z.number().optional(),
  alwaysInclude: z.array(z.string()).optional(),
});

const OPTIONS: Readonly<Record<keyof LLMToolSelectorOptions, OptionKind>> = {
  model: "any",
  systemPrompt: "text",
  maxTools: "number",
  alwaysInclude: "texts",
};

/**
 * Offers the model only the tools that a model selected for the user's last message: for agents with
 * so many tools that their descriptions crowd the prompt. Tools of the provider are always offered.
 *
 * It fails open (E3): if the selection fails or names only tools that there are not, all tools are offered and
 * the custom stream gets `{type: "tool-selection-failure"}`.
 *
 * @throws GraphError INVALID_CONFIGURATION, also from a run when `alwaysInclude` names a tool that is
 *   not there
 *
 * @example
 * createAgent({ model, tools, middleware: [llmToolSelectorMiddleware({ model: small, maxTools: 5 })] });
 */
export function llmToolSelectorMiddleware(options: LLMToolSelectorOptions = {}) {
  requireKnownOptions("llmToolSelectorMiddleware", options, OPTIONS);
  requireWhole("maxTools", options.maxTools, 1);
  requireModel("model", options.model);
  const own = options.model === undefined ? undefined : modelResolver(options.model);
  return createMiddleware({
    name: "LLMToolSelector",
    contextSchema,
    wrapModelCall: async (request, handler) => {
      const { context, signal, writer } = request.runtime;
      requireModel("context.model", context.model);
      requireWhole("context.maxTools", context.maxTools, 1);
      const chosen = { ...options, ...definedOf(context) };
      const tools = split(request.tools, chosen.alwaysInclude ?? []);
      const question = request.messages.findLast(isQuestion);
      if (tools.open.length === 0 || question === undefined) return handler(request);
      let selected: ReadonlySet<string>;
      try {
        const resolve = context.model === undefined ? own : modelResolver(context.model);
        const model = resolve === undefined ? request.model : await resolve();
        selected = await select(model, tools.open, question, chosen, signal);
      } catch (error) {
        if (mustPropagate(error, signal)) throw error;
        writer?.({ type: "tool-selection-failure", message: asError(error).message });
        return handler(request);
      }
      const isOffered = (tool: AgentTool): boolean =>
        !isNamed(tool) || selected.has(tool.name) || tools.always.has(tool.name);
      return handler({ ...request, tools: request.tools.filter(isOffered) });
    },
  });
}

interface Structured {
  withStructuredOutput?: (schema: unknown) => {
    invoke(input: BaseMessage[], config: object): Promise<unknown>;
  };
}

async function select(
  model: AgentLanguageModelLike,
  tools: readonly NamedTool[],
  question: BaseMessage,
  { systemPrompt = DEFAULT_PROMPT, maxTools }: LLMToolSelectorOptions,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const names = tools.map(({ name }) => name);
  const schema = z.object({
    tools: z.array(z.enum(names)).describe("Names of tools, the most useful first"),
  });
  const structured = (model as Structured).withStructuredOutput?.(schema);
  if (structured === undefined)
    throw invalidOption("The model that selects tools has no withStructuredOutput().");
  const answer = await structured.invoke(
    [new SystemMessage(promptOf(systemPrompt, tools, maxTools)), question],
    internalCall("llmToolSelector", signal),
  );
  const { tools: given } = (answer ?? {}) as { tools?: unknown };
  if (!Array.isArray(given)) throw new Error("The selection has no list of tools.");
  const known = [...new Set(given)].filter((name): name is string => names.includes(name as string));
  if (known.length === 0 && given.length > 0) throw new Error("The selection names no tool that there is.");
  return new Set(known.slice(0, maxTools));
}

function promptOf(systemPrompt: string, tools: readonly NamedTool[], maxTools: number | undefined): string {
  const list = tools.map(({ name, description = "" }) => `- ${name}: ${description}`);
  const most = maxTools === undefined ? [] : [`At most ${maxTools} tools: the most useful first.`];
  return [systemPrompt, ...most, `Tools:\n${list.join("\n")}`].join("\n\n");
}

/** A summary that poses as the user's message asks for nothing. */
const isQuestion = (message: BaseMessage): boolean =>
  HumanMessage.isInstance(message) && !isMarkedSummary(message);

function split(
  tools: readonly AgentTool[],
  alwaysInclude: readonly string[],
): { readonly open: readonly NamedTool[]; readonly always: ReadonlySet<string> } {
  const named = tools.filter((tool): tool is NamedTool => isNamed(tool) && "description" in tool);
  // recall takes its tools from users who switched it off, who are not to be without answers for that
  const missing = alwaysInclude.filter(
    (name) => !isRecallTool(name) && !named.some((tool) => tool.name === name),
  );
  if (missing.length > 0) {
    throw invalidOption(`alwaysInclude names tools that are not there: ${missing.join(", ")}.`);
  }
  const always = new Set(alwaysInclude);
  return { open: named.filter((tool) => !always.has(tool.name)), always };
}

function definedOf<T extends object>(given: T): Partial<{ [K in keyof T]: Exclude<T[K], undefined> }> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never;
}
