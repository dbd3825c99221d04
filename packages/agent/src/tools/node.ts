import { RemoveMessage, ToolMessage, type AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { RunnableConfig } from "@langchain/core/runnables";
import { Command, isCommand, pushMessage, REMOVE_ALL_MESSAGES } from "@skein/graph";
import { sends, type Route, type ToolsInput } from "../agent/routes.ts";
import { readTurn } from "../agent/turn.ts";
import { setId } from "../messages/set-id.ts";
import { runtimeOf } from "../middleware/runtime-reader.ts";
import { progressOf, type RunProgress } from "../model/run-progress.ts";
import type { AgentTool } from "../model/request.ts";
import type { AgentBuiltInState } from "../runtime.ts";
import { asResultOf } from "./belonging.ts";
import type { ToolCaller } from "./call.ts";
import { groupsOf } from "./policy.ts";
import { isClientTool, type ToolResult } from "./run-tool.ts";

export interface ToolsNodeOptions {
  readonly call: ToolCaller;
  readonly tools: readonly AgentTool[];
  /** What the run's `RunProgress` knows the agent by. */
  readonly agent: object;
  /** The state as the tasks of this step see it: a `Send` hands a task its call only. */
  readonly stateOf: (config: RunnableConfig) => AgentBuiltInState;
  /** Names of the tools that run alone. */
  readonly serial: ReadonlySet<string>;
  /** Where it goes by itself, once all calls have run; absent when edges lead on from it. */
  readonly onward?: ((state: AgentBuiltInState) => Route) | undefined;
}

type ToolsNodeResult = Record<string, unknown> | (Record<string, unknown> | Command)[];

/**
 * The node that runs tools, one call a task. Sent there without a call (`Command({goto: "tools"})`),
 * it runs all calls that wait for a result.
 */
export function toolsNode(
  options: ToolsNodeOptions,
): (input: ToolsInput | AgentBuiltInState, config: RunnableConfig) => Promise<ToolsNodeResult> {
  const { call, serial, onward, stateOf } = options;
  const byName = new Map(options.tools.filter(isClientTool).map((tool) => [tool.name, tool]));
  const run = async (
    toolCall: ToolCall,
    state: AgentBuiltInState,
    config: RunnableConfig,
  ): Promise<ToolResult> => {
    const request = { toolCall, tool: byName.get(toolCall.name), state, runtime: runtimeOf(config) };
    return asResultOf(toolCall, await call(request, config));
  };
  return async (input, config) => {
    if (!("lg_tool_call" in input)) {
      const limit = config.maxConcurrency ?? Number.POSITIVE_INFINITY;
      const { reply, waiting } = callsOf(input);
      const progress = progressOf(config, options.agent);
      const ended: ToolResult[] = [];
      // if the run is stopped before all end, some have ended all the same
      if (progress !== undefined) unstored.set(progress, { replyId: reply?.id, results: ended });
      const results = await inGroups(groupsOf(waiting, serial), limit, async (toolCall) => {
        const result = await run(toolCall, input, config);
        ended[waiting.indexOf(toolCall)] = result;
        return result;
      });
      // what a run returns that was stopped meanwhile, nobody stores
      if (progress !== undefined && config.signal?.aborted !== true) unstored.delete(progress);
      const writes = writesOf(results);
      if (onward === undefined) return writes;
      show(results, config);
      return leadingOn(writes, onward(withResults(input, results)));
    }
    const state = stateOf(config);
    const results = [await run(input.lg_tool_call, state, config)];
    const writes = writesOf(results);
    if (onward === undefined) return writes;
    const { all, waiting } = callsOf(state);
    const next = following(all, waiting, input.lg_tool_call, serial);
    if (next === "others") return writes;
    show(results, config);
    const goto = next === "none" ? onward(withResults(state, results)) : sends(next);
    return leadingOn(writes, goto);
  };
}

/** Results of calls that have ended and are stored with those of others only, in the order of the calls. */
interface Unstored {
  readonly replyId: string | undefined;
  readonly results: readonly ToolResult[];
}
/** By the run whose step it is. */
const unstored = new WeakMap<RunProgress, Unstored>();

/** What calls of a reply wrote that have ended in a step that did not: the run was stopped. */
export function unstoredWrites(progress: RunProgress, { id }: AIMessage): [key: string, value: unknown][] {
  const ended = unstored.get(progress);
  // ids of calls are used again, those of replies are not
  return ended === undefined || ended.replyId !== id ? [] : ended.results.flatMap(updateOf);
}

function updateOf(result: ToolResult): [key: string, value: unknown][] {
  if (!isCommand(result)) return [["messages", [result]]];
  if (result.graph !== Command.PARENT) {
    return asOrdinaryWrites(result).flatMap((write) =>
      isCommand(write) ? tuplesOf(write) : Object.entries(write),
    );
  }
  // the rest is another thread's
  const written = tuplesOf(result).flatMap(([key, value]) => (key === "messages" ? value : []));
  return [["messages", written.filter((message) => ToolMessage.isInstance(message))]];
}

const tuplesOf = (command: Command): [key: string, value: unknown][] =>
  command._updateAsTuples().map(([key, value]) => [key, value]);

/** The calls of the model's last reply, and those of them that have no result yet. */
function callsOf({ messages }: AgentBuiltInState): {
  readonly reply: AIMessage | undefined;
  readonly all: readonly ToolCall[];
  readonly waiting: readonly ToolCall[];
} {
  const turn = readTurn(messages);
  if (turn.state !== "calling") return { reply: undefined, all: [], waiting: [] };
  return { reply: turn.reply, all: turn.reply.tool_calls ?? [], waiting: turn.calls };
}

function withResults(state: AgentBuiltInState, results: readonly ToolResult[]): AgentBuiltInState {
  const messages = [...state.messages, ...results.filter((result) => ToolMessage.isInstance(result))];
  return { ...state, messages };
}

/** Streams of messages see none within a list of writes, as on LangGraph: they are told of the results. */
function show(results: readonly ToolResult[], config: RunnableConfig): void {
  for (const result of results) {
    if (!ToolMessage.isInstance(result)) continue;
    // here, as it is shown before it is written
    setId(result, result.id ?? crypto.randomUUID());
    pushMessage(result, { ...config, stateKey: null });
  }
}

function leadingOn(writes: ToolsNodeResult, goto: Route): ToolsNodeResult {
  return [...(Array.isArray(writes) ? writes : [writes]), new Command({ goto })];
}

function writesOf(results: readonly ToolResult[]): ToolsNodeResult {
  if (!results.some(isCommand)) return { messages: results };
  const forParent = results.filter((result) => isCommand(result) && result.graph === Command.PARENT);
  const all = forParent.length > 1 ? together(results, forParent as Command[]) : results;
  return all.flatMap((result) => (isCommand(result) ? asOrdinaryWrites(result) : { messages: [result] }));
}

/** Only one command can leave a graph: those of several tools become one, as in the engine's ToolNode. */
function together(results: readonly ToolResult[], forParent: readonly Command[]): ToolResult[] {
  const update = forParent.flatMap((command) => command._updateAsTuples());
  const command = new Command({
    graph: Command.PARENT,
    goto: forParent.flatMap(({ goto = [] }) => goto),
    update: update.map(([key, value]): [string, unknown] => [key, value]),
  });
  return [...results.filter((result) => !forParent.includes(result as Command)), command];
}

/** One group after another, and of each group not more than `limit` at a time. */
async function inGroups(
  groups: readonly (readonly ToolCall[])[],
  limit: number,
  run: (call: ToolCall) => Promise<ToolResult>,
): Promise<ToolResult[]> {
  const results: ToolResult[] = [];
  for (const group of groups) {
    const done: ToolResult[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      for (let at = next++; at < group.length; at = next++) done[at] = await run(group[at] as ToolCall);
    };
    await Promise.all(Array.from({ length: Math.min(limit, group.length) }, work));
    results.push(...done);
  }
  return results;
}

/**
 * What runs after the group of a call. Tasks of one step do not see one another's results, so the
 * first of the group starts the next one, at the barrier, when all of the group have ended.
 */
function following(
  all: readonly ToolCall[],
  waiting: readonly ToolCall[],
  call: ToolCall,
  serial: ReadonlySet<string>,
): readonly ToolCall[] | "others" | "none" {
  const groups = groupsOf(all, serial);
  const mine = groups.findIndex((group) => group.some(({ id }) => id === call.id));
  const ids = new Set(waiting.map(({ id }) => id));
  const later = groups.slice(mine + 1).map((group) => group.filter(({ id }) => ids.has(id)));
  const next = later.find((group) => group.length > 0);
  if (next === undefined) return "none";
  return groups[mine]?.find(({ id }) => ids.has(id))?.id === call.id ? next : "others";
}

/**
 * A tool's command, with a remove-all in a write of its own: so what follows it, be it marked as a
 * summary, is ordinary. Tools pass on what they read somewhere; only the agent's own nodes may put
 * something into the context that the history does not show.
 */
function asOrdinaryWrites(command: Command): (Command | Record<string, unknown>)[] {
  const { update } = command;
  const messages = Array.isArray(update)
    ? update.find(([key]) => key === "messages")?.[1]
    : (update as Record<string, unknown> | undefined)?.["messages"];
  if (!Array.isArray(messages)) return [command];
  const clear = (messages as BaseMessage[]).findLastIndex(
    (message) => RemoveMessage.isInstance(message) && message.id === REMOVE_ALL_MESSAGES,
  );
  if (clear < 0) return [command];
  const rest = Array.isArray(update) ? Object.fromEntries(update) : update;
  const first = new Command({
    goto: command.goto,
    update: { ...rest, messages: messages.slice(0, clear + 1) },
    ...(command.graph === undefined ? {} : { graph: command.graph }),
    ...(command.resume === undefined ? {} : { resume: command.resume }),
  });
  return [first, { messages: messages.slice(clear + 1) }];
}
