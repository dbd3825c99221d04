import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { requireMessages } from "../messages/given.ts";
import { Follower, type Fold } from "../messages/follow.ts";
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
  /** Milliseconds since 1970; undefined where the messages have no times. */
  readonly startedAt: number | undefined;
  /** Milliseconds since 1970; undefined while it is open, and where the messages have no times. */
  readonly endedAt: number | undefined;
  readonly user: BaseMessage;
  readonly calls: readonly LoopCall[];
  /** Null while it is open. */
  readonly answer: AIMessage | null;
  /** All of its messages, in order. */
  readonly messages: readonly BaseMessage[];
}

/** A conversation as its turns. */
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
 * @throws GraphError INVALID_MESSAGE for what is no list of messages
 *
 * @example
 * const { loops } = runLoops(await threadHistory(config));
 * loops.at(-1)?.calls.map(({ name }) => name);
 */
export function runLoops(messages: readonly BaseMessage[]): RunLoops {
  requireMessages("runLoops", messages);
  const { before, loops } = finding.start();
  for (const [index, message] of messages.entries()) finding.take({ before, loops }, message, index);
  return { before, loops: loops.map(closed) };
}

/** A loop as far as it was read. One that another follows never changes. */
export interface LoopAt {
  readonly user: BaseMessage;
  /** Of the user's message. */
  readonly index: number;
  readonly answer: AIMessage | null;
  readonly messages: readonly BaseMessage[];
}

interface OpenLoop extends LoopAt {
  answer: AIMessage | null;
  readonly messages: BaseMessage[];
}

interface Finding {
  readonly before: BaseMessage[];
  readonly loops: OpenLoop[];
}

const finding: Fold<Finding> = {
  start: () => ({ before: [], loops: [] }),
  take({ before, loops }, message, index) {
    const last = loops.at(-1);
    if (isUser(message) && (last === undefined || last.answer !== null)) {
      loops.push({ user: message, index, answer: null, messages: [message] });
    } else if (last === undefined) before.push(message);
    else {
      last.messages.push(message);
      if (isAssistant(message) && toolCallsOf(message).length === 0) last.answer = message;
    }
  },
  back({ loops }, index) {
    // the loop before that position goes too: other messages may become part of it
    let last = loops.pop();
    while (last !== undefined && last.index >= index) last = loops.pop();
    return last?.index ?? 0;
  },
};

const follower = new Follower(finding);

/** The loops of a list; of one that the same asker read before, only what is new or differs is read. */
export function followLoops(
  asker: object,
  messages: readonly BaseMessage[],
): { readonly loops: readonly LoopAt[] } {
  return follower.of(asker, messages);
}

/** @param position - among the loops, which names one whose message has no id */
export function closed({ user, answer, messages }: LoopAt, position: number): RunLoop {
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
  return { id, startedAt: timestampOf(user), endedAt: endOf(answer), user, calls, answer, messages };
}

function endOf(answer: AIMessage | null): number | undefined {
  return answer === null ? undefined : timestampOf(answer);
}

/** When a loop ended, else when it began, if its messages say so. */
export function lastTimeOf({ user, answer }: LoopAt): number | undefined {
  return endOf(answer) ?? timestampOf(user);
}
