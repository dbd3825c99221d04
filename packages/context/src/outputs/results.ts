import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { CallMatcher } from "../chains/matching.ts";
import { Follower, type Fold } from "../messages/follow.ts";
import { requireMessages } from "../messages/given.ts";
import { isToolResult, isUser, toolCallsOf } from "../messages/kinds.ts";
import { contentParts } from "../messages/text.ts";

/** A tool's result in a list of messages, with the call that it answers. */
export interface ToolResultAt {
  readonly message: ToolMessage;
  readonly index: number;
  readonly call: ToolCall;
  readonly reply: AIMessage;
  readonly replyIndex: number;
  /** Name of the tool. */
  readonly tool: string;
  /** How many user messages stand behind it. */
  readonly turnsAgo: number;
}

/** A result, whatever comes behind it. */
export interface Found extends Omit<ToolResultAt, "turnsAgo"> {
  /** How many user messages stand before it. */
  readonly turn: number;
}

/** The results of a list that may grow. */
export interface Results {
  /** Those that answer a call, in order. */
  readonly found: readonly Found[];
  /** How many user messages there are. */
  readonly turns: number;
}

interface Finding extends Results {
  readonly found: Found[];
  turns: number;
  matcher: CallMatcher<Asker>;
  /** User messages before which every call had its result, and what there was before them. */
  readonly rests: Rest[];
}

interface Rest {
  readonly index: number;
  readonly found: number;
  readonly turns: number;
}

interface Asker {
  readonly reply: AIMessage;
  readonly replyIndex: number;
}

const finding: Fold<Finding> = {
  start: () => ({ found: [], turns: 0, matcher: new CallMatcher(), rests: [] }),
  take(state, message, index) {
    if (isUser(message)) {
      const { found, turns, matcher, rests } = state;
      if (matcher.isIdle) rests.push({ index, found: found.length, turns });
      state.turns++;
    }
    const calls = toolCallsOf(message);
    if (calls.length > 0) state.matcher.ask({ reply: message as AIMessage, replyIndex: index }, calls);
    if (!isToolResult(message)) return;
    const answered = state.matcher.answer(message.tool_call_id ?? "");
    if (answered === undefined) return;
    const { reply, replyIndex } = answered.asker;
    const call = toolCallsOf(reply)[answered.position] as ToolCall;
    const tool = message.name ?? call.name;
    state.found.push({ message, index, call, reply, replyIndex, tool, turn: state.turns });
  },
  back(state, index) {
    let rest = state.rests.pop();
    while (rest !== undefined && rest.index > index) rest = state.rests.pop();
    if (rest === undefined) return 0;
    state.found.length = rest.found;
    state.turns = rest.turns;
    state.matcher = new CallMatcher();
    return rest.index;
  },
};

const follower = new Follower(finding);

/** The results of a list; of one that grew since the same asker looked, only what is new is looked at. */
export function followResults(asker: object, messages: readonly BaseMessage[]): Results {
  return follower.of(asker, messages);
}

/**
 * The results of a list that answer a call, in order. Calls are matched by position, because ids are
 * used again (B7).
 *
 * @throws GraphError INVALID_MESSAGE for what is no list of messages
 *
 * @example
 * const old = toolResults(messages).filter(({ turnsAgo }) => turnsAgo >= 5);
 */
export function toolResults(messages: readonly BaseMessage[]): ToolResultAt[] {
  requireMessages("toolResults", messages);
  const state = finding.start();
  for (const [index, message] of messages.entries()) finding.take(state, message, index);
  return state.found.map(({ turn, ...result }) => ({ ...result, turnsAgo: state.turns - turn }));
}

/** Whether a result is text only: what holds an image or a file is not shortened as text. */
export function isPlainText(message: ToolMessage): boolean {
  return contentParts(message.content).every(({ kind }) => kind === "text");
}
