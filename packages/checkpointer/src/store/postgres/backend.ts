import { createHash } from "node:crypto";
import type { Connection, Run } from "../../postgres/connection.ts";
import { quotedSchema } from "../../postgres/schema.ts";
import { partOf, type QueryTerm, tsQuery } from "../../search/index.ts";
import type { Find, Hit, NewValue, Place, Row, StoreBackend, Write } from "../core/backend.ts";
import { setupStoreSchema, vectorExtension } from "./schema.ts";
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

/** Bytes of terms that a tsvector gets: PostgreSQL refuses one of a megabyte. */
const MAX_WORDS = 500_000;

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

/** Rows in a PostgreSQL database. Every call is one statement, but the write of several items: one transaction. */
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
      if (this.#settings.owned) await connection.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    if (this.#settings.owned) await opened?.connection.close();
  }

  async get(places: readonly Place[], now: number): Promise<(Row | undefined)[]> {
    const { connection, sql } = this.#ready;
    const digests = places.map(digestOf);
    const rows = (await connection.run<RowValues>(sql.get, now, digests)).map(rowOf);
    const byPlace = new Map(rows.map((row) => [digestOf(row).toString("hex"), row]));
    return digests.map((digest) => byPlace.get(digest.toString("hex")));
  }

  async find({ from, to, ranking, facets, take }: Find, now: number): Promise<Hit[]> {
    const { connection, sql } = this.#ready;
    const where = [now, from, to, JSON.stringify(facets)];
    const limit = take === Infinity ? null : take;
    const rows = async (): Promise<RowValues[]> => {
      if (ranking.by === "id") return connection.run(sql.byId, ...where, limit);
      if (ranking.by === "vector")
        return connection.run(sql.byVector, ...where, arrayOf([ranking.vector]), limit);
      const query = tsQuery(ranking.terms, "any");
      if (query === undefined) return [];
      return connection.run(sql.byText, ...where, query, partsToCheck(ranking.terms), limit);
    };
    return (await rows()).map(rowOf);
  }

  async namespaces(from: Buffer, to: Buffer, now: number): Promise<Buffer[]> {
    const { connection, sql } = this.#ready;
    const rows = await connection.run<[string]>(sql.namespaces, now, from, to);
    return rows.map(([namespace]) => bytesOf(namespace));
  }

  async write(writes: readonly Write[], now: number): Promise<void> {
    const { connection, sql } = this.#ready;
    // all writers take rows in one order, so that none waits for another in a circle
    const sorted = writes
      .map((write) => ({ ...write, digest: digestOf(write) }))
      .sort((a, b) => Buffer.compare(a.digest, b.digest));
    const all = async (run: Run): Promise<true> => {
      for (const write of sorted) {
        if (write.put === undefined) await run(sql.remove, write.digest);
        else await run(sql.put, write.digest, write.namespace, write.key, ...valuesOf(write.put, now));
      }
      return true;
    };
    await (sorted.length === 1 ? all(connection.run) : connection.transaction(all));
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

/** Where a word is more than one pair, that the pairs stand in a row has to be checked. */
function partsToCheck(terms: readonly QueryTerm[]): string[] | null {
  return terms.some((term) => term.kind === "phrase" && term.pairs.length > 1) ? terms.map(partOf) : null;
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
