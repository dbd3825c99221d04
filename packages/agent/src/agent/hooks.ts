import {
  AIMessage,
  isBaseMessage,
  RemoveMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { isMarkedSummary, shortenedMark } from "@skein/context";
import { GraphError } from "@skein/errors";
import { Command, isCommand, messagesStateReducer } from "@skein/graph";
import type { NodeHookName } from "../middleware/create-middleware.ts";
import { passesOver, reportFailure } from "../middleware/failure.ts";
import { besides, type Finished, finishedBefore, type StateChannels } from "./finished.ts";
import { runtimeReader } from "../middleware/runtime-reader.ts";
import type { AnyAgentMiddleware, AnyHookDefinition, NodeHook } from "../middleware/types.ts";
import { compactMessages } from "../messages/compaction.ts";
import { threadHistory } from "../messages/thread-history.ts";
import { asModelReply } from "../model/reply.ts";
import type { AgentPrompt, ContextSource, JumpToTarget } from "../runtime.ts";
import { hookName } from "./node-names.ts";
import type { RoutedState } from "./routes.ts";
import { RESPONSE_KEY } from "./state.ts";
import { endsDirectly, readTurn } from "./turn.ts";

/** A hook of a middleware as a node of the graph. */
export interface HookNode {
  readonly name: string;
  /** Where it may jump; empty when it always goes on. */
  readonly canJumpTo: readonly JumpToTarget[];
  readonly run: (state: RoutedState, config: RunnableConfig) => Promise<HookUpdate>;
}

type HookUpdate = Record<string, unknown> | (Command | Record<string, unknown>)[];

/** What all hooks of an agent are told of it. */
export interface AgentFacts {
  readonly prompt: AgentPrompt;
  readonly context: Omit<ContextSource, "history">;
  /** Names of the tools whose results end the run. */
  readonly returnDirect: ReadonlySet<string>;
  /** Asked for where calls had ended whose reply was given up: hardly ever. */
  readonly channels: () => StateChannels;
}

/** The nodes of one kind of hook, in the order of the middleware. */
export function hookNodes(
  middleware: readonly AnyAgentMiddleware[],
  kind: NodeHookName,
  facts: AgentFacts,
): HookNode[] {
  const opening = OPENING.find((early) => middleware.some((one) => one[early] !== undefined));
  let opens = kind === opening;
  return middleware.flatMap((one) => {
    const definition = one[kind];
    if (definition === undefined) return [];
    const node = hookNode(one, kind, definition, { ...facts, opens });
    opens = false;
    return [node];
  });
}

/** Kinds of hooks that stand before the model, the earlier first. */
const OPENING = ["beforeAgent", "beforeModel"] as const;

function hookNode(
  middleware: AnyAgentMiddleware,
  kind: NodeHookName,
  definition: AnyHookDefinition,
  { prompt, context, returnDirect, channels, opens }: AgentFacts & { readonly opens: boolean },
): HookNode {
  const canJumpTo = typeof definition === "function" ? [] : (definition.canJumpTo ?? []);
  const hook = (typeof definition === "function" ? definition : definition.hook) as NodeHook;
  const runtimeOf = runtimeReader(middleware);
  const shown = contextShower(middleware);
  const begins = kind === "beforeAgent" || kind === "beforeModel";
  const where = `${kind} of middleware "${middleware.name}"`;
  const isOver = ({ messages }: RoutedState): boolean =>
    returnDirect.size > 0 && endsDirectly(readTurn(messages), returnDirect);
  return {
    name: hookName(middleware, kind),
    canJumpTo,
    run: async (state, config) => {
      // a jump lives one step longer than its hook; this one must not be taken for the next hook's
      const over: Record<string, unknown> = state.jumpTo === undefined ? {} : { jumpTo: undefined };
      // what an earlier turn answered is not this one's answer, should the model not be called
      if (opens && state[RESPONSE_KEY] !== undefined && isTurnNew(state)) over[RESPONSE_KEY] = undefined;
      // the model is not called behind it: only the loop's way out leads past here
      if (kind === "beforeModel" && isOver(state)) return over;
      const finding = begins ? finishedBefore(state.messages, config) : undefined;
      const finished = finding && (await finding);
      const seen =
        finished === undefined
          ? state
          : { ...state, messages: messagesStateReducer(state.messages, finished.messages) };
      try {
        const contextSource = { ...context, history: () => threadHistory(config, { shown: true }) };
        const runtime = { prompt, contextSource, ...runtimeOf(config) };
        runtime.context = shown(runtime.context);
        const result: unknown = await hook(seen, Object.freeze(runtime));
        // `condition && update` is none where the condition does not hold
        if (!result) return written(finished, channels, over);
        requireUpdate(result, where);
        requireAllowed(result["jumpTo"], canJumpTo, where);
        const update = { ...over, ...(kind === "afterModel" ? withCalls(result) : result) };
        return written(finished, channels, ...ofBothTracks(update, seen.messages));
      } catch (error) {
        if (!passesOver(middleware, error, config)) throw error;
        reportFailure(middleware, kind, error, config);
        return written(finished, channels, over);
      }
    },
  };
}

/** Whether the first hook of an agent begins a turn, instead of coming from a jump or from tools. */
function isTurnNew({ jumpTo, messages }: RoutedState): boolean {
  return jumpTo === undefined && !ToolMessage.isInstance(messages.at(-1));
}

/** What a hook writes, behind what calls wrote of whose results it was the first to be told. */
function written(
  finished: Finished | undefined,
  channels: () => StateChannels,
  update: Record<string, unknown>,
  compaction?: Command,
): HookUpdate {
  if (finished === undefined) return compaction === undefined ? update : [update, compaction];
  const others = besides(finished.update, Object.entries(update), channels());
  const results = new Command({ update: [...others, ["messages", finished.messages]] });
  return compaction === undefined ? [results, update] : [results, update, compaction];
}

/**
 * A hook's update, and what it changes of the context alone: a summary that it words otherwise, and an output
 * that is shown shortened, are no edits of the history, which has no summaries and the outputs whole.
 */
function ofBothTracks(
  update: Record<string, unknown>,
  context: readonly BaseMessage[],
): [update: Record<string, unknown>, compaction?: Command] {
  const { messages } = update;
  const given: readonly unknown[] = Array.isArray(messages) ? messages : [messages];
  // who removes messages writes down what the context is to be
  if (!given.some(isOfContext) || given.some((one) => RemoveMessage.isInstance(one))) return [update];
  const shown = new Map(context.filter(isOfContext).map((message) => [message.id, message]));
  const replace = given.filter(isOfContext).filter((one) => isOther(one, shown.get(one.id)));
  if (replace.length === 0) return [update];
  const rest = given.filter((one) => !replace.includes(one as BaseMessage));
  const compaction = compactMessages({ replace });
  if (rest.length === 0) return [{ ...update, messages: compaction }];
  return [{ ...update, messages: rest }, new Command({ update: { messages: compaction } })];
}

/** Whether a message says of itself that the history has another one in its place, or none. */
const isOfContext = (one: unknown): one is BaseMessage =>
  isBaseMessage(one) && (isMarkedSummary(one) || shortenedMark(one) !== undefined);

const isOther = (message: BaseMessage, there: BaseMessage | undefined): boolean =>
  there !== undefined && there !== message;

/** Replies that a hook makes in the model's place may be what comes next: their calls need ids as the model's do. */
function withCalls(result: Record<string, unknown>): Record<string, unknown> {
  const { messages } = result;
  if (AIMessage.isInstance(messages)) return { ...result, messages: asModelReply(messages) };
  if (!Array.isArray(messages) || !messages.some((one) => AIMessage.isInstance(one))) return result;
  return {
    ...result,
    messages: messages.map((one) => (AIMessage.isInstance(one) ? asModelReply(one) : one)),
  };
}

/** What a hook may read of the context and not write: what its schema made of it. Without one, what there is. */
function contextShower({ contextSchema }: AnyAgentMiddleware): (context: unknown) => unknown {
  if (contextSchema === undefined) return (context) => context ?? {};
  const frozen = new WeakMap<object, object>();
  return (context) => {
    // a copy of an instance would lack its methods
    if (!isPlain(context)) return context ?? {};
    const known = frozen.get(context) ?? Object.freeze({ ...context });
    frozen.set(context, known);
    return known;
  };
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function kindOf(result: unknown): string {
  if (isCommand(result)) return "a Command";
  if (isBaseMessage(result)) return "a message";
  return Array.isArray(result) ? "an array" : typeof result;
}

/** A command or a message would pass for keys that no state has, and nothing would come of it. */
function requireUpdate(result: unknown, where: string): asserts result is Record<string, unknown> {
  const isOther = Array.isArray(result) || isCommand(result) || isBaseMessage(result);
  if (typeof result === "object" && !isOther) return;
  throw new GraphError(
    "INVALID_MIDDLEWARE",
    `${where} returned ${kindOf(result)}; it must return an object of the keys to change, or nothing.`,
  );
}

function requireAllowed(jumpTo: unknown, canJumpTo: readonly JumpToTarget[], where: string): void {
  if (jumpTo === undefined || canJumpTo.includes(jumpTo as JumpToTarget)) return;
  const allowed =
    canJumpTo.length === 0
      ? "it declares no targets; give the hook as {hook, canJumpTo: [...]}"
      : `its canJumpTo allows ${canJumpTo.join(", ")}`;
  throw new GraphError("INVALID_MIDDLEWARE", `${where} jumped to "${String(jumpTo)}", but ${allowed}.`, {
    details: { jumpTo, canJumpTo },
  });
}
