import type { BaseMessage } from "@langchain/core/messages";
import { structureOf } from "../chains/units.ts";
import { isAssistant, isRecallOutput, isToolResult, isUser, toolCallsOf } from "../messages/kinds.ts";
import { textOf } from "../messages/text.ts";
import { factsOfJson, jsonOf } from "./facts.ts";
import type { Notes, ToolNote } from "./notes.ts";
import { gistOf } from "./salience.ts";
import { shorten } from "./sentences.ts";

const LONGEST_REQUEST = 240;
const LONGEST_ANSWER = 240;
const LONGEST_OUTCOME = 96;

const FAILURE = /^\s*(?:error|failed|failure|exception|traceback|错误|失败)/iu;

/** Adds what messages say to notes. Pure; later mentions of the same thing move it to the end. */
export function gather(before: Notes, messages: readonly BaseMessage[]): Notes {
  const requests = [...before.requests];
  const answers = [...before.answers];
  const facts = [...before.facts];
  const other = [...before.other];
  const tools = new Map(before.tools);
  const names = namesOfResults(messages);
  for (const [index, message] of messages.entries()) {
    if (isRecallOutput(message)) continue;
    const text = textOf(message);
    if (isUser(message)) push(requests, gistOf(text, LONGEST_REQUEST));
    else if (isToolResult(message)) {
      const name = names.get(index) ?? message.name ?? "unknown tool";
      const json = jsonOf(text);
      if (json !== undefined) facts.push(...factsOfJson(json));
      tools.set(
        name,
        afterResult(tools.get(name), outcomeOf(text, json), failed(message.status, text, json)),
      );
    } else if (isAssistant(message)) {
      push(answers, gistOf(text, LONGEST_ANSWER));
      for (const call of toolCallsOf(message)) {
        facts.push(...factsOfJson(call.args));
        tools.set(call.name, afterCall(tools.get(call.name)));
      }
    } else push(other, gistOf(text, LONGEST_ANSWER));
  }
  return {
    requests: latestOnly(requests),
    answers: latestOnly(answers),
    facts: latestOnly(facts),
    tools,
    other: latestOnly(other),
  };
}

function push(list: string[], text: string): void {
  if (text !== "") list.push(text);
}

function latestOnly(items: readonly string[]): string[] {
  return [...new Set(items.toReversed())].toReversed();
}

/** The name of the tool that each result is of, by its call: results need not name it. */
function namesOfResults(messages: readonly BaseMessage[]): Map<number, string> {
  const names = new Map<number, string>();
  for (const chain of structureOf(messages).chains) {
    const calls = toolCallsOf(messages[chain.index] as BaseMessage);
    for (const [position, at] of chain.results.entries()) {
      const name = calls[position]?.name;
      if (at !== undefined && name !== undefined) names.set(at, name);
    }
  }
  return names;
}

function afterCall(note: ToolNote | undefined): ToolNote {
  return { calls: (note?.calls ?? 0) + 1, failed: note?.failed ?? 0, last: note?.last ?? "" };
}

function afterResult(note: ToolNote | undefined, outcome: string, bad: boolean): ToolNote {
  // The call of a result may have been summarized before it (orphans); it is counted then.
  return { calls: note?.calls ?? 1, failed: (note?.failed ?? 0) + (bad ? 1 : 0), last: outcome };
}

function outcomeOf(text: string, json: unknown): string {
  const facts = json === undefined ? [] : factsOfJson(json);
  return facts.length > 0
    ? shorten(facts.slice(0, 4).join(", "), LONGEST_OUTCOME)
    : gistOf(text, LONGEST_OUTCOME);
}

function failed(status: string | undefined, text: string, json: unknown): boolean {
  if (status === "error" || FAILURE.test(text)) return true;
  if (typeof json !== "object" || json === null || Array.isArray(json)) return false;
  const { error, success } = json as { error?: unknown; success?: unknown };
  return success === false || (error !== undefined && error !== null && error !== false && error !== "");
}
