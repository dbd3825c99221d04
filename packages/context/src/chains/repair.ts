import { ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { reading, requireMessages, requireObject } from "../messages/given.ts";
import { isToolResult } from "../messages/kinds.ts";
import { followFaults, type FaultyChain, type Stray } from "./faults.ts";
import { structureOf, type ToolChain } from "./units.ts";

/** What stands in for the result of a call that never got one. */
export const CANCELLED_RESULT = "Cancelled: this tool call has no recorded result.";

export interface RepairReport {
  /** Calls that got a synthetic result. */
  readonly cancelled: readonly { readonly messageId: string | undefined; readonly callId: string }[];
  /** Tool results that were left out because no call is theirs. */
  readonly dropped: readonly {
    readonly messageId: string | undefined;
    readonly callId: string;
    readonly reason: "no-call" | "answered";
  }[];
  /** Tool results that were put directly behind their call. */
  readonly moved: number;
}

/** A list that providers accept, and what was done to it. */
export interface Repaired {
  /** The list that was given, the same array, if nothing was wrong with it. */
  readonly messages: readonly BaseMessage[];
  readonly changed: boolean;
  readonly report: RepairReport;
}

const NOTHING: RepairReport = { cancelled: [], dropped: [], moved: 0 };

/** Who repairs lists without a name of their own. */
const ANYBODY = {};

/**
 * Makes a list that providers accept: every assistant message with tool calls is followed by exactly
 * one result for each call, in the order of the calls, and no result stands anywhere else. It is
 * idempotent and depends on the list only; messages are reused, never changed.
 *
 * It makes a *view*, to be sent to a model: the thread's own messages stay as they are.
 *
 * Of a list that grew since it was repaired only what is new is looked at. Messages are values: calls
 * exchanged in place are noticed at once in the newest 32 messages, else when their turn comes.
 *
 * @param asker - whose lists it is one of: who also repairs other views of a thread keeps them apart by it
 * @throws GraphError INVALID_MESSAGE for what is no list of messages
 *
 * @example
 * const { messages, report } = repair(context);
 * if (report.cancelled.length > 0) console.log("calls without result:", report.cancelled);
 */
export function repair(messages: readonly BaseMessage[], asker: object = ANYBODY): Repaired {
  requireObject("repair", asker, "an object as its asker");
  const { chains, strays } = reading("repair", messages, () => followFaults(asker, messages));
  if (chains.length + strays.length === 0) return { messages, changed: false, report: NOTHING };
  nameReasons(strays, messages);
  const cancelled = chains.flatMap(({ message, calls, results }) =>
    calls.flatMap((call, at) =>
      results[at] === undefined ? [{ messageId: message.id, callId: call.id ?? "" }] : [],
    ),
  );
  const dropped = strays.map(({ message, reason = "no-call" }) => {
    return { messageId: message.id, callId: message.tool_call_id ?? "", reason };
  });
  const moved = chains.reduce((sum, chain) => sum + misplaced(chain), 0);
  return {
    messages: withoutFaults(messages, chains, strays),
    changed: true,
    report: { cancelled, dropped, moved },
  };
}

/** A position up to which a list is as it should be, and the chain whose results belong there; without one what stands there goes. */
interface Stop {
  readonly at: number;
  readonly chain: FaultyChain | undefined;
}

function withoutFaults(
  messages: readonly BaseMessage[],
  chains: readonly FaultyChain[],
  strays: readonly Stray[],
): BaseMessage[] {
  const stops: Stop[] = strays.map(({ index }) => ({ at: index, chain: undefined }));
  for (const chain of chains) {
    stops.push({ at: chain.index + 1, chain });
    for (const at of chain.results) if (at !== undefined) stops.push({ at, chain: undefined });
  }
  stops.sort((a, b) => a.at - b.at);
  let next = stops[0]?.at ?? 0;
  const result = messages.slice(0, next);
  for (const { at, chain } of stops) {
    while (next < at) result.push(messages[next++] as BaseMessage);
    if (chain === undefined) next = at + 1;
    else chain.calls.forEach((_, position) => result.push(resultOf(chain, position, messages)));
  }
  return result.concat(messages.slice(next));
}

/** The same stand-in each time, so that it is counted once. */
function resultOf(chain: FaultyChain, position: number, messages: readonly BaseMessage[]): BaseMessage {
  const at = chain.results[position];
  if (at !== undefined) return messages[at] as BaseMessage;
  return (chain.cancelled[position] ??= cancelledResult(
    chain.message,
    chain.calls[position] as ToolCall,
    position,
  ));
}

/** Tells results of calls that were answered before from those of calls that never were. */
function nameReasons(strays: readonly Stray[], messages: readonly BaseMessage[]): void {
  if (strays.every(({ reason }) => reason !== undefined)) return;
  const answered = new Set<string>();
  let next = 0;
  for (const stray of strays) {
    for (; next < stray.index; next++) {
      const message = messages[next] as BaseMessage;
      if (isToolResult(message)) answered.add(message.tool_call_id ?? "");
    }
    // a stray of the same id answers nothing: the walk goes on behind it
    next = stray.index + 1;
    stray.reason ??= answered.has(stray.message.tool_call_id ?? "") ? "answered" : "no-call";
  }
}

/**
 * Positions of tool results that no provider would accept there, and calls without result: 0 in a valid list.
 *
 * @example
 * countOrphans([new ToolMessage({ content: "42", tool_call_id: "gone" })]); // 1
 */
export function countOrphans(messages: readonly BaseMessage[]): number {
  requireMessages("countOrphans", messages);
  const { chains, orphans } = structureOf(messages);
  return chains.reduce(
    (sum, chain) => sum + misplaced(chain) + chain.results.filter((at) => at === undefined).length,
    orphans.length,
  );
}

/** Results that do not stand directly behind their call in the order of the calls. */
function misplaced(chain: Pick<ToolChain, "index" | "results">): number {
  const present = chain.results.filter((at) => at !== undefined);
  return present.filter((at, position) => at !== chain.index + 1 + position).length;
}

function cancelledResult(message: BaseMessage, call: ToolCall, position: number): ToolMessage {
  return new ToolMessage({
    id: `cancelled:${message.id ?? ""}:${position}`,
    content: CANCELLED_RESULT,
    tool_call_id: call.id ?? "",
    name: call.name,
    status: "error",
    additional_kwargs: { lc_source: "repair" },
  });
}
