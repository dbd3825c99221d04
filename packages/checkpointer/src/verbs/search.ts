import { GraphError, type OptionKind, shown } from "@skein/errors";
import { wait, type Steps } from "../awaitable.ts";
import { givenPageLimit } from "../core/given.ts";
import type { ItemLog } from "../core/item-log.ts";
import type { Place } from "../core/places.ts";
import type { Reader } from "../core/read.ts";
import type { ThreadState } from "../core/state.ts";
import type { Folded } from "../manifest/fold.ts";
import type { ListEntry } from "../manifest/list-entry.ts";
import { eachOrdinal, pushRange, type Ranges } from "../manifest/ranges.ts";
import {
  bm25,
  countMatches,
  countTerms,
  indexText,
  isMatch,
  type MatchMode,
  parseQuery,
  questionTerms,
} from "../search/index.ts";
import { textOf } from "./text-of.ts";

export interface SearchOptions {
  /** Most hits of one page, 1 or more. Default: 20. */
  readonly limit?: number;
  /**
   * What the page before gave; the checkpoint that it was taken of stays the one that is searched. Default:
   * none, which gives the first page.
   */
  readonly cursor?: string;
  /**
   * Whether a hit has all words of the query, or any of them: for questions, whose English words are
   * then found whatever their ending. Default: "all".
   */
  readonly mode?: MatchMode;
  /**
   * The channels whose elements are searched, for all pages of a search the same; one that a checkpoint
   * does not have has none. Default: all that hold a list or an archive.
   */
  readonly channels?: readonly string[];
}

/** The kinds of other values than `channels` are checked below. */
export const SEARCHING: Readonly<Record<keyof SearchOptions, OptionKind>> = {
  limit: "any",
  cursor: "any",
  mode: "any",
  channels: "texts",
};

/** An element that has the words. */
export interface SearchHit {
  /** The id of the message; undefined for an element without one. */
  readonly id: string | undefined;
  /** The message, or whatever element it is. */
  readonly element: unknown;
  readonly channel: string;
  /** Greater is better; comparable within one search only. */
  readonly score: number;
}

/** Hits, the best first. */
export interface SearchPage {
  readonly hits: readonly SearchHit[];
  /** Pass it for the next page; undefined on the last one. */
  readonly cursor: string | undefined;
}

interface Indexed {
  readonly lane: number;
  readonly ord: number;
  readonly id: string | undefined;
  /** Undefined for an entry of an archive that is no element. */
  readonly text: string | undefined;
  readonly length: number;
}

/** What is indexed of a thread: items never change while its generation stays. */
type Index = Map<string, Indexed>;

/** Threads whose index is kept. */
const MAX_INDEXES = 8;

/** Full-text search over the lists and archives of a checkpoint. Nothing is indexed before somebody searches. */
export class Search {
  readonly #log: ItemLog;
  readonly #indexes = new Map<ThreadState, Index>();

  constructor(log: ItemLog) {
    this.#log = log;
  }

  *search(place: Place, query: string, options: SearchOptions): Steps<SearchPage> {
    const { mode = "all", channels } = options;
    if (mode !== "all" && mode !== "any") {
      throw new GraphError(
        "INVALID_CONFIGURATION",
        `mode of a search must be "all" or "any", not ${shown(mode)}.`,
      );
    }
    const limit = givenPageLimit(options.limit ?? 20);
    const cursor = options.cursor === undefined ? undefined : parseCursor(options.cursor);
    const row = yield* wait(this.#log.backend.find(place.threadId, place.namespace));
    const terms = mode === "all" ? parseQuery(query) : questionTerms(query);
    if (row === undefined || terms.length === 0) return NOTHING;
    const state = this.#log.thread(place.threadId, row);
    const space = this.#log.namespace(state, place.namespace, row);
    const snapshot = yield* this.#log.snapshot(state, space, cursor?.checkpointId ?? place.checkpointId);
    if (snapshot === undefined) {
      if (cursor !== undefined) throw goneCursor();
      return NOTHING;
    }
    const reader = this.#log.reader(state, { nsid: space.nsid as number, id: snapshot.id });
    const searched = lists(snapshot.folded, channels);
    const index = yield* this.#index(state, reader, searched);
    const documents = yield* searchable(reader, index, searched);
    const found = documents.flatMap((document) => {
      const counts = countMatches(document.text, terms);
      return isMatch(counts, mode) ? [{ ...document, counts }] : [];
    });
    const ranked = rank(found, documents);
    const from = cursor?.from ?? 0;
    const hits: SearchHit[] = [];
    for (const { lane, ord, id, channel, score } of ranked.slice(from, from + limit)) {
      const [element] = yield* reader.elements([lane, ord, ord + 1]);
      hits.push({ id, element, channel, score });
    }
    const more = ranked.length > from + limit;
    return { hits, cursor: more ? `${from + limit}:${snapshot.id}` : undefined };
  }

  /** Catches up with what was committed since the last search. */
  *#index(state: ThreadState, reader: Reader, searched: Lists): Steps<Index> {
    const index: Index = this.#indexes.get(state) ?? new Map<string, Indexed>();
    this.#indexes.delete(state);
    this.#indexes.set(state, index);
    if (this.#indexes.size > MAX_INDEXES)
      this.#indexes.delete(this.#indexes.keys().next().value as ThreadState);
    for (const [, entry] of searched) {
      const missing: number[] = [];
      for (const [lane, ord] of eachOrdinal(yield* reader.ranges(entry))) {
        if (!index.has(`${lane}:${ord}`)) pushRange(missing, lane, ord, ord + 1);
      }
      const found = yield* reader.entries(missing);
      // once they are read: else a failure would leave them without a text for good
      for (const [lane, ord] of eachOrdinal(missing)) index.set(`${lane}:${ord}`, NO_TEXT(lane, ord));
      for (const { lane, ord, id, element } of found) {
        const text = indexText(textOf(element));
        index.set(`${lane}:${ord}`, { lane, ord, id, text, length: countTerms(text) });
      }
    }
    return index;
  }
}

const NOTHING: SearchPage = { hits: [], cursor: undefined };
const NO_TEXT = (lane: number, ord: number): Indexed => ({
  lane,
  ord,
  id: undefined,
  text: undefined,
  length: 0,
});

/** What is searched: names of channels with their lists. */
type Lists = readonly (readonly [string, ListEntry])[];

/** Archives first: what is in a context, too, is found as part of the history. */
function lists({ entries }: Folded, channels: readonly string[] | undefined): Lists {
  const found = [...entries].filter(
    (pair): pair is [string, ListEntry] =>
      (pair[1].kind === "list" || pair[1].kind === "log") && (channels?.includes(pair[0]) ?? true),
  );
  return found.sort(([, a], [, b]) => Number(b.kind === "log") - Number(a.kind === "log"));
}

interface Document extends Indexed {
  readonly text: string;
  readonly channel: string;
}

/** Each element once, with its last content. */
function* searchable(reader: Reader, index: Index, searched: Lists): Steps<Document[]> {
  const documents = new Map<string, Document>();
  for (const [channel, list] of searched) {
    const ranges: Ranges = yield* reader.ranges(list);
    for (const [lane, ord] of eachOrdinal(ranges)) {
      const indexed = index.get(`${lane}:${ord}`);
      if (indexed?.text === undefined) continue;
      const key = indexed.id === undefined ? `${lane}:${ord}` : `#${indexed.id}`;
      const known = documents.get(key);
      if (known === undefined || known.channel === channel)
        documents.set(key, { ...indexed, text: indexed.text, channel });
    }
  }
  return [...documents.values()];
}

/** BM25; of two that are as good, the later one. */
function rank(
  found: readonly (Document & { readonly counts: readonly number[] })[],
  all: readonly Document[],
): (Document & { readonly score: number })[] {
  const total = all.reduce((sum, { length }) => sum + length, 0);
  const collection = { size: all.length, averageLength: total / Math.max(1, all.length) };
  const scores = bm25(
    found.map(({ counts }) => counts),
    found.map(({ length }) => length),
    collection,
  );
  const scored = found.map((document, at) => ({ ...document, score: scores[at] as number }));
  return scored.sort((a, b) => b.score - a.score || b.lane - a.lane || b.ord - a.ord);
}

function parseCursor(cursor: string): { readonly from: number; readonly checkpointId: string } {
  const [, from, checkpointId] = /^(\d+):(.*)$/s.exec(typeof cursor === "string" ? cursor : "") ?? [];
  if (from !== undefined && checkpointId !== undefined) return { from: Number(from), checkpointId };
  throw new GraphError(
    "INVALID_CONFIGURATION",
    "The cursor is none that a search gave. Pass the cursor of the page before, or none for the first page.",
    { details: { cursor } },
  );
}

function goneCursor(): GraphError {
  return new GraphError(
    "INVALID_CONFIGURATION",
    "The cursor is of a checkpoint that this thread does not have, or has no more. Begin again with the first page: leave the cursor out.",
  );
}
