import { createHash } from "node:crypto";
import type { Connection } from "../../postgres/connection.ts";
import type { Run } from "../../postgres/statement.ts";
import { quotedSchema } from "../../postgres/schema.ts";
import { isMatch, partOf, type QueryTerm, tsQuery } from "../../search/index.ts";
import type { Find, Hit, NewValue, Place, Row, StoreBackend, Write } from "../core/backend.ts";
import { type Ranked, rankWords } from "../core/rank.ts";
import { MAX_WORDS, setupStoreSchema, vectorExtension } from "./schema.ts";
import { type Statements, statements } from "./statements.ts";

/** As the driver gives them: bytes as hexadecimal text, a score as text. */
type RowValues = [
  id: number,
  ns: string,
  key: string,
  value: string,
  createdAt: number,
  updatedAt: number,
  ttl: number | null,
  score?: string | null,
];

/** An item that holds any of the terms looked for; the counts are an array's text. */
type FoundValues = [id: number, fits: boolean, length: number, counts: string, searched: number];

interface Opened {
  readonly connection: Connection;
  readonly sql: Statements;
}

export interface PostgresStoreSettings {
  readonly connect: () => Connection;
  /** Whether `close` ends what `connect` made. */
  readonly owned: boolean;
  /** Whether items have vectors, so that pgvector is of use. */
  readonly embeds: boolean;
}

/** Rows in a PostgreSQL database. What several items are written with is one transaction. */
export class PostgresStoreBackend implements StoreBackend {
  readonly #settings: PostgresStoreSettings;
  #opened: Opened | undefined;

  constructor(settings: PostgresStoreSettings) {
    this.#settings = settings;
  }

  async open(): Promise<void> {
    const connection = this.#settings.connect();
    try {
      await connection.setup();
      await setupStoreSchema(connection);
      const extension = this.#settings.embeds ? await vectorExtension(connection) : undefined;
      this.#opened = { connection, sql: statements(quotedSchema(connection.schema), extension) };
    } catch (error) {
      await this.#leave(connection);
      throw error;
    }
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened !== undefined) await this.#leave(opened.connection);
  }

  async #leave(connection: Connection): Promise<void> {
    if (this.#settings.owned) await connection.close();
    else connection.leave();
  }

  async get(places: readonly Place[], now: number): Promise<(Row | undefined)[]> {
    const { connection, sql } = this.#ready;
    const digests = places.map(digestOf);
    const rows = (await connection.run<RowValues>(sql.get, now, digests)).map(rowOf);
    const byPlace = new Map(rows.map((row) => [digestOf(row).toString("hex"), row]));
    return digests.map((digest) => byPlace.get(digest.toString("hex")));
  }

  async find(find: Find, now: number): Promise<Hit[]> {
    const { from, to, ranking, facets, take } = find;
    const { connection, sql } = this.#ready;
    if (ranking.by === "text") return this.#best(await this.#ranked(find, ranking.terms, now), take, now);
    const where = [now, from, to, JSON.stringify(facets)];
    const limit = take === Infinity ? null : take;
    const rows =
      ranking.by === "id"
        ? await connection.run<RowValues>(sql.byId, ...where, limit)
        : await connection.run<RowValues>(sql.byVector, ...where, arrayOf([ranking.vector]), limit);
    return rows.map(rowOf);
  }

  /** Those that have the facets, of all that hold a term: how rare a term is does not depend on a filter. */
  async #ranked(
    { from, to, facets }: Find,
    terms: readonly QueryTerm[],
    now: number,
  ): Promise<readonly Ranked[]> {
    const { connection, sql } = this.#ready;
    const query = tsQuery(terms, "any");
    if (query === undefined) return [];
    const where = [now, from, to, JSON.stringify(facets)];
    const rows = await connection.run<FoundValues>(sql.byWords, ...where, query, terms.map(spacedPart));
    const found = rows
      .map(([id, fits, length, counts]) => ({ id, fits, length, counts: numbersOf(counts) }))
      .filter(({ counts }) => isMatch(counts, "any"));
    const fitting = new Set(found.filter(({ fits }) => fits).map(({ id }) => id));
    return rankWords(found, rows[0]?.[4] ?? 0).filter(({ id }) => fitting.has(id));
  }

  /** The first of a ranking; what somebody else has removed meanwhile makes room for the next. */
  async #best(ranked: readonly Ranked[], take: number, now: number): Promise<Hit[]> {
    const { connection, sql } = this.#ready;
    const hits: Hit[] = [];
    for (let at = 0; at < ranked.length && hits.length < take;) {
      const next = ranked.slice(at, at + take - hits.length);
      at += next.length;
      const ids = next.map(({ id }) => id);
      const rows = new Map(
        (await connection.run<RowValues>(sql.byIds, now, ids)).map((row) => [row[0], rowOf(row)]),
      );
      for (const { id, score } of next) {
        const row = rows.get(id);
        if (row !== undefined) hits.push({ ...row, score });
      }
    }
    return hits;
  }

  async namespaces(from: Buffer, to: Buffer, now: number): Promise<Buffer[]> {
    const { connection, sql } = this.#ready;
    const rows = await connection.run<[string]>(sql.namespaces, now, from, to);
    return rows.map(([namespace]) => bytesOf(namespace));
  }

  async write(writes: readonly Write[], now: number): Promise<void> {
    const { connection, sql } = this.#ready;
    const ids = await this.#ids(writes);
    // all writers take rows in one order, so that none waits for another in a circle
    const sorted = writes
      .map((write, i) => ({ ...write, digest: digestOf(write), id: ids[i] }))
      .sort((a, b) => Buffer.compare(a.digest, b.digest));
    const all = async (run: Run): Promise<true> => {
      for (const { digest, id, namespace, key, put } of sorted) {
        if (put === undefined) await run(sql.remove, digest);
        else if (id === undefined) await run(sql.put, digest, namespace, key, ...valuesOf(put, now));
        else await run(sql.putAs, digest, namespace, key, ...valuesOf(put, now), id);
      }
      return true;
    };
    await (sorted.length === 1 ? all(connection.run) : connection.transaction(all));
  }

  /** An id for each of several writes, in their order, which is not that in which they are made. */
  async #ids(writes: readonly Write[]): Promise<readonly number[]> {
    if (writes.filter(({ put }) => put !== undefined).length < 2) return [];
    const { connection, sql } = this.#ready;
    const rows = await connection.run<[number]>(sql.ids, writes.length);
    return rows.map(([id]) => id).sort((a, b) => a - b);
  }

  async refresh(rows: readonly Row[], now: number): Promise<void> {
    const { connection, sql } = this.#ready;
    await connection.run(
      sql.refresh,
      now,
      rows.map(({ id }) => id),
    );
  }

  async sweep(now: number): Promise<number> {
    const { connection, sql } = this.#ready;
    const [row] = await connection.run<[number]>(sql.sweep, now);
    return row?.[0] ?? 0;
  }

  get #ready(): Opened {
    if (this.#opened === undefined) throw new Error("a store's backend was used before it was opened");
    return this.#opened;
  }
}

/** Names namespace and key in 32 bytes. */
function digestOf({ namespace, key }: Place): Buffer {
  return createHash("sha256").update(`${namespace.length}:`).update(namespace).update(key).digest();
}

function valuesOf({ value, ttl, text, vectors, facets }: NewValue, now: number): unknown[] {
  const dims = vectors[0]?.length ?? 0;
  return [value, JSON.stringify(facets), text, wordsOf(text), dims, arrayOf(vectors), now, ttl];
}

function wordsOf(text: string): string[] {
  let bytes = 0;
  return [...new Set(text.split(" "))].filter((word) => {
    bytes += Buffer.byteLength(word);
    return word !== "" && bytes < MAX_WORDS;
  });
}

/** The part of an item's terms that a term is, when blanks between terms are doubled. */
function spacedPart(term: QueryTerm): string {
  return partOf(term).replaceAll(/(?<=\S) (?=\S)/g, "  ");
}

function numbersOf(array: string): number[] {
  return array.slice(1, -1).split(",").map(Number);
}

/** Numbers as PostgreSQL reads an array. */
function arrayOf(vectors: readonly Float32Array[]): string {
  return `{${vectors.map((vector) => vector.join(",")).join(",")}}`;
}

function bytesOf(text: string): Buffer {
  return Buffer.from(text.slice(String.raw`\x`.length), "hex");
}

function rowOf([id, namespace, key, value, createdAt, updatedAt, ttl, score]: RowValues): Hit {
  const row = { id, namespace: bytesOf(namespace), key: bytesOf(key), value, createdAt, updatedAt, ttl };
  return score === undefined || score === null ? row : { ...row, score: Number(score) };
}
