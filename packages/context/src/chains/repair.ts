import { ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { isToolResult, toolCallsOf } from "../messages/kinds.ts";
import { isAnsweredAtOnce, structureOf, type ToolChain } from "./units.ts";

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

export interface Repaired {
  /** The list that was given, the same array, if nothing was wrong with it. */
  readonly messages: readonly BaseMessage[];
  readonly changed: boolean;
  readonly report: RepairReport;
}

const NOTHING: RepairReport = { cancelled: [], dropped: [], moved: 0 };

/**
 * Makes a list that providers accept: every assistant message with tool calls is followed by exactly
 * one result for each call, in the order of the calls, and no result stands anywhere else. It is
 * idempotent and depends on the list only; messages are reused, never changed.
 *
 * It makes a *view*, to be sent to a model: the thread's own messages stay as they are.
 *
 * @example
 * const { messages, report } = repair(context);
 * if (report.cancelled.length > 0) console.log("calls without result:", report.cancelled);
 */
export function repair(messages: readonly BaseMessage[]): Repaired {
  if (isValid(messages)) return { messages, changed: false, report: NOTHING };
  const structure = structureOf(messages);
  const chains = new Map(structure.chains.map((chain) => [chain.index, chain]));
  const result: BaseMessage[] = [];
  const cancelled: RepairReport["cancelled"][number][] = [];
  let moved = 0;
  for (const [index, message] of messages.entries()) {
    if (isToolResult(message)) continue;
    result.push(message);
    const chain = chains.get(index);
    if (chain === undefined) continue;
    moved += misplaced(chain);
    for (const [position, call] of toolCallsOf(message).entries()) {
      const at = chain.results[position];
      if (at === undefined) cancelled.push({ messageId: message.id, callId: call.id ?? "" });
      result.push(
        at === undefined ? cancelledResult(message, call, position) : (messages[at] as BaseMessage),
      );
    }
  }
  const dropped = structure.orphans.map(({ index, reason }) => {
    const orphan = messages[index] as ToolMessage;
    return { messageId: orphan.id, callId: orphan.tool_call_id ?? "", reason };
  });
  return { messages: result, changed: true, report: { cancelled, dropped, moved } };
}

/**
 * Positions of tool results that no provider would accept there, and calls without result: 0 in a valid list.
 *
 * @example
 * countOrphans([new ToolMessage({ content: "42", tool_call_id: "gone" })]); // 1
 */
export function countOrphans(messages: readonly BaseMessage[]): number {
  const { chains, orphans } = structureOf(messages);
  return chains.reduce(
    (sum, chain) => sum + misplaced(chain) + chain.results.filter((at) => at === undefined).length,
    orphans.length,
  );
}

/** The rule of the providers by itself: every model call asks, and nearly every list is valid. */
function isValid(messages: readonly BaseMessage[]): boolean {
  for (let i = 0; i < messages.length; i++) {
    const message = messages[i] as BaseMessage;
    if (isToolResult(message) || !isAnsweredAtOnce(messages, i)) return false;
    i += toolCallsOf(message).length;
  }
  return true;
}

/** Results that do not stand directly behind their call in the order of the calls. */
function misplaced(chain: ToolChain): number {
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
