import { GraphError, shown } from "@skein/errors";
import type { TransformerFactory } from "@skein/graph";
import { validateMiddleware } from "../middleware/create-middleware.ts";
import type { CombineStreamTransformers, CombineTools } from "../middleware/infer.ts";
import type { AnyAnnotationRoot, ContextSchemaLike, StateSchemaLike } from "../middleware/schema.ts";
import type { AnyAgentMiddleware } from "../middleware/types.ts";
import { requireUnboundModel } from "../model/bind.ts";
import { isModelLike } from "../model/resolve.ts";
import type { AgentTool } from "../model/request.ts";
import { requireMilliseconds } from "../milliseconds.ts";
import { requirePolicyOf } from "../tools/policy.ts";
import { isClientTool } from "../tools/run-tool.ts";
import type { AgentParts } from "./build-graph.ts";
import { requirePolicy } from "./calls.ts";
import { requireConcurrency } from "./concurrency.ts";
import { requireOnStop } from "./heal.ts";
import { requireLimit } from "./iterations.ts";
import { requireOptions } from "./options.ts";
import type { AgentOptions, AnyCreateAgentParams, CreateAgentParams } from "./params.ts";
import { ReactAgent } from "./react-agent.ts";
import type { ResponseFormatInput, ResponseOf } from "../response/format.ts";
import type { AgentTypeConfig } from "./types.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- the response is any object
type AnyAgentParams = CreateAgentParams<Record<string, any>, StateSchemaLike | undefined, ContextSchemaLike>;

/**
 * Makes an agent: a model that calls tools until it has a final answer, with middleware around it
 * and a complete history beside the model's context.
 *
 * `messages` is what the model sees; whatever is written there also reaches `full_messages`, which
 * is never compacted. A tool that does not exist or throws is answered with an error that the model
 * sees. Parallel calls run at the same time, their results stand in the order of the calls.
 *
 * @throws GraphError INVALID_CONFIGURATION for a model, tool or limit that can not be used;
 *   INVALID_MIDDLEWARE for a middleware that can not be, or two of one name.
 *
 * @example
 * const agent = createAgent({ model, tools: [search], checkpointer: new MemorySaver() });
 * const { messages } = await agent.invoke(
 *   { messages: "What changed?" },
 *   { configurable: { thread_id: "1" } },
 * );
 */
export function createAgent<
  TSchema extends StateSchemaLike | undefined = undefined,
  TContextSchema extends ContextSchemaLike = AnyAnnotationRoot,
  const TMiddleware extends readonly AnyAgentMiddleware[] = readonly [],
  const TTools extends readonly AgentTool[] = readonly AgentTool[],
  const TTransformers extends readonly TransformerFactory[] = readonly [],
  TFormat extends ResponseFormatInput | undefined = undefined,
>(
  params: AgentOptions<TSchema, TContextSchema, TFormat> & {
    middleware?: TMiddleware;
    tools?: TTools;
    streamTransformers?: TTransformers;
  },
): ReactAgent<
  AgentTypeConfig<
    ResponseOf<TFormat>,
    TSchema,
    TContextSchema,
    TMiddleware,
    CombineTools<TTools, TMiddleware>,
    CombineStreamTransformers<TTransformers, TMiddleware>
  >
>;
/** An agent of which nothing is known, as programs write `ReturnType<typeof createAgent>`. */
export function createAgent(params: AnyAgentParams): ReactAgent;
export function createAgent(params: AnyAgentParams): ReactAgent {
  return ReactAgent.of(checkedParts(params as AnyCreateAgentParams));
}

function checkedParts(params: AnyCreateAgentParams): AgentParts {
  requireModel((params as Partial<AnyCreateAgentParams> | null | undefined)?.model);
  requireOptions(params);
  requireLimit("maxIterations", params.maxIterations);
  requireConcurrency(params.maxConcurrency);
  requireInline(params.includeAgentName);
  requirePolicy(params.onBusy);
  requireOnStop(params.onStop);
  requireMilliseconds(params.toolTimeoutMs, "toolTimeoutMs");
  requireMilliseconds(params.openTurnTimeoutMs, "openTurnTimeoutMs");
  requireList("middleware", params.middleware);
  requireList("tools", params.tools);
  requireList("streamTransformers", params.streamTransformers);
  const middleware = params.middleware ?? [];
  const names = new Set<string>();
  for (const one of middleware) {
    validateMiddleware(one);
    if (names.has(one.name)) {
      throw new GraphError(
        "INVALID_MIDDLEWARE",
        `Two middleware are named "${one.name}". Names are parts of node names: give each its own.`,
        { details: { middleware: one.name } },
      );
    }
    names.add(one.name);
  }
  // a model is told of a tool once, whoever brings it
  const tools = [...new Set([...(params.tools ?? []), ...middleware.flatMap((one) => one.tools ?? [])])];
  requireTools(tools);
  return { params, middleware, tools };
}

function requireModel(model: unknown): asserts model is AnyCreateAgentParams["model"] {
  if (!isModelLike(model)) {
    throw new GraphError(
      "INVALID_CONFIGURATION",
      'createAgent needs a `model`: a chat model, or the name of one such as "openai:gpt-5".',
    );
  }
  if (typeof model !== "string") requireUnboundModel(model);
}

function requireList(option: string, list: unknown): void {
  if (list === undefined || list === null || Array.isArray(list)) return;
  throw new GraphError("INVALID_CONFIGURATION", `createAgent takes its ${option} as a list.`);
}

function requireInline(includeAgentName: unknown): void {
  if (includeAgentName === undefined || includeAgentName === "inline") return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `includeAgentName must be "inline" or left out, not ${shown(includeAgentName)}.`,
  );
}

/** The model calls tools by name, so a name must mean one tool. */
function requireTools(tools: readonly AgentTool[]): void {
  const known = new Map<string, AgentTool>();
  for (const tool of tools) {
    if (typeof tool !== "object" || tool === null) {
      throw new GraphError("INVALID_CONFIGURATION", `A tool is ${String(tool)}; make tools with tool().`);
    }
    if (!isClientTool(tool)) continue;
    requirePolicyOf(tool, tool.name);
    const other = known.get(tool.name);
    if (other !== undefined && other !== tool) {
      throw new GraphError(
        "INVALID_CONFIGURATION",
        `Two tools are named "${tool.name}". The model calls tools by name: give each its own.`,
        { details: { tool: tool.name } },
      );
    }
    known.set(tool.name, tool);
  }
}
