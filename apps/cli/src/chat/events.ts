/** What happens in a chat, as `--json` prints it, one a line. */
export type ChatEvent =
  | {
      readonly type: "thread";
      readonly thread: string;
      readonly started: "new" | "continued" | "fork";
      readonly model: string;
      readonly dir: string;
      readonly messages: number;
    }
  /** The thread's last turn was stopped; an empty message or `/resume` goes on with it. */
  | { readonly type: "unfinished"; readonly next: readonly string[] }
  | { readonly type: "token"; readonly text: string }
  | {
      readonly type: "tool-call";
      readonly id: string;
      readonly name: string;
      readonly args: Readonly<Record<string, unknown>>;
    }
  | {
      readonly type: "tool-result";
      readonly id: string;
      readonly name: string;
      readonly failed: boolean;
      readonly text: string;
    }
  | { readonly type: "answer"; readonly text: string }
  | {
      readonly type: "compaction";
      readonly messages: number;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  /** A call waits for a decision; the next line is taken for one. */
  | {
      readonly type: "approval";
      readonly name: string;
      readonly args: Readonly<Record<string, unknown>>;
      /** Which of how many calls it is, from 1. */
      readonly at: number;
      readonly of: number;
    }
  | { readonly type: "stopped" }
  /** `/reset`: the session is over. `ending`: its history could not be handed over yet. */
  | {
      readonly type: "session-end";
      readonly thread: string;
      readonly state: "ending" | "ended";
      /** Where its history is, if it was handed over. */
      readonly file?: string;
      readonly error?: string;
    }
  | { readonly type: "error"; readonly message: string }
  | {
      readonly type: "context";
      readonly messages: readonly unknown[];
      readonly tokens: number;
      readonly total: number;
    }
  | { readonly type: "history"; readonly messages: readonly unknown[]; readonly total: number }
  | { readonly type: "info"; readonly text: string };

export type Show = (event: ChatEvent) => void;
