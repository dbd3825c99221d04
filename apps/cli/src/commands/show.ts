import { createTokenCounter, isMarkedSummary, shortenedMark, toRecorded } from "@skein/context";
import type { BaseMessage } from "@langchain/core/messages";
import { EXIT } from "../errors.ts";
import type { CommonOptions } from "../options.ts";
import { openStore, requireThread } from "../database.ts";
import { loopsIn, placesOf, versionsOf, type Shown } from "../show/shown.ts";
import { oneColumn, twoColumns } from "../show/text.ts";
import { createOutput } from "../ui/output.ts";

export interface ShowOptions extends CommonOptions {
  readonly last?: number;
}

/** Narrower terminals get one column: the history, with marks. */
const WIDE = 100;

/** The context and the complete history side by side, each message of the history on a line of its own. */
export async function show(thread: string, options: ShowOptions): Promise<number> {
  const store = await openStore(options.db, "read");
  try {
    await requireThread(store, thread, options.db);
    const { messages: context, coveredUntil, summaries } = await store.context(thread);
    const history = await store.history(thread);
    const output = createOutput(options.json);
    const counter = createTokenCounter();
    const shown: Shown = {
      context,
      history,
      places: placesOf(history, context, coveredUntil),
      loops: loopsIn(history),
      versions: versionsOf(summaries),
      from: Math.max(0, history.length - (options.last ?? history.length)),
      tokens: { context: counter.messages(context), history: counter.messages(history) },
    };
    output.data({ thread, ...asData(shown) });
    const width = process.stdout.columns ?? 160;
    output.line(width >= WIDE ? twoColumns(shown, width) : oneColumn(shown));
    return EXIT.ok;
  } finally {
    await store.close();
  }
}

function asData({ context, history, places, loops, versions, from, tokens }: Shown) {
  const summary = context.find(isMarkedSummary);
  return {
    tokens,
    summary: summary
      ? { id: summary.id, text: summary.text, covers: places.filter((place) => place === "summary").length }
      : null,
    versions,
    loops: loops.map(({ id, calls, answer, start, end }) => ({
      id,
      start,
      end,
      calls: calls.map(({ id: call, name }) => ({ id: call, name })),
      open: answer === null,
    })),
    context: context.map((message) => {
      const { by, tokens: had } = shortenedMark(message) ?? {};
      return { ...withId(message), ...(by === undefined ? {} : { shortened: { by, tokens: had } }) };
    }),
    history: history
      .slice(from)
      .map((message, index) => ({ ...withId(message), place: places[from + index] })),
  };
}

const withId = (message: BaseMessage) => ({
  ...toRecorded(message),
  ...(message.id ? { id: message.id } : {}),
});
