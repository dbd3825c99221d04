import type { BaseMessage } from "@langchain/core/messages";
import { createTokenCounter, isMarkedSummary, shortenedMark, toRecorded } from "@skein/context";
import pc from "picocolors";
import { EXIT } from "../errors.ts";
import type { CommonOptions } from "../options.ts";
import { openStore, requireThread } from "../database.ts";
import { count } from "../ui/format.ts";
import { describe, speaker } from "../ui/messages.ts";
import { createOutput } from "../ui/output.ts";
import { sideBySide } from "../ui/table.ts";

export interface ShowOptions extends CommonOptions {
  readonly last?: number;
}

/** Narrower terminals get one column: the history, with marks. */
const WIDE = 100;
const EXCERPT = 300;

/** Where a message of the history is, as far as the model goes. */
type Place = "context" | "shortened" | "summary" | "hidden";

/** The context and the complete history side by side, each message of the history on a line of its own. */
export async function show(thread: string, options: ShowOptions): Promise<number> {
  const store = await openStore(options.db, "read");
  try {
    await requireThread(store, thread, options.db);
    const { messages: context, coveredUntil } = await store.context(thread);
    const history = await store.history(thread);
    const places = placesOf(history, context, coveredUntil);
    const output = createOutput(options.json);
    const from = Math.max(0, history.length - (options.last ?? history.length));
    const summary = context.find(isMarkedSummary);
    const counter = createTokenCounter();
    const tokens = { context: counter.messages(context), history: counter.messages(history) };
    output.data({
      thread,
      tokens,
      summary: summary
        ? { id: summary.id, text: summary.text, covers: places.filter((place) => place === "summary").length }
        : null,
      context: context.map(toRecordedWithId),
      history: history
        .slice(from)
        .map((message, index) => ({ ...toRecordedWithId(message), place: places[from + index] })),
    });
    const head: [string, string] = [
      `context: ${count(context.length)} messages, ${count(tokens.context)} tokens`,
      `complete history: ${count(history.length)} messages, ${count(tokens.history)} tokens`,
    ];
    const rows = rowsOf(history, places, context, from);
    const width = process.stdout.columns ?? 160;
    output.line(
      width >= WIDE ? sideBySide(head, rows, width) : oneColumn(head, history, places, summary, from),
    );
    return EXIT.ok;
  } finally {
    await store.close();
  }
}

const toRecordedWithId = (message: BaseMessage) => ({
  ...toRecorded(message),
  ...(message.id ? { id: message.id } : {}),
});

function placesOf(
  history: readonly BaseMessage[],
  context: readonly BaseMessage[],
  coveredUntil: string | null | undefined,
): Place[] {
  const seen = new Map(context.map((message) => [message.id, message]));
  const first = history.findIndex(({ id }) => id === coveredUntil);
  const covered = coveredUntil === undefined ? 0 : first < 0 ? history.length : first;
  return history.map(({ id }, index) => {
    const shown = seen.get(id);
    if (shown !== undefined) return shortenedMark(shown) === undefined ? "context" : "shortened";
    return index < covered ? "summary" : "hidden";
  });
}

function rowsOf(
  history: readonly BaseMessage[],
  places: readonly Place[],
  context: readonly BaseMessage[],
  from: number,
): [string, string][] {
  const own = context.filter((message) => !history.some(({ id }) => id === message.id));
  const rows = own.map((message): [string, string] => [
    line(message),
    pc.dim("(made by the context manager)"),
  ]);
  for (const [index, message] of history.entries()) {
    if (index < from) continue;
    const text = line(message, index + 1);
    const seen = context.find(({ id }) => id === message.id);
    const left =
      seen === undefined ? pc.dim(mark(places[index])) : `${line(seen, index + 1)}${shortening(seen)}`;
    rows.push([left, text]);
  }
  return rows;
}

const mark = (place: Place | undefined): string =>
  place === "summary" ? "~ covered by the summary" : "- hidden";

/** How a message of the context was shortened, if it was. */
function shortening(message: BaseMessage): string {
  const shortened = shortenedMark(message);
  return shortened === undefined
    ? ""
    : pc.dim(` (${shortened.by}; it had ${count(shortened.tokens)} tokens)`);
}

function line(message: BaseMessage, number?: number): string {
  const position = number === undefined ? "" : `${number} `;
  return `${position}${pc.bold(speaker(message))}: ${describe(message, EXCERPT)}`;
}

function oneColumn(
  head: readonly [string, string],
  history: readonly BaseMessage[],
  places: readonly Place[],
  summary: BaseMessage | undefined,
  from: number,
): string {
  const signs: Record<Place, string> = { context: "*", shortened: "<", summary: "~", hidden: "-" };
  const lines = history
    .map((message, index) => `${signs[places[index] ?? "hidden"]} ${line(message, index + 1)}`)
    .slice(from);
  const legend = "* in the context  < shortened there  ~ covered by the summary  - hidden";
  return [...head, legend, ...(summary ? ["", line(summary)] : []), "", ...lines].join("\n");
}
