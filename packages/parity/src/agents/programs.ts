import type { LangChain } from "./langchains.ts";
import type { Reply } from "./model.ts";

/** One program of an agent, written once; the middleware is ours or theirs, the agent too. */
export interface Program {
  readonly replies: readonly Reply[];
  readonly ours: () => readonly object[];
  /** LangChain's, where it has the same. */
  readonly theirs?: (lc: LangChain) => readonly object[];
  readonly tools?: () => readonly object[];
  readonly text?: string;
  /** What a question is answered with. */
  readonly resume?: unknown;
  readonly structured?: unknown;
  /** What holds whoever runs it. */
  readonly expected: (facts: Facts) => void;
}

export interface Facts {
  readonly lines: readonly string[];
  readonly prompts: readonly { readonly messages: readonly string[]; readonly tools: readonly string[] }[];
  readonly state: Record<string, unknown>;
  readonly asked: unknown;
}
