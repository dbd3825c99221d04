import type { Conversation } from "../conversation.ts";
import { readIntent, type Intent } from "../intent.ts";
import { changed } from "./changed.ts";
import { explore } from "./explore.ts";
import { answer, type Move } from "./move.ts";
import { question } from "./question.ts";
import { recall, wrapUp } from "./recall.ts";
import { summarise } from "./summarise.ts";
import { where } from "./where.ts";

export type { Call, Move } from "./move.ts";

const HELP = [
  "I am the offline model: no network, no language model, only the tools. I can",
  "- explore the folder (`explore`, `list files in docs`)",
  "- say where something is (`where is createAgent?`, `find TODO`)",
  "- show a file, or summarise it (`read README.md`, `summarise README.md`)",
  "- say what changed (`what changed?`, `what changed in package.json?`)",
  "- answer from what the files say (`how is a thread resumed?`)",
  "- say what we talked about (`what did I ask so far?`)",
].join("\n");

/** The next move, given nothing but the conversation and the names of the tools. */
export function plan(conversation: Conversation, tools: ReadonlySet<string>): Move {
  if (conversation.question === undefined) return wrapUp(conversation);
  const move = follow(readIntent(conversation.question), conversation);
  if (move.kind === "answer") return move;
  const calls = move.calls.filter(({ name }) => tools.has(name));
  if (calls.length > 0) return { kind: "call", calls };
  const missing = [...new Set(move.calls.map(({ name }) => name))].join(", ");
  return answer(`I would need the tool ${missing} for that, and it is not among mine.`);
}

function follow(intent: Intent, conversation: Conversation): Move {
  switch (intent.kind) {
    case "greeting":
      return answer("Hello! Ask me about the files of this folder, or say `help`.");
    case "help":
      return answer(HELP);
    case "recall":
      return recall(conversation);
    case "explore":
      return explore(intent, conversation);
    case "changed":
      return changed(intent, conversation);
    case "summarise":
      return summarise(intent, conversation);
    case "where":
      return where(intent, conversation);
    case "question":
      return question(intent, conversation);
  }
}
