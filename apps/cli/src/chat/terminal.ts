import pc from "picocolors";
import { count, excerpt, label, plural, printable } from "../ui/format.ts";
import { json } from "../ui/json.ts";
import { describeCall } from "../ui/messages.ts";
import { APPROVAL_HELP } from "./approval.ts";
import type { ChatEvent, Show } from "./events.ts";

/** One JSON object a line. */
export function jsonView(write: (text: string) => void): Show {
  return (event) => write(`${json(event)}\n`);
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
      write(printable(event.text));
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
        `The last turn is unfinished (next: ${event.next.map(nodeName).join(", ")}). Press Enter to finish it, or ask something else.`,
      );
    case "tool-call":
      return pc.cyan(`  > ${describeCall(event.name, event.args, 110)}`);
    case "tool-result":
      return pc.dim(`    ${event.failed ? "failed: " : ""}${excerpt(event.text, 110)}`);
    case "approval": {
      const which = event.of > 1 ? ` (${event.at} of ${event.of})` : "";
      return pc.yellow(`  ? ${describeCall(event.name, event.args, 110)}${which}\n    ${APPROVAL_HELP}`);
    }
    case "compaction":
      return pc.magenta(
        `  ~ ${plural(event.messages, "message")} went under the summary: ${count(event.tokensBefore)} -> ${count(event.tokensAfter)} tokens; the history keeps them`,
      );
    case "stopped":
      return pc.yellow(
        "Stopped. The thread is saved: press Enter to finish the turn, ask something else, or Ctrl-C to leave.",
      );
    case "session-end":
      return sessionEnd(event);
    case "error":
      return pc.red(`skein: ${event.message}`);
    case "context":
      return [
        `${pc.bold("context")}: ${plural(event.messages.length, "message")}, ${count(event.tokens)} tokens; the history has ${count(event.total)}`,
        ...rows(event.messages),
      ].join("\n");
    case "history":
      return [
        `${pc.bold("history")}: the last ${count(event.messages.length)} of ${plural(event.total, "message")}`,
        ...rows(event.messages),
      ].join("\n");
    case "info":
      return printable(event.text);
  }
}

function sessionEnd({ thread, state, file, error }: Extract<ChatEvent, { type: "session-end" }>): string {
  const over = `Session ${pc.bold(label(thread))} is over, its thread stays stored.`;
  if (state === "ending") {
    return `${over} ${pc.red(`Its history could not be handed over (${error}); the next chat with --offload tries again.`)}`;
  }
  return file === undefined ? over : `${over} Its history is in ${file}.`;
}

/** The engine's name for the beginning of a turn means nothing to a reader. */
const nodeName = (node: string): string => (node === "__start__" ? "its beginning" : node);

function threadLine({
  started,
  thread,
  model,
  dir,
  messages,
}: Extract<ChatEvent, { type: "thread" }>): string {
  const what = {
    new: `New thread ${pc.bold(label(thread))}`,
    continued: `Going on with thread ${pc.bold(label(thread))} (${plural(messages, "message")})`,
    fork: `Branch of thread ${pc.bold(label(thread))} (${plural(messages, "message")})`,
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
