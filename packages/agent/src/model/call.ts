import type { RunnableConfig } from "@langchain/core/runnables";
import { AIMessage, isBaseMessage, SystemMessage, type BaseMessage } from "@langchain/core/messages";
import { repair } from "@skein/context";
import { GraphError, shown } from "@skein/errors";
import { isCommand, type Command } from "@skein/graph";
import { aroundOf } from "../middleware/around.ts";
import { composeWraps, type Chain, type Wrap } from "../middleware/chain.ts";
import { passesOver, reportFailure } from "../middleware/failure.ts";
import { runtimeReader } from "../middleware/runtime-reader.ts";
import type { AnyAgentMiddleware, WrapModelCallHook } from "../middleware/types.ts";
import { answerOf, type Answer } from "../response/answer.ts";
import { profileOf, type FormatReader, type ReadFormat } from "../response/format.ts";
import { isClientTool } from "../tools/run-tool.ts";
import { mayBeHeard } from "../unheard/listening.ts";
import { generate, plainModel } from "../unheard/model-call.ts";
import { bindModel, type Bound } from "./bind.ts";
import { withInlineName } from "./inline-name.ts";
import { normaliseReply, asModelReply } from "./reply.ts";
import { ReplyIds } from "./reply-ids.ts";
import { ownCall } from "./own-call.ts";
import { RunProgress, progressOf, shownToModel } from "./run-progress.ts";
import type { AgentTool, ModelRequest } from "./request.ts";
import { isEmptyPrompt } from "./system-message.ts";

/** Belongs to one call of the model. */
export interface ModelCallScope {
  readonly config: RunnableConfig;
}

/** What a call of the model ends in: the reply, and commands that wraps returned in its stead. */
export interface ModelCallResult {
  /** Undefined only when a wrap returned a command without ever calling the model. */
  readonly message: AIMessage | undefined;
  /** What the reply means, and the format that it was read by. */
  readonly answer: Answer | undefined;
  readonly format: ReadFormat | undefined;
  readonly commands: readonly Command[];
  /** Whether streams of messages are not to show the reply. */
  readonly isHidden: boolean;
}

export type ModelChain = Chain<ModelRequest, ModelCallResult, ModelCallScope>;

export interface ModelChainOptions {
  readonly middleware: readonly AnyAgentMiddleware[];
  /** Every tool of the agent, those of its middleware included. */
  readonly tools: readonly AgentTool[];
  /** Stands on every reply as its `name`, when the agent has one. */
  readonly agentName: string | undefined;
  /** Whether names of agents stand in the text of what is sent. */
  readonly includeAgentName?: "inline" | undefined;
  readonly formatOf: FormatReader;
  /** What {@link RunProgress} knows the agent by. */
  readonly agent: object;
}

/** The model with all `wrapModelCall` hooks around it, composed once an agent. */
export function modelChain(options: ModelChainOptions): ModelChain {
  const checkTools = toolsGuard(options);
  const wraps = options.middleware
    .filter((middleware) => middleware.wrapModelCall !== undefined)
    .map((middleware) => asWrap(middleware, { ...options, checkTools }));
  const bind = bindModel();
  const around = aroundOf(options.middleware);
  const { agentName, includeAgentName } = options;
  return composeWraps<ModelRequest, ModelCallResult, ModelCallScope>(wraps, async (request, { config }) => {
    // models begin although they were told to stop, and a wrap may have taken its time
    config.signal?.throwIfAborted();
    const loading = request.responseFormat ? profileOf(request.model) : undefined;
    if (loading !== undefined) await loading;
    const format = options.formatOf(request.responseFormat, request.model);
    const progress = progressOf(config, options.agent) ?? new RunProgress();
    const ids = new ReplyIds(request.state.messages, config);
    const call = () => {
      const callbacks = progress.listen(config.callbacks, ids) ?? config.callbacks;
      return ask(bind(request, format), promptOf(request, includeAgentName), config, callbacks);
    };
    const reply = await (around === undefined ? call() : around("model", call));
    const { reason, isHidden } = progress.end();
    const named = idOf(reply, ids);
    const id = named instanceof Promise ? await named : named;
    const message = normaliseReply(reply, { agentName, includeAgentName, reason, id });
    // here, so that a wrap that retries also retries a response that does not fit
    const answer = format === undefined ? undefined : await answerOf(message, format);
    return { message, answer, format, commands: [], isHidden };
  });
}

/** Asks a model, without LangChain's way of telling whoever listens where nobody does. */
function ask(
  model: Bound,
  messages: BaseMessage[],
  config: RunnableConfig,
  callbacks: RunnableConfig["callbacks"],
): Promise<unknown> {
  const isHeard = mayBeHeard(model, callbacks);
  const plain = isHeard ? undefined : plainModel(model);
  if (plain !== undefined) return generate(plain, messages, config.signal);
  return model.invoke(messages, ownCall(config, model, callbacks, isHeard));
}

/**
 * What is sent: the system prompt, unless it is empty (B5), and the context in a form that every
 * provider accepts, whatever a crash, an abort or a wrap left of it (C4).
 */
function promptOf(request: ModelRequest, includeAgentName: "inline" | undefined): BaseMessage[] {
  const { messages } = repair(request.messages);
  let shown = messages.map(shownToModel);
  if (includeAgentName === "inline") shown = shown.map(withInlineName);
  return isEmptyPrompt(request.systemMessage) ? shown : [request.systemMessage, ...shown];
}

/** What goes by none gets one when it is recorded. */
function idOf(reply: unknown, ids: ReplyIds): string | undefined | Promise<string> {
  const { id } = (reply ?? {}) as { readonly id?: unknown };
  return typeof id === "string" ? ids.of(id) : undefined;
}

type ToolsGuard = (middleware: string, tools: readonly AgentTool[]) => void;

function asWrap(
  middleware: AnyAgentMiddleware,
  { checkTools, formatOf }: { readonly checkTools: ToolsGuard; readonly formatOf: FormatReader },
): Wrap<ModelRequest, ModelCallResult, ModelCallScope> {
  const hook = middleware.wrapModelCall as WrapModelCallHook;
  const runtimeOf = runtimeReader(middleware);
  return async (outer, handler, { config }) => {
    // a wrap may call its handler several times (retry, fallback): only the last attempt counts
    let last: ModelCallResult | undefined;
    const inner = new Set<unknown>();
    const call: Parameters<typeof hook>[1] = async (next) => {
      const changed = completed(outer, next, middleware.name);
      if (changed.tools !== outer.tools) checkTools(middleware.name, changed.tools);
      last = await handler(changed).catch((error: unknown) => {
        inner.add(error);
        throw error;
      });
      return last.message ?? (last.commands.at(-1) as unknown as AIMessage);
    };
    let result: Awaited<ReturnType<typeof hook>>;
    try {
      result = await hook({ ...outer, runtime: Object.freeze(runtimeOf(config)) }, call);
      if (!isCommand(result) && !AIMessage.isInstance(result)) throw notAReply(middleware.name, result);
    } catch (error) {
      if (inner.has(error) || !passesOver(middleware, error, config)) throw error;
      reportFailure(middleware, "wrapModelCall", error, config);
      return last ?? handler(outer);
    }
    const { commands, isHidden } = last ?? NO_CALL;
    if (isCommand(result)) {
      const known = commands.includes(result);
      const { message, answer, format } = last ?? NO_CALL;
      return { message, answer, format, commands: known ? commands : [...commands, result], isHidden };
    }
    // what the handler returned, or a copy of it, goes by an id already
    const isOther = last?.message?.id !== result.id;
    const ids = new ReplyIds(outer.state.messages, config);
    const message = asModelReply(result, isOther ? await idOf(result, ids) : undefined);
    if (last?.message === message) return last;
    const format = last === undefined ? formatOf(outer.responseFormat, outer.model) : last.format;
    return { message, answer: await answerOf(message, format, true), format, commands, isHidden };
  };
}

function notAReply(name: string, result: unknown): GraphError {
  return new GraphError(
    "INVALID_MIDDLEWARE",
    `wrapModelCall of middleware "${name}" returned ${typeof result}; it must return the handler's AIMessage, another AIMessage, or a Command.`,
    { details: { middleware: name } },
  );
}

/** A wrap answered without calling the model. */
const NO_CALL: ModelCallResult = {
  message: undefined,
  answer: undefined,
  format: undefined,
  commands: [],
  isHidden: false,
};

type HandlerInput = Parameters<Parameters<WrapModelCallHook>[1]>[0];

/**
 * The request for the next link: state, tools and format that a wrap leaves out are as they were,
 * `systemPrompt` and `systemMessage` are in step again. One of these that is there, and undefined, takes
 * the prompt away.
 */
function completed(given: ModelRequest, next: HandlerInput, name: string): ModelRequest {
  const { systemPrompt, systemMessage } = given;
  const said = { systemPrompt, systemMessage, ...next };
  if (!(said.model as unknown) || !Array.isArray(said.messages)) {
    throw new GraphError(
      "INVALID_MIDDLEWARE",
      `wrapModelCall of middleware "${name}" called its handler without a model or messages; hand on the request, or {...request} with changes.`,
      { details: { middleware: name } },
    );
  }
  if (typeof (said.model as Partial<typeof said.model>).invoke !== "function")
    throw handedOn(name, `${shown(said.model)} as model; of a name, modelResolver() makes one`);
  const text = said.systemPrompt !== systemPrompt;
  const message = said.systemMessage !== systemMessage;
  if (text && message && said.systemPrompt !== undefined && said.systemMessage !== undefined) {
    throw new GraphError(
      "INVALID_MIDDLEWARE",
      `wrapModelCall of middleware "${name}" changed both systemPrompt and systemMessage; change one of them.`,
      { details: { middleware: name } },
    );
  }
  if (text) requirePrompt(name, "systemPrompt", "a text", said.systemPrompt, isText(said.systemPrompt));
  if (message)
    requirePrompt(name, "systemMessage", "a message", said.systemMessage, isBaseMessage(said.systemMessage));
  let prompt = systemMessage;
  if (text) prompt = new SystemMessage(said.systemPrompt ?? "");
  if (message) prompt = said.systemMessage ?? (text ? prompt : new SystemMessage(""));
  const { state = given.state, tools = given.tools, responseFormat = given.responseFormat } = said;
  return { ...said, state, tools, responseFormat, systemMessage: prompt, systemPrompt: prompt.text };
}

const isText = (value: unknown): boolean => typeof value === "string";

/** What takes the prompt away is neither. */
function requirePrompt(name: string, member: string, kind: string, value: unknown, isGood: boolean): void {
  if (isGood || value === undefined || value === null) return;
  throw handedOn(name, `${shown(value)} as ${member}, which must be ${kind}`);
}

/** Refuses tools that a wrap brought but that nothing could run. */
function toolsGuard({ middleware, tools }: ModelChainOptions): ToolsGuard {
  const own = new Map(tools.filter(isClientTool).map((tool) => [tool.name, tool]));
  const canRunOthers = middleware.some((one) => one.wrapToolCall !== undefined);
  return (name, offered) => {
    if (!Array.isArray(offered)) throw handedOn(name, `${shown(offered)} as tools, which must be a list`);
    for (const tool of offered as readonly AgentTool[]) {
      if (typeof tool !== "object" || (tool as unknown) === null)
        throw handedOn(name, `${shown(tool)} as a tool; make tools with tool()`);
      if (!isClientTool(tool) || own.get(tool.name) === tool) continue;
      if (own.has(tool.name)) {
        throw refusedTool(
          name,
          tool.name,
          "replaces a tool of the agent; wrap its calls with wrapToolCall instead",
        );
      }
      if (!canRunOthers) {
        throw refusedTool(
          name,
          tool.name,
          "is not a tool of the agent; pass it in `tools`, or add a wrapToolCall that runs it",
        );
      }
    }
  };
}

function handedOn(middleware: string, what: string): GraphError {
  return new GraphError(
    "INVALID_MIDDLEWARE",
    `wrapModelCall of middleware "${middleware}" handed on ${what}.`,
    { details: { middleware } },
  );
}

function refusedTool(middleware: string, tool: string, why: string): GraphError {
  return new GraphError(
    "INVALID_MIDDLEWARE",
    `wrapModelCall of middleware "${middleware}" offers the tool "${tool}", which ${why}.`,
    { details: { middleware, tool } },
  );
}
