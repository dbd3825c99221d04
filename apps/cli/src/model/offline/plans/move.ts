import type { Conversation, Step } from "../conversation.ts";

/** What the model does next: call tools, in parallel, or answer. */
export type Move =
  | { readonly kind: "call"; readonly calls: readonly Call[] }
  | { readonly kind: "answer"; readonly text: string };

export interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

export type Planner<Wanted> = (wanted: Wanted, conversation: Conversation) => Move;

export const answer = (text: string): Move => ({ kind: "answer", text });
export const call = (...calls: readonly Call[]): Move => ({ kind: "call", calls });

export const listFiles = (args: Call["args"]): Call => ({ name: "list_files", args });
export const readFile = (args: Call["args"]): Call => ({ name: "read_file", args });
export const searchFiles = (args: Call["args"]): Call => ({ name: "search_files", args });
export const gitLog = (args: Call["args"]): Call => ({ name: "git_log", args });

/** Results of one tool in this turn that did not fail, oldest first. */
export function results(conversation: Conversation, name: string): Step[] {
  return conversation.rounds.flat().filter((step) => step.name === name && !step.failed);
}

export function failures(conversation: Conversation): Step[] {
  return conversation.rounds.flat().filter((step) => step.failed);
}

export const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;
