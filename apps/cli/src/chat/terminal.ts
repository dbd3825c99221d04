import pc from "picocolors";
import { count, excerpt } from "../ui/format.ts";
import { describeCall } from "../ui/messages.ts";
import type { ChatEvent, Show } from "./events.ts";

/** One JSON object a line. */
export function jsonView(write: (text: string) => void): Show {
  return (event) => write(`${JSON.stringify(event)}\n`);
}

/** For people: tokens as they come, tool calls on a line each. */
export function terminalView(write: (text: string) => void): Show {
  let inAnswer = false;
  const line = (text: string): void => {
    write(`${inAnswer ? "\n" : ""}${text}\n`);
    inAnswer = false;
  };
  return (event) => {
    if (event.type === "token") {
      inAnswer = true;
      write(event.text);
    } else if (event.type === "answer") {
      if (inAnswer) write("\n");
      inAnswer = false;
    } else {
      line(toLine(event));
    }
  };
}

function toLine(event: Exclude<ChatEvent, { type: "token" | "answer" }>): string {
  switch (event.type) {
    case "thread":
      return threadLine(event);
    case "unfinished":
      return pc.yellow(
        `The last turn was stopped before ${event.next.join(", ")}. Press Enter to finish it, or ask something else.`,
      );
    case "tool-call":
      return pc.cyan(`  > ${describeCall(event.name, event.args, 110)}`);
    case "tool-result":
      return pc.dim(`    ${event.failed ? "failed: " : ""}${excerpt(event.text, 110)}`);
    case "compaction":
      return pc.magenta(
        `  ~ ${event.messages} messages went under the summary: ${count(event.tokensBefore)} -> ${count(event.tokensAfter)} tokens; the history keeps them`,
      );
    case "stopped":
      return pc.yellow(
        "Stopped. The thread is saved: press Enter to finish the turn, ask something else, or Ctrl-C to leave.",
      );
    case "error":
      return pc.red(`skein: ${event.message}`);
    case "context":
      return [
        `${pc.bold("context")}: ${event.messages.length} of ${event.total} messages, ${count(event.tokens)} tokens`,
        ...rows(event.messages),
      ].join("\n");
    case "history":
      return [
        `${pc.bold("history")}: the last ${event.messages.length} of ${event.total} messages`,
        ...rows(event.messages),
      ].join("\n");
    case "info":
      return event.text;
  }
}

function threadLine({
  started,
  thread,
  model,
  dir,
  messages,
}: Extract<ChatEvent, { type: "thread" }>): string {
  const what = {
    new: `New thread ${pc.bold(thread)}`,
    continued: `Going on with thread ${pc.bold(thread)} (${count(messages)} messages)`,
    fork: `Branch of thread ${pc.bold(thread)} (${count(messages)} messages)`,
  }[started];
  return `${what}, model ${pc.bold(model)}, folder ${dir}. /help says what there is.`;
}

/** Messages that were described for both views. */
export interface Row {
  readonly speaker: string;
  readonly text: string;
}

const rows = (messages: readonly unknown[]): string[] =>
  messages.map((message) => {
    const { speaker, text } = message as Row;
    return `  ${pc.bold(speaker)}: ${excerpt(text, 140)}`;
  });
