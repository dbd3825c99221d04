import type { Conversation } from "../conversation.ts";
import { answer, type Move } from "./move.ts";

/** What the visible messages, a summary included, still say of the conversation. */
export function recall(conversation: Conversation): Move {
  const asked = conversation.earlier
    .filter(({ role }) => role === "human")
    .map(({ text }) => `- ${firstLine(text)}`);
  const summary = conversation.earlier.findLast(({ role }) => role === "summary")?.text;
  const lines: string[] = [];
  if (summary) lines.push("From the summary of what came before:", summary.trim(), "");
  if (asked.length > 0) lines.push("Your messages that I still see word for word:", ...asked.slice(-15));
  return answer(lines.join("\n").trim() || "This is the first message that I see.");
}

function firstLine(text: string): string {
  const line = text.split("\n")[0] ?? "";
  return line.length > 200 ? `${line.slice(0, 200)} ...` : line;
}

/** The question itself is out of sight (the context was compacted in mid-turn): say what came back. */
export function wrapUp(conversation: Conversation): Move {
  const seen = conversation.rounds
    .flat()
    .slice(-6)
    .map((step) => `- ${step.name} ${JSON.stringify(step.args)}: ${firstLine(step.result)}`);
  if (seen.length === 0) return answer("Ask me about the files of this folder, or say `help`.");
  return answer(["What the tools returned last:", ...seen].join("\n"));
}
