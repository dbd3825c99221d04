import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { isCutOff } from "@skein/context";

/** The last reply of the model and what came of it, as the end of the context shows it. */
export type Turn =
  /** The model has not spoken, or has nothing more to do. */
  | { readonly state: "final" }
  /** Calls wait for their results. */
  | { readonly state: "calling"; readonly reply: AIMessage; readonly calls: readonly ToolCall[] }
  /** Every call of the reply has its result. `last`: nothing was said since. */
  | {
      readonly state: "answered";
      readonly reply: AIMessage;
      readonly results: readonly ToolMessage[];
      readonly last: boolean;
    };

const FINAL: Turn = { state: "final" };
const NO_RESULTS: ReadonlyMap<string, ToolMessage> = new Map();

/**
 * Reads the turn off the end of the context. Only results behind the reply count, because ids of
 * tool calls are reused later in a thread for other calls (B7).
 */
export function readTurn(messages: readonly BaseMessage[]): Turn {
  let results: Map<string, ToolMessage> | undefined;
  let last = true;
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = messages[at] as BaseMessage;
    if (ToolMessage.isInstance(message)) {
      results ??= new Map();
      if (!results.has(message.tool_call_id)) results.set(message.tool_call_id, message);
      continue;
    }
    if (AIMessage.isInstance(message)) return turnOf(message, results ?? NO_RESULTS, last);
    last = false;
  }
  return FINAL;
}

/**
 * Whether a reply asks for tools (E6): it has calls and was not cut off. `stop` does not end a turn
 * whose reply has calls, because Gemini and Ollama say `stop` also when they call tools.
 */
function wantsTools(reply: AIMessage): boolean {
  return (reply.tool_calls?.length ?? 0) > 0 && !isCutOff(reply);
}

function turnOf(reply: AIMessage, results: ReadonlyMap<string, ToolMessage>, last: boolean): Turn {
  if (!wantsTools(reply)) return FINAL;
  const all = reply.tool_calls ?? [];
  const calls = all.filter((call) => !results.has(call.id ?? ""));
  if (calls.length > 0) return { state: "calling", reply, calls };
  const answers = all.map((call) => results.get(call.id ?? "") as ToolMessage);
  return { state: "answered", reply, results: answers, last };
}

/** Whether a turn ended in tools that speak for the model: all of them, and none failed. */
export function endsDirectly(turn: Turn, returnDirect: ReadonlySet<string>): boolean {
  if (returnDirect.size === 0 || turn.state !== "answered" || !turn.last) return false;
  return turn.results.every(
    (result, at) =>
      result.status !== "error" && returnDirect.has(turn.reply.tool_calls?.[at]?.name ?? result.name ?? ""),
  );
}
