import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { separateSystem, toRecorded, type RecordedMessage, type SystemPolicy } from "@skein/context";

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
  /**
   * The same as they must be found in the history. Where the agent had to give a call another id
   * (an empty one, the same one twice in a message), that one: "equal" means ids apart.
   */
  readonly expected: readonly RecordedMessage[];
  /** System messages outside the tracks. */
  readonly systemMessages: number;
  /** Position of the next message that nobody has taken. */
  readonly position: number;
  /** The system prompt in force at the cursor. */
  readonly systemPrompt: string;
  readonly next: "input" | "assistant" | "end";
  takeInput(): BaseMessage;
  takeAssistant(): AIMessage;
  /**
   * What the next started tool call returns: nothing, one result, or (the last call) all that are left.
   *
   * @param callId - id of the call, as the agent knows it
   */
  takeResults(callId: string): ToolMessage[];
}

/**
 * The messages become the replay's own. A system message that leaves the tracks is the system prompt of
 * what follows it, as `createAgent({systemPrompt})` would have it.
 *
 * @param policy - which of them do. Default: all
 */
export function createPlayback(
  recorded: readonly BaseMessage[],
  idPrefix: string,
  policy: SystemPolicy = "external",
): Playback {
  const { messages, prompts } = separateSystem(recorded, policy);
  for (const [at, message] of messages.entries()) message.id = `${idPrefix}-${at}`;
  const expected = messages.map((message) => toRecorded(message));
  let position = 0;
  let reply = -1;
  let started = 0;
  return {
    messages,
    expected,
    systemMessages: recorded.length - messages.length,
    get position() {
      return position;
    },
    get systemPrompt() {
      return prompts.findLast(({ before }) => before <= position)?.text ?? "";
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
      reply = position;
      started = 0;
      position += 1;
      return messages[reply] as AIMessage;
    },
    takeResults(callId) {
      const calls = [...(expected[reply]?.tool_calls ?? [])];
      const call = calls[started];
      started += 1;
      const taken: ToolMessage[] = [];
      while (ToolMessage.isInstance(messages[position]) && (taken.length === 0 || started === calls.length)) {
        taken.push(messages[position] as ToolMessage);
        position += 1;
      }
      if (call === undefined) return taken;
      if (call.id !== callId) {
        calls[started - 1] = { ...call, id: callId };
        expected[reply] = { ...(expected[reply] as RecordedMessage), tool_calls: calls };
      }
      return taken.map((message, index) => {
        // one by itself is the result of its call, whatever id it bears
        if (message.tool_call_id === callId || (message.tool_call_id !== call.id && taken.length > 1))
          return message;
        const at = position - taken.length + index;
        expected[at] = { ...(expected[at] as RecordedMessage), tool_call_id: callId };
        return withCallId(message, callId);
      });
    },
  };
}

function withCallId(message: ToolMessage, callId: string): ToolMessage {
  const { id, content, name, additional_kwargs } = message;
  return new ToolMessage({
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    content,
    additional_kwargs,
    tool_call_id: callId,
  });
}
