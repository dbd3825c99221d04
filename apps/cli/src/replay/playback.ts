import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";

/**
 * A recording as a script with one cursor. Driver, model and tools of a replay read from it, each
 * what is its part; whoever takes a message moves the cursor behind it.
 *
 * Parts: the driver feeds everything up to the next assistant message, one message a turn; the model
 * says assistant messages; the tools return the tool messages that follow directly, by position,
 * because ids are used again in real threads. A tool message that follows no call is an input.
 */
export interface Playback {
  /** Messages that belong to the tracks, in order, each with an id that this replay knows. */
  readonly messages: readonly BaseMessage[];
  /** System messages outside the tracks. */
  readonly systemMessages: number;
  /** Position of the next message that nobody has taken. */
  readonly position: number;
  /** The system prompt in force at the cursor. */
  readonly systemPrompt: string;
  readonly next: "input" | "assistant" | "end";
  takeInput(): BaseMessage;
  takeAssistant(): AIMessage;
  /** What the next started tool call returns: nothing, one result, or (the last call) all that are left. */
  takeResults(): BaseMessage[];
}

/**
 * System messages are external: they never enter the tracks. Each is the system prompt of what
 * follows it, as `createAgent({systemPrompt})` would have it. The messages become the replay's own.
 */
export function createPlayback(recorded: readonly BaseMessage[], idPrefix: string): Playback {
  const messages: BaseMessage[] = [];
  const prompts: { readonly from: number; readonly text: string }[] = [];
  for (const message of recorded) {
    if (message.type === "system") prompts.push({ from: messages.length, text: message.text });
    else {
      message.id = `${idPrefix}-${messages.length}`;
      messages.push(message);
    }
  }
  let position = 0;
  let waitingCalls = 0;
  return {
    messages,
    systemMessages: prompts.length,
    get position() {
      return position;
    },
    get systemPrompt() {
      return prompts.findLast(({ from }) => from <= position)?.text ?? "";
    },
    get next() {
      const message = messages[position];
      if (message === undefined) return "end";
      return AIMessage.isInstance(message) ? "assistant" : "input";
    },
    takeInput() {
      position += 1;
      return messages[position - 1] as BaseMessage;
    },
    takeAssistant() {
      const message = messages[position] as AIMessage;
      position += 1;
      waitingCalls = message.tool_calls?.length ?? 0;
      return message;
    },
    takeResults() {
      waitingCalls -= 1;
      const taken: BaseMessage[] = [];
      while (ToolMessage.isInstance(messages[position]) && (taken.length === 0 || waitingCalls === 0)) {
        taken.push(messages[position] as ToolMessage);
        position += 1;
      }
      return taken;
    },
  };
}
