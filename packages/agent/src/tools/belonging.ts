import { RemoveMessage, ToolMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { Command, isCommand, Overwrite } from "@skein/graph";
import { untimed } from "../messages/untimed.ts";
import type { ToolResult } from "./run-tool.ts";

/**
 * What a tool or a wrap returned, as the result of its call. One with another call's id, or a command that
 * brings none, would leave the call open: the model would be told that it was cancelled, and ask again for
 * what was done. Commands for the parent graph leave this thread, and those that remove messages may have
 * removed the call.
 */
export function asResultOf(call: ToolCall, result: ToolResult): ToolResult {
  if (!isCommand(result)) return result.tool_call_id === call.id ? result : withCall(result, call);
  if (result.graph === Command.PARENT) return result;
  const update = result._updateAsTuples().map(([key, value]): [string, unknown] => [key, value]);
  const messages = update.flatMap(([key, value]) => (key === "messages" ? (value as unknown) : []));
  if (messages.some((one) => isOf(call, one) || isRemoving(one))) return result;
  const given = messages.filter((one) => ToolMessage.isInstance(one));
  if (given.length > 1) return result;
  const [only] = given;
  // who writes an empty list says that there is none
  if (messages.length === 0 && update.some(([key]) => key === "messages")) return result;
  if (only === undefined) return withUpdate(result, [...update, ["messages", [nothingSaid(call)]]]);
  const mine = withCall(only, call);
  const mended = update.map(([key, value]): [string, unknown] =>
    key === "messages" ? [key, [value].flat().map((one) => (one === only ? mine : one))] : [key, value],
  );
  return withUpdate(result, mended);
}

const isOf = (call: ToolCall, message: unknown): boolean =>
  (message as { readonly tool_call_id?: unknown } | null | undefined)?.tool_call_id === call.id;

const isRemoving = (message: unknown): boolean =>
  Overwrite.isInstance(message) || RemoveMessage.isInstance(message as never);

/**
 * A copy for the call, under an id and with a time of its own: one object that is returned again and again, as
 * caches do, is a message of the thread by then, in whose place the copy would be put.
 */
function withCall(message: ToolMessage, { id = "" }: ToolCall): ToolMessage {
  const { content, name, status, artifact, metadata, response_metadata } = message;
  return new ToolMessage({
    content,
    tool_call_id: id,
    additional_kwargs: untimed(message.additional_kwargs),
    response_metadata,
    artifact: artifact as unknown,
    ...(name === undefined ? {} : { name }),
    ...(status === undefined ? {} : { status }),
    ...(metadata === undefined ? {} : { metadata }),
  });
}

function nothingSaid({ id = "", name }: ToolCall): ToolMessage {
  return new ToolMessage({ content: `The tool "${name}" ended and said nothing.`, tool_call_id: id, name });
}

function withUpdate({ goto, resume }: Command, update: [string, unknown][]): Command {
  return new Command({ goto, update, ...(resume === undefined ? {} : { resume }) });
}
