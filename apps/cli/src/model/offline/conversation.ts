import type { BaseMessage } from "@langchain/core/messages";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";

/** A tool call of the open turn, with what came back. */
export interface Step {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result: string;
  readonly failed: boolean;
}

/** What the planner may know: nothing but the messages of one request. */
export interface Conversation {
  /** The user's last message; undefined when a summary has taken it in. */
  readonly question: string | undefined;
  /** Rounds of tool calls since the question; the calls of one round were made in parallel. */
  readonly rounds: readonly (readonly Step[])[];
  /** Messages before the question, oldest first, a summary included. */
  readonly earlier: readonly { readonly role: string; readonly text: string }[];
}

/** A message that some context manager made; it is background, never the user's question. */
function isSynthetic(message: BaseMessage): boolean {
  return message.additional_kwargs["lc_source"] === "summarization";
}

export function readConversation(messages: readonly BaseMessage[]): Conversation {
  const asked = messages.findLastIndex(
    (message) => HumanMessage.isInstance(message) && !isSynthetic(message),
  );
  const turn = messages.slice(asked + 1);
  const question = asked < 0 ? undefined : messages[asked]?.text.trim();
  // The system prompt is no part of the conversation; a summary is, wherever it stands.
  const earlier = messages
    .filter((message, index) => isSynthetic(message) || (index < asked && message.type !== "system"))
    .map((message) => ({
      role: isSynthetic(message) ? ("summary" as const) : message.type,
      text: withCalls(message),
    }))
    .filter(({ text }) => text !== "");
  return { question, rounds: readRounds(turn), earlier };
}

/** The text of a message and, for an assistant's, the arguments of its calls: file names stand there. */
function withCalls(message: BaseMessage): string {
  if (!AIMessage.isInstance(message) || !message.tool_calls?.length) return message.text;
  return [message.text, ...message.tool_calls.map((call) => JSON.stringify(call.args))].join(" ").trim();
}

/** What a tool said, without what the agent wraps around a failure for a model that can try again. */
function resultOf({ status, text }: ToolMessage): string {
  if (status !== "error") return text;
  return text
    .replace(/^Tool "[^"]*" failed: /, "")
    .replace(/\nCheck the arguments, or go on without it\.$/, "");
}

function readRounds(turn: readonly BaseMessage[]): Step[][] {
  const rounds: Step[][] = [];
  turn.forEach((message, index) => {
    if (!AIMessage.isInstance(message) || !message.tool_calls?.length) return;
    // Ids are reused in real threads: a call's result is the first one with its id after the call.
    const after = turn.slice(index + 1);
    const steps = message.tool_calls.flatMap((call): Step[] => {
      const result = after.find(
        (other): other is ToolMessage => ToolMessage.isInstance(other) && other.tool_call_id === call.id,
      );
      if (!result) return [];
      return [
        { name: call.name, args: call.args, result: resultOf(result), failed: result.status === "error" },
      ];
    });
    if (steps.length > 0) rounds.push(steps);
  });
  return rounds;
}
