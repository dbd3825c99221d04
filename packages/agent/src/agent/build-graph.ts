import type { SystemMessage } from "@langchain/core/messages";
import {
  END,
  getCurrentState,
  LastValue,
  START,
  StateGraph,
  type StateSchema,
  type StateSchemaFields,
} from "@skein/graph";
import { tracks } from "../messages/dual-track.ts";
import type { AnyAgentMiddleware } from "../middleware/types.ts";
import { responseTools } from "../model/bind.ts";
import { modelChain } from "../model/call.ts";
import type { AgentTool } from "../model/request.ts";
import { agentModel } from "../model/resolve.ts";
import { modelWindow } from "../model/window.ts";
import { isEmptyPrompt, toSystemMessage } from "../model/system-message.ts";
import { formatReader, type FormatReader } from "../response/format.ts";
import type { AgentPrompt, JumpToTarget } from "../runtime.ts";
import { toolCaller } from "../tools/call.ts";
import { toolsNode } from "../tools/node.ts";
import { serialTools } from "../tools/policy.ts";
import { isClientTool } from "../tools/run-tool.ts";
import { closingOpenCalls } from "./closing.ts";
import type { StateChannels } from "./finished.ts";
import { hookNodes, type HookNode } from "./hooks.ts";
import { ITERATIONS_KEY, type Iterations } from "./iterations.ts";
import { modelNode } from "./model-node.ts";
import type { AnyCreateAgentParams } from "./params.ts";
import {
  afterCall,
  afterModel,
  afterTools,
  jumpOr,
  MODEL_NODE,
  TOOLS_NODE,
  type RoutedState,
  type Stations,
} from "./routes.ts";
import { agentSchemas, RESPONSE_KEY } from "./state.ts";

/** What the agent is made of, once its parameters are checked. */
export interface AgentParts {
  readonly params: AnyCreateAgentParams;
  readonly middleware: readonly AnyAgentMiddleware[];
  /** Those of the agent, then those of its middleware. */
  readonly tools: readonly AgentTool[];
}

interface Hooks {
  readonly beforeAgent: readonly HookNode[];
  readonly beforeModel: readonly HookNode[];
  readonly afterModel: readonly HookNode[];
  readonly afterAgent: readonly HookNode[];
}

/** The graph's own types know nothing of the agent's schema; the agent's do. */
type AnyStateGraph = StateGraph<StateSchema, RoutedState, Record<string, unknown>, string>;

/**
 * The loop of an agent as a graph: before hooks, model, after hooks, tools, and round again. A hook
 * that is absent has no node. Names of nodes are LangChain's.
 */
export function buildGraph(parts: AgentParts): AnyStateGraph {
  const { params, middleware } = parts;
  const systemMessage = toSystemMessage(params.systemPrompt);
  const formatOf = formatReader();
  // read now: a format that can not be used is found when the agent is made
  const format = formatOf(params.responseFormat, typeof params.model === "string" ? undefined : params.model);
  const window = modelWindow(params.model);
  const prompt: AgentPrompt = {
    tools: format?.kind === "tool" ? [...parts.tools, ...responseTools(format)] : parts.tools,
    ...(isEmptyPrompt(systemMessage) ? {} : { systemMessage }),
    ...(window === undefined ? {} : { window }),
  };
  const { state, input, output } = agentSchemas(
    params.stateSchema,
    middleware,
    extraFields(parts),
    params.now,
  );
  const facts = {
    prompt,
    returnDirect: directTools(parts.tools),
    context: { restore: params.restore ?? "rebuild", configurations: configurationsOf(parts) },
    channels: () => new Map(Object.entries(state.getChannels())),
  };
  const hooks: Hooks = {
    beforeAgent: hookNodes(middleware, "beforeAgent", facts),
    beforeModel: hookNodes(middleware, "beforeModel", facts),
    afterModel: hookNodes(middleware, "afterModel", facts),
    afterAgent: hookNodes(middleware, "afterAgent", facts),
  };
  const stations = stationsOf(parts, hooks, facts.returnDirect);
  const graph: AnyStateGraph = new StateGraph({ state, input, output, context: params.contextSchema });
  addNodes(graph, parts, { hooks, stations, systemMessage, formatOf, channels: facts.channels });
  addEdges(graph, hooks, stations);
  return graph;
}

/** How the middleware that shapes the context is configured, by name. */
function configurationsOf({ middleware }: AgentParts): Readonly<Record<string, string>> {
  const entries = middleware.flatMap(({ name, contextConfiguration: made }) =>
    made === undefined ? [] : [[name, made] as const],
  );
  return Object.fromEntries(entries);
}

/** Names of the tools whose results end the run. */
function directTools(tools: readonly AgentTool[]): ReadonlySet<string> {
  const direct = tools
    .filter(isClientTool)
    .filter((tool) => (tool as { returnDirect?: unknown }).returnDirect === true);
  return new Set(direct.map((tool) => tool.name));
}

function stationsOf(
  { params, middleware, tools }: AgentParts,
  hooks: Hooks,
  returnDirect: ReadonlySet<string>,
): Stations {
  const client = tools.filter(isClientTool);
  return {
    loop: hooks.beforeModel[0]?.name ?? MODEL_NODE,
    exit: hooks.afterAgent.at(-1)?.name ?? END,
    hasTools: client.length > 0 || middleware.some((one) => one.wrapToolCall !== undefined),
    returnDirect,
    serial: serialTools(tools),
    oneTask: params.version === "v1",
    isLimited: params.maxIterations !== undefined,
  };
}

/** Keys that the agent needs for options that it was given. */
function extraFields({ params, middleware }: AgentParts): StateSchemaFields {
  const mayAnswer =
    params.responseFormat !== undefined || middleware.some((one) => one.wrapModelCall !== undefined);
  return {
    ...(params.checkpointer === true ? { messages: tracks(params.now, closingOpenCalls).messages } : {}),
    ...(params.maxIterations === undefined ? {} : { [ITERATIONS_KEY]: new LastValue<Iterations>() }),
    ...(mayAnswer ? { [RESPONSE_KEY]: new LastValue() } : {}),
  };
}

interface Fittings {
  readonly hooks: Hooks;
  readonly stations: Stations;
  readonly systemMessage: SystemMessage;
  readonly formatOf: FormatReader;
  readonly channels: () => StateChannels;
}

function addNodes(graph: AnyStateGraph, parts: AgentParts, fittings: Fittings): void {
  const { params, middleware, tools } = parts;
  const { hooks, stations, systemMessage, formatOf, channels } = fittings;
  for (const node of Object.values(hooks).flat()) graph.addNode(node.name, node.run);
  const model = modelNode({
    chain: modelChain({
      middleware,
      tools,
      agentName: params.name,
      includeAgentName: params.includeAgentName,
      formatOf,
      agent: parts,
    }),
    model: agentModel(params.model),
    tools,
    systemMessage,
    returnDirect: stations.returnDirect,
    maxIterations: params.maxIterations,
    responseFormat: params.responseFormat,
    channels,
  });
  graph.addNode(MODEL_NODE, model);
  if (!stations.hasTools) return;
  const call = toolCaller(middleware, tools, params.toolTimeoutMs);
  const { serial, loop, exit } = stations;
  const shared = { call, tools, stateOf: getCurrentState, serial, agent: parts };
  if (serial.size === 0) graph.addNode(TOOLS_NODE, toolsNode(shared));
  else {
    // it knows which calls come next, an edge behind it does not
    const ends = unique([loop, exit, TOOLS_NODE]);
    graph.addNode(TOOLS_NODE, toolsNode({ ...shared, onward: afterTools(stations) }), { ends });
  }
}

function addEdges(graph: AnyStateGraph, hooks: Hooks, stations: Stations): void {
  const { loop, exit, hasTools } = stations;
  const afterAgentHooks = hooks.afterAgent.toReversed();
  const afterModelHooks = hooks.afterModel.toReversed();
  graph.addEdge(START, hooks.beforeAgent[0]?.name ?? loop);
  inLine(graph, hooks.beforeAgent, loop, stations, loop);
  inLine(graph, hooks.beforeModel, MODEL_NODE, stations, MODEL_NODE);
  // the hooks behind the model in reverse, and behind the last one the choice that the model's reply makes
  const decide = afterModel(stations);
  const choices = unique([exit, loop, ...(hasTools ? [TOOLS_NODE] : [])]);
  const decider = afterModelHooks.pop();
  if (decider === undefined) graph.addConditionalEdges(MODEL_NODE, decide, choices);
  else {
    const first = afterModelHooks[0]?.name ?? decider.name;
    if (stations.returnDirect.size === 0 && !stations.isLimited) graph.addEdge(MODEL_NODE, first);
    else graph.addConditionalEdges(MODEL_NODE, afterCall(stations, first), unique([first, exit]));
    inLine(graph, afterModelHooks, decider.name, stations, loop);
    const router = decider.canJumpTo.length > 0 ? jumpOr(decide, stations, loop) : decide;
    graph.addConditionalEdges(decider.name, router, choices);
  }
  // the run is ending: its end is what comes next, not the first of these hooks again
  for (const [at, node] of afterAgentHooks.entries()) {
    const next = afterAgentHooks[at + 1]?.name ?? END;
    connect(graph, node, next, { ...stations, exit: next }, loop);
  }
  if (!hasTools || stations.serial.size > 0) return;
  if (stations.returnDirect.size === 0) graph.addEdge(TOOLS_NODE, loop);
  else graph.addConditionalEdges(TOOLS_NODE, afterTools(stations), unique([loop, exit]));
}

/** Hooks one after another, and behind the last one `then`. */
function inLine(
  graph: AnyStateGraph,
  nodes: readonly HookNode[],
  then: string,
  stations: Stations,
  model: string,
): void {
  for (const [at, node] of nodes.entries())
    connect(graph, node, nodes[at + 1]?.name ?? then, stations, model);
}

/** A hook and what comes after it, unless it jumps. */
function connect(
  graph: AnyStateGraph,
  node: HookNode,
  next: string,
  stations: Stations,
  model: string,
): void {
  if (node.canJumpTo.length === 0) {
    graph.addEdge(node.name, next);
    return;
  }
  const targets: Record<JumpToTarget, readonly string[]> = {
    end: [stations.exit],
    model: [model],
    tools: stations.hasTools ? [TOOLS_NODE, model] : [model],
  };
  const ends = unique([next, ...node.canJumpTo.flatMap((target) => targets[target])]);
  graph.addConditionalEdges(
    node.name,
    jumpOr(() => next, stations, model),
    ends,
  );
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
