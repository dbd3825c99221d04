import type { BaseMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { Follower, type Fold } from "../messages/follow.ts";
import { isToolResult, toolCallsOf } from "../messages/kinds.ts";
import { CallMatcher } from "./matching.ts";

/** An assistant message whose results do not all stand directly behind it, in the order of its calls. */
export interface FaultyChain {
  readonly message: BaseMessage;
  readonly index: number;
  readonly calls: readonly ToolCall[];
  /** Per call: the position of its result, or `undefined` if there is none. */
  readonly results: (number | undefined)[];
  /** What stands in for results that there are not, once it was made. */
  readonly cancelled: (ToolMessage | undefined)[];
}

/** A tool result that answers no call. */
export interface Stray {
  readonly message: ToolMessage;
  readonly index: number;
  /** Once it was looked for. */
  reason: "no-call" | "answered" | undefined;
}

/** All that a provider would refuse of a list, in order. */
export interface Faults {
  readonly chains: readonly FaultyChain[];
  readonly strays: readonly Stray[];
}

interface OpenChain extends FaultyChain {
  /** So many of its first calls have their results where they belong. */
  inPlace: number;
}

/** A position before which every call has its result: what comes behind it changes nothing there. */
interface Rest {
  readonly index: number;
  readonly chains: number;
  readonly strays: number;
}

interface Finding extends Faults {
  /** The last one may be without fault so far. */
  readonly chains: OpenChain[];
  readonly strays: Stray[];
  readonly rests: Rest[];
  matcher: CallMatcher<OpenChain>;
}

/** Between two rests there are so many messages or more. */
const APART = 16;

const finding: Fold<Finding> = {
  start: () => ({ chains: [], strays: [], rests: [], matcher: new CallMatcher() }),
  take(state, message, index) {
    if (isToolResult(message)) {
      answer(state, message, index);
      return;
    }
    const { chains, strays, rests, matcher } = state;
    if (index - (rests.at(-1)?.index ?? 0) >= APART && matcher.isIdle) {
      rests.push({ index, chains: chains.length, strays: strays.length });
    }
    const calls = toolCallsOf(message);
    if (calls.length === 0) return;
    const results = Array.from<undefined>({ length: calls.length });
    const chain: OpenChain = { message, index, calls, results, cancelled: [], inPlace: 0 };
    chains.push(chain);
    matcher.ask(chain, calls);
  },
  back(state, index) {
    let rest = state.rests.pop();
    while (rest !== undefined && rest.index > index) rest = state.rests.pop();
    if (rest === undefined) return 0;
    state.chains.length = rest.chains;
    state.strays.length = rest.strays;
    state.matcher = new CallMatcher();
    return rest.index;
  },
  isNothing: ({ chains, strays }) => chains.length === 0 && strays.length === 0,
};

function answer({ chains, strays, matcher }: Finding, message: ToolMessage, index: number): void {
  const match = matcher.answer(message.tool_call_id ?? "");
  if (match === undefined) {
    strays.push({ message, index, reason: undefined });
    return;
  }
  const { asker: chain, position } = match;
  chain.results[position] = index;
  if (position !== chain.inPlace || index !== chain.index + 1 + position) return;
  // whose results are all in place was asked last: nothing but results came since
  if (++chain.inPlace === chain.results.length) chains.pop();
}

const follower = new Follower(finding);

/** The faults of a list; of one that the same asker looked at before, only what is new or differs is looked at. */
export function followFaults(asker: object, messages: readonly BaseMessage[]): Faults {
  return follower.of(asker, messages);
}
