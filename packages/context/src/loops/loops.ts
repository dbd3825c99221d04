import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { isAssistant, isUser, timestampOf, toolCallsOf } from "../messages/kinds.ts";

/** A call of a tool within a loop. */
export interface LoopCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** When it was asked for, in milliseconds since 1970, if the message says so. */
  readonly time: number | undefined;
  readonly loopId: string;
}

/** A turn: from what the user says to the answer without tool calls. */
export interface RunLoop {
  /** Id of its first message. */
  readonly id: string;
  readonly startedAt: number | undefined;
  /** Undefined while it is open, and where the messages have no times. */
  readonly endedAt: number | undefined;
  readonly user: BaseMessage;
  readonly calls: readonly LoopCall[];
  /** Null while it is open. */
  readonly answer: AIMessage | null;
  /** All of its messages, in order. */
  readonly messages: readonly BaseMessage[];
}

export interface RunLoops {
  /** What stands before the first user message. */
  readonly before: readonly BaseMessage[];
  readonly loops: readonly RunLoop[];
}

/**
 * Takes a conversation apart into run loops. A user message opens one if none is open, an assistant
 * message without tool calls closes it; what else is said before the next one belongs to it too. Derived
 * from the messages each time, so that the two can't get out of step: `before` and the loops' messages
 * are the list.
 *
 * @example
 * const { loops } = runLoops(await threadHistory(config));
 * loops.at(-1)?.calls.map(({ name }) => name);
 */
export function runLoops(messages: readonly BaseMessage[]): RunLoops {
  const before: BaseMessage[] = [];
  const loops: OpenLoop[] = [];
  for (const message of messages) {
    const last = loops.at(-1);
    if (isUser(message) && (last === undefined || last.answer !== null)) {
      loops.push({ user: message, answer: null, messages: [message] });
    } else if (last === undefined) before.push(message);
    else {
      last.messages.push(message);
      if (isAssistant(message) && toolCallsOf(message).length === 0) last.answer = message;
    }
  }
  return { before, loops: loops.map(closed) };
}

interface OpenLoop {
  readonly user: BaseMessage;
  answer: AIMessage | null;
  readonly messages: BaseMessage[];
}

function closed({ user, answer, messages }: OpenLoop, position: number): RunLoop {
  const id = user.id ?? `#${position}`;
  const calls = messages.flatMap((message) =>
    toolCallsOf(message).map((call): LoopCall => ({
      id: call.id ?? "",
      name: call.name,
      input: call.args,
      time: timestampOf(message),
      loopId: id,
    })),
  );
  const endedAt = answer === null ? undefined : timestampOf(answer);
  return { id, startedAt: timestampOf(user), endedAt, user, calls, answer, messages };
}
