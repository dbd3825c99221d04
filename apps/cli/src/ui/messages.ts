import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { isMarkedSummary } from "@skein/context";
import { excerpt } from "./format.ts";
import { json } from "./json.ts";

/** Who speaks, in the words of a chat. */
export function speaker(message: BaseMessage): string {
  if (isMarkedSummary(message)) return "summary";
  if (ToolMessage.isInstance(message)) return `tool ${message.name ?? ""}`.trim();
  return { human: "user", ai: "assistant" }[message.type as string] ?? message.type;
}

/** A message on one line: text, or the calls that it makes. */
export function describe(message: BaseMessage, length: number): string {
  const { tool_calls: calls = [], invalid_tool_calls: broken = [] } = AIMessage.isInstance(message)
    ? message
    : {};
  const parts = [
    message.text,
    ...calls.map((call) => describeCall(call.name, call.args, 80)),
    ...broken.map(({ name, args }) =>
      excerpt(`${name ?? "a call"} (arguments are no JSON: ${args ?? ""})`, 80),
    ),
  ].filter(Boolean);
  return excerpt(parts.join(" "), length);
}

/** `search_files query=GraphError` */
export function describeCall(name: string, args: Readonly<Record<string, unknown>>, length: number): string {
  const given = Object.entries(args).map(
    ([key, value]) => `${key}=${typeof value === "string" ? value : json(value)}`,
  );
  return excerpt([name, ...given].join(" "), length);
}
