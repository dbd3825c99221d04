import type { LanguageModelLike } from "@langchain/core/language_models/base";
import { AIMessage, type BaseMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { Runnable } from "@langchain/core/runnables";
import { GraphError, shown } from "@skein/errors";
import { type Messages, messagesStateReducer } from "../channels/messages-reducer.ts";
import type { CompiledStateGraph } from "../graph/compiled-state-graph.ts";
import { StateGraph } from "../graph/state-graph.ts";
import { requireObject } from "../errors/given.ts";
import { END, START } from "../ids/names.ts";
import { Send } from "../program/send.ts";
import { Annotation } from "../state/annotation.ts";
import { define, type StateOf, type UpdateOf } from "../state/definition.ts";
import type { MessagesAnnotation } from "../state/messages.ts";
import type { LangGraphRunnableConfig } from "../task/config.ts";
import { withAgentName } from "./agent-name.ts";
import { assertModel, chatModelOf, isClientTool, withTools } from "./react-model.ts";
import { promptRunnable } from "./react-prompt.ts";
import type { AgentState, AnyRecord, CreateReactAgentParams } from "./react-types.ts";
import { type Tool, ToolNode } from "./tool-node.ts";

type Params = CreateReactAgentParams<never, AnyRecord, never>;
type Config = LangGraphRunnableConfig;

interface State {
  readonly messages: BaseMessage[];
  readonly llmInputMessages?: BaseMessage[];
}

/** The state of an agent that is given none: messages and the structured response. */
// oxlint-disable-next-line typescript/explicit-module-boundary-types -- its type is its definition
export const createReactAgentAnnotation = <T extends AnyRecord = AnyRecord>() =>
  Annotation.Root({
    messages: Annotation<BaseMessage[], Messages>({ reducer: messagesStateReducer, default: () => [] }),
    structuredResponse: Annotation<T>(),
  });

const hookInput = Annotation<BaseMessage[], Messages>({
  reducer: (_before, update) => messagesStateReducer([], update),
  default: () => [],
});

/**
 * An agent: a model that calls tools until it has an answer.
 *
 * @deprecated It has moved to the package `langchain`: `createAgent`.
 * @throws GraphError INVALID_CONFIGURATION for a state without messages or prompts that exclude
 *   each other; when it is called, for a model that takes no tools or has others
 *
 * @example
 * const agent = createReactAgent({ llm: model, tools: [search], prompt: "Answer in one sentence." });
 * const { messages } = await agent.invoke({ messages: "Who wrote it?" });
 */
export function createReactAgent<
  A = typeof MessagesAnnotation,
  Structured extends AnyRecord = AnyRecord,
  C = unknown,
>(
  params: CreateReactAgentParams<A, Structured, C>,
): CompiledStateGraph<
  StateOf<A>,
  UpdateOf<A>,
  // oxlint-disable-next-line typescript/no-explicit-any -- as LangGraph's: it fits graphs of any nodes, as in `CompiledStateGraph<any, any>`
  any,
  // the keys of its state, and those that every agent has; not by a name, which declarations could not say
  { State: StateOf<A>; Update: UpdateOf<typeof MessagesAnnotation> & UpdateOf<A> },
  { State: AgentState<Structured> & StateOf<A> },
  C
> {
  requireObject("createReactAgent()", params, "Pass {llm, tools}.");
  // what may be left out may be null
  const given = Object.entries(params).filter(([, value]) => value !== null);
  return build(Object.fromEntries(given) as unknown as Params) as never;
}

function build(params: Params): unknown {
  const { tools, version } = params;
  assertModel(params.llm);
  if (version !== undefined && version !== "v1" && version !== "v2") {
    throw new GraphError("INVALID_CONFIGURATION", `"version" is "v1" or "v2", not ${shown(version)}.`);
  }
  const { preModelHook, postModelHook, responseFormat } = params;
  const node = Array.isArray(tools) ? new ToolNode(tools.filter(isClientTool) as Tool[]) : tools;
  if (!Array.isArray((node as { tools?: unknown } | null | undefined)?.tools)) {
    throw new GraphError("INVALID_CONFIGURATION", "createReactAgent() takes tools as a list, or a ToolNode.");
  }
  const schema: object = params.stateSchema ?? createReactAgentAnnotation();
  const { channels } = define(schema);
  if (!channels.has("messages")) {
    throw new GraphError("INVALID_CONFIGURATION", "The stateSchema of an agent needs the key `messages`.");
  }
  const first = preModelHook === undefined ? "agent" : "pre_model_hook";
  const last = responseFormat === undefined ? END : "generate_structured_response";
  const graph = new StateGraph<unknown, State, unknown, string>(schema, params.contextSchema as never);
  graph.addNode("tools", node as never);
  if (preModelHook !== undefined) {
    graph.addNode("pre_model_hook", preModelHook as never).addEdge("pre_model_hook", "agent");
  }
  const input =
    preModelHook === undefined
      ? undefined
      : Annotation.Root({ ...Object.fromEntries(channels), llmInputMessages: hookInput });
  graph
    .addNode("agent", agentNode(params, node) as never, input === undefined ? {} : { input })
    .addEdge(START, first);
  if (postModelHook === undefined) {
    graph.addConditionalEdges("agent", ((state: State) => toTools(params, state) ?? last) as never, {
      tools: "tools",
      [last]: last,
    });
  } else {
    graph
      .addNode("post_model_hook", postModelHook as never)
      .addEdge("agent", "post_model_hook")
      .addConditionalEdges("post_model_hook", afterHook(params, first, last) as never, {
        tools: "tools",
        [first]: first,
        [last]: last,
      });
  }
  if (responseFormat !== undefined) {
    graph.addNode(last, structuredNode(params) as never).addEdge(last, END);
  }
  addWayBack(graph, first, directTools(node.tools));
  return graph.compile({
    checkpointer: params.checkpointer ?? params.checkpointSaver,
    interruptBefore: params.interruptBefore,
    interruptAfter: params.interruptAfter,
    store: params.store,
    name: params.name,
    description: params.description,
  });
}

function agentNode(params: Params, node: ToolNode): (state: State, config: Config) => Promise<unknown> {
  const { tools, name, includeAgentName } = params;
  const llm = params.llm as LanguageModelLike | Chooser;
  const prompt = promptRunnable(params);
  const piped = (model: unknown): Runnable =>
    prompt.pipe(
      (includeAgentName ? withAgentName(model as LanguageModelLike, includeAgentName) : model) as Runnable,
    );
  let known: Promise<Runnable> | undefined;
  const modelFor = (state: State, config: Config): Promise<Runnable> => {
    if (isChooser(llm)) return Promise.resolve(llm(state, config)).then(assertModel).then(piped);
    // a failure is not kept: what was wrong may be mended between two calls
    known ??= withTools(llm, Array.isArray(tools) ? tools : node.tools).then(piped, (error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
  return async (state, config) => {
    const { llmInputMessages, ...rest } = state;
    const messages = llmInputMessages?.length ? llmInputMessages : state.messages;
    const model = await modelFor(state, config);
    const response = (await model.invoke({ ...rest, messages }, config as never)) as AIMessage;
    Object.assign(response, { name });
    response.lc_kwargs["name"] = name;
    return { messages: [response] };
  };
}

type Chooser = (state: State, config: Config) => Promise<LanguageModelLike> | LanguageModelLike;

function isChooser(llm: unknown): llm is Chooser {
  return typeof llm === "function";
}

/** Where to go for the calls of the last message; undefined when there are none. */
function toTools({ version }: Params, state: State): "tools" | Send[] | undefined {
  const asked = state.messages.at(-1);
  if (!AIMessage.isInstance(asked)) return undefined;
  return sendTo(version, state, asked.tool_calls ?? []);
}

function sendTo(
  version: Params["version"],
  state: State,
  calls: readonly ToolCall[],
): "tools" | Send[] | undefined {
  if (calls.length === 0) return undefined;
  if (version !== "v2") return "tools";
  return calls.map((call) => new Send("tools", { ...state, lg_tool_call: call }));
}

/** A hook may have answered calls itself, or some of them. */
function afterHook({ version }: Params, first: string, last: string): (state: State) => string | Send[] {
  return (state) => {
    const { messages } = state;
    const answered = new Set(
      messages.filter((message) => ToolMessage.isInstance(message)).map((message) => message.tool_call_id),
    );
    const asking = messages.findLast((message) => AIMessage.isInstance(message)) as AIMessage | undefined;
    const open = (asking?.tool_calls ?? []).filter(({ id }) => id === undefined || !answered.has(id));
    const newest = messages.at(-1);
    const otherwise = newest !== undefined && ToolMessage.isInstance(newest) ? first : last;
    return sendTo(version, state, open) ?? otherwise;
  };
}

/** After tools the model is next, unless a tool's result is the answer. */
function addWayBack(
  graph: StateGraph<unknown, State, unknown, string>,
  first: string,
  direct: ReadonlySet<string>,
): void {
  if (direct.size === 0) {
    graph.addEdge("tools", first);
    return;
  }
  const isAnswer = ({ messages }: State): boolean => {
    const asked = messages.findLastIndex((message) => !ToolMessage.isInstance(message));
    return messages.slice(asked + 1).some(({ name }) => name !== undefined && direct.has(name));
  };
  graph.addConditionalEdges("tools", (state) => (isAnswer(state) ? END : first), {
    [first]: first,
    [END]: END,
  });
}

function directTools(tools: readonly Tool[]): ReadonlySet<string> {
  return new Set(
    tools.filter((tool) => "returnDirect" in tool && tool.returnDirect === true).map(({ name }) => name),
  );
}

function structuredNode(
  params: Params,
): (state: State, config: Config) => Promise<{ structuredResponse: unknown }> {
  const llm = params.llm as LanguageModelLike | Chooser;
  return async (state, config) => {
    const model = await chatModelOf(isChooser(llm) ? await llm(state, config) : llm);
    const { schema, prompt, options } = formatOf(params.responseFormat);
    const messages = prompt === undefined ? state.messages : [new SystemMessage(prompt), ...state.messages];
    const structured = model.withStructuredOutput(schema as AnyRecord, options);
    const response: unknown = await structured.invoke(messages, config as never);
    if (response !== undefined && response !== null) return { structuredResponse: response };
    throw new GraphError(
      "INVALID_INPUT",
      "The model's structured answer could not be read: what it said does not fit the schema of responseFormat.",
    );
  };
}

interface Format {
  readonly schema: unknown;
  readonly prompt: string | undefined;
  readonly options: AnyRecord | undefined;
}

function formatOf(format: unknown): Format {
  if (typeof format !== "object" || format === null || !("schema" in format)) {
    return { schema: format, prompt: undefined, options: undefined };
  }
  const { schema, prompt, ...options } = format as { schema: unknown; prompt?: string };
  return { schema, prompt, options };
}
