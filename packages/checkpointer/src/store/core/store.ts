import type { Item, Operation, OperationResults, SearchItem } from "@langchain/langgraph-checkpoint";
import { GraphError } from "@skein/errors";
import { BaseStore } from "../../base/store.ts";
import { defaultCodec } from "../../codec/codec.ts";
import type { Codec } from "../../codec/types.ts";
import { parseQuestion } from "../../search/index.ts";
import type { Find, Hit, Place, Row, StoreBackend, Write } from "./backend.ts";
import { compileFilter, facetsOf, facetsOfFilter } from "./filter.ts";
import { storingOptions } from "./given.ts";
import { Indexer } from "./indexer.ts";
import { commonPrefix, selectNamespaces } from "./namespaces.ts";
import { type Get, type Put, type Search, type Sorted, sorted, type StoreOperation } from "./operations.ts";
import { Sweeper } from "./sweeper.ts";
import { endOfPrefix, latin, namespaceBytes, namespaceOf, textBytes, textOf } from "./tuple.ts";
import type { GetOptions, PutOptions, SearchOptions, StoreOptions, TTLConfig } from "./types.ts";

const MINUTE = 60_000;
/** Milliseconds, 100,000 years: a time that ends later is no number that databases take. */
const LONGEST = 3_155_760_000_000_000;

/**
 * What the stores share: the contract of LangGraph's `BaseStore` over a place where rows are kept.
 *
 * A batch first reads, then writes: its reads see what was there before it. Its writes are one
 * transaction; of several to one item the last counts. Writes of one store take effect in the
 * order in which they were called, however long their embeddings take.
 */
export abstract class RowStore extends BaseStore {
  readonly #backend: StoreBackend;
  readonly #codec: Codec;
  readonly #indexer: Indexer;
  readonly #ttl: TTLConfig;
  readonly #now: () => number;
  readonly #sweeper: Sweeper;
  #opened: Promise<void> | undefined;
  #lastWrite: Promise<unknown> = Promise.resolve();

  constructor(backend: StoreBackend, given: StoreOptions | null | undefined) {
    super();
    const options = storingOptions(given);
    this.#backend = backend;
    this.#codec = options.codec ?? defaultCodec;
    this.#indexer = new Indexer(options.index ?? undefined);
    this.#ttl = options.ttl ?? {};
    this.#now = clockOf(options.now ?? Date.now);
    this.#sweeper = new Sweeper(() => this.sweepExpiredItems(), options.onSweepError ?? warn);
    for (const minutes of [this.#ttl.defaultTtl, this.#ttl.sweepIntervalMinutes]) {
      if (minutes !== undefined && !(Number.isFinite(minutes) && minutes > 0)) throw badMinutes(minutes);
    }
  }

  /** The item, or null. */
  override async get(namespace: string[], key: string, options: GetOptions = {}): Promise<Item | null> {
    const [item] = await this.batch([{ ...options, namespace, key } satisfies Get]);
    return item as Item | null;
  }

  /**
   * Stores an item, or puts another value in its place.
   *
   * @param index - what it is found by: paths into the value; `false`: nothing. Default: the fields
   *   of the store's `index`, else everything.
   * @throws GraphError INVALID_INPUT, UNSTORABLE_VALUE; nothing is stored then
   */
  override async put(
    namespace: string[],
    key: string,
    value: Record<string, unknown>,
    index?: false | string[],
    options: PutOptions = {},
  ): Promise<void> {
    const put = { ...options, namespace, key, value, ...(index === undefined ? {} : { index }) };
    await this.batch([put satisfies Put]);
  }

  /** Items below a namespace: all, or those that a query finds, the best match first. */
  override async search(namespacePrefix: string[], options: SearchOptions = {}): Promise<SearchItem[]> {
    const [items] = await this.batch([{ ...options, namespacePrefix } satisfies Search]);
    return items as SearchItem[];
  }

  override async batch<Operations extends Operation[]>(
    operations: Operations,
  ): Promise<OperationResults<Operations>> {
    if (!Array.isArray(operations)) throw notAList();
    const each = (operations as readonly StoreOperation[]).map(sorted);
    const puts = each.flatMap((one) => (one.kind === "put" ? [one.operation] : []));
    if (puts.length === 0) return (await this.#read(each)) as OperationResults<Operations>;
    const writes = this.#writes(puts);
    // who waits for the turn of this batch sees the error; until then nobody listens
    writes.catch(() => {});
    const turn = this.#lastWrite.then(async () => {
      const results = await this.#read(each);
      await this.#backend.write(await writes, this.#now());
      return results;
    });
    this.#lastWrite = turn.catch(() => {});
    return (await turn) as OperationResults<Operations>;
  }

  /** Connects, and creates or migrates the tables. The first call of anything else does it, too. */
  async setup(): Promise<void> {
    this.#opened ??= (async () => this.#backend.open())();
    try {
      await this.#opened;
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }

  /** Begins to sweep in the background. Nothing else needs it. */
  override async start(): Promise<void> {
    await this.setup();
    this.#sweeper.start((this.#ttl.sweepIntervalMinutes ?? 60) * MINUTE);
  }

  /** Ends the sweeping, waits for writes, and closes what the store itself opened. A later call opens it again. */
  override async stop(): Promise<void> {
    await this.#sweeper.stop();
    await this.#lastWrite;
    if (this.#opened === undefined) return;
    await this.#opened.catch(() => {});
    this.#opened = undefined;
    await this.#backend.close();
  }

  /** Removes the items whose time is over, which no call shows any more. Returns how many. */
  async sweepExpiredItems(): Promise<number> {
    await this.setup();
    return this.#backend.sweep(this.#now());
  }

  async #read(operations: readonly Sorted[]): Promise<unknown[]> {
    await this.setup();
    const gets = operations.flatMap((one) => (one.kind === "get" ? [one.operation] : []));
    const rows = gets.length === 0 ? [] : await this.#backend.get(gets.map(placeOf), this.#now());
    await this.#keepAlive(gets.map((get, i) => [get, rows[i]]));
    const items = rows.values();
    return Promise.all(
      // one that fails at once must not leave others unheard
      operations.map(async ({ kind, operation }) => {
        if (kind === "put") return null;
        if (kind === "search") return this.#search(operation);
        if (kind === "namespaces") return this.#list(operation);
        const row = items.next().value;
        return row === undefined ? null : this.#item(row);
      }),
    );
  }

  async #writes(puts: readonly Put[]): Promise<Write[]> {
    const last = new Map(puts.map((put) => [placeKey(placeOf(put)), put]));
    const chosen = [...last.values()];
    // encoded at once: what the caller changes afterwards, while embeddings are made, is not stored
    const encoded = chosen.map(({ value }) => (value === null ? undefined : this.#codec.encode(value)));
    const frozen = chosen.map((put, i) => {
      const text = encoded[i];
      return text === undefined ? put : { ...put, value: this.#codec.decode(text) as Put["value"] };
    });
    const vectors = await this.#indexer.vectors(frozen);
    return frozen.map((put, i): Write => {
      const value = encoded[i];
      if (value === undefined) return { ...placeOf(put), put: undefined };
      const minutes = put.ttl === undefined ? this.#ttl.defaultTtl : put.ttl;
      return {
        ...placeOf(put),
        put: {
          value,
          ttl:
            minutes === undefined || minutes === null ? null : Math.min(Math.ceil(minutes * MINUTE), LONGEST),
          text: this.#indexer.text(put),
          vectors: vectors[i] ?? [],
          facets: facetsOf(put.value ?? {}),
        },
      };
    });
  }

  async #search(search: Search): Promise<SearchItem[]> {
    const { namespacePrefix, filter, offset = 0, limit = 10 } = search;
    const passes = compileFilter(filter, this.#codec);
    const from = namespaceBytes(namespacePrefix);
    const find = {
      from,
      to: endOfPrefix(from),
      facets: facetsOfFilter(filter),
      ...(await this.#ranking(search)),
    };
    const end = offset + limit;
    // rows that the filter drops make room for further ones: then four times as many are read
    for (let take = end; ; take *= 4) {
      const hits = take === 0 ? [] : await this.#backend.find({ ...find, take }, this.#now());
      const found = hits
        .map((hit) => [hit, this.#found(hit)] as const)
        .filter(([, item]) => passes(item.value));
      if (found.length < end && hits.length === take) continue;
      const page = found.slice(offset, end);
      await this.#keepAlive(page.map(([hit]) => [search, hit]));
      return page.map(([, item]) => item);
    }
  }

  async #ranking({ query, mode }: Search): Promise<Pick<Find, "ranking">> {
    if (query === undefined || (query as string | null) === null || query === "")
      return { ranking: { by: "id" } };
    if ((mode ?? (this.#indexer.embeds ? "vector" : "text")) === "vector") {
      return { ranking: { by: "vector", vector: await this.#indexer.queryVector(query) } };
    }
    return { ranking: { by: "text", terms: parseQuestion(query) } };
  }

  async #list(operation: Extract<Sorted, { kind: "namespaces" }>["operation"]): Promise<string[][]> {
    const from = commonPrefix(operation.matchConditions);
    return selectNamespaces(await this.#backend.namespaces(from, endOfPrefix(from), this.#now()), operation);
  }

  /** What was read lives on for its whole time. */
  async #keepAlive(read: readonly (readonly [GetOptions, Row | undefined])[]): Promise<void> {
    const byDefault = this.#ttl.refreshOnRead ?? true;
    const rows = read.flatMap(([{ refreshTtl }, row]) => {
      return row !== undefined && row.ttl !== null && (refreshTtl ?? byDefault) ? [row] : [];
    });
    if (rows.length > 0) await this.#backend.refresh(rows, this.#now());
  }

  #item(row: Row): Item {
    return {
      value: this.#codec.decode(row.value) as Item["value"],
      key: textOf(row.key),
      namespace: namespaceOf(row.namespace),
      createdAt: new Date(row.createdAt),
      updatedAt: new Date(row.updatedAt),
    };
  }

  #found(hit: Hit): SearchItem {
    return hit.score === undefined ? this.#item(hit) : { ...this.#item(hit), score: hit.score };
  }
}

function placeOf({ namespace, key }: { readonly namespace: string[]; readonly key: string }): Place {
  return { namespace: namespaceBytes(namespace), key: textBytes(key) };
}

/** A place as a key of a map. */
function placeKey({ namespace, key }: Place): string {
  return `${namespace.length}:${latin(namespace)}${latin(key)}`;
}

/** Databases keep whole milliseconds, and clocks may be finer. */
function clockOf(now: () => number): () => number {
  return () => {
    const time = Math.floor(now());
    if (!Number.isSafeInteger(time)) throw noTime(time);
    return time;
  };
}

function warn(error: unknown): void {
  console.warn("A store could not sweep its expired items:", error);
}

function badMinutes(minutes: unknown): GraphError {
  return new GraphError(
    "INVALID_CONFIGURATION",
    `A store's \`ttl\` is in minutes above 0, and one of its numbers is ${String(minutes)}. Leave it out for items that never end.`,
  );
}

function noTime(time: number): GraphError {
  return new GraphError(
    "INVALID_CONFIGURATION",
    `\`now\` of a store gives milliseconds since 1970, not ${time}. Nothing was done.`,
  );
}

function notAList(): GraphError {
  return new GraphError("INVALID_INPUT", "`batch` takes a list of operations. Nothing was done.");
}
