import type { Connection } from "../../sqlite/connection.ts";
import type { Find, Hit, NewValue, Place, Row, StoreBackend, Write } from "../core/backend.ts";
import { byScore, cosine } from "../core/rank.ts";
import { setupStoreSchema } from "./schema.ts";
import { ALIVE, BETWEEN, COLUMNS } from "./statements.ts";
import { rankedByWords } from "./words.ts";

type RowValues = [
  id: number,
  ns: Buffer,
  key: Buffer,
  value: string,
  createdAt: number,
  updatedAt: number,
  ttl: number | null,
];

interface Scored {
  readonly id: number;
  readonly score?: number;
}

/** No limit, for SQLite. */
const ALL = -1;

/** Rows in a SQLite database. What is written together is one transaction. */
export class SqliteStoreBackend implements StoreBackend {
  readonly #connect: () => Connection;
  readonly #owned: boolean;
  #connection: Connection | undefined;

  /** @param owned - whether `close` closes what `connect` opened */
  constructor(connect: () => Connection, owned: boolean) {
    this.#connect = connect;
    this.#owned = owned;
  }

  open(): void {
    const connection = this.#connection ?? this.#connect();
    this.#connection = connection;
    try {
      setupStoreSchema(connection);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    if (this.#owned) connection?.close();
  }

  get(places: readonly Place[], now: number): (Row | undefined)[] {
    return places.map(({ namespace, key }) => {
      const row = this.#db.get<RowValues>(
        `SELECT ${COLUMNS} FROM store_items i WHERE i.ns = ? AND i.key = ? AND ${ALIVE}`,
        namespace,
        key,
        now,
      );
      return row === undefined ? undefined : rowOf(row);
    });
  }

  find(find: Find, now: number): Hit[] {
    const { from, to, ranking, take } = find;
    if (ranking.by === "vector") return this.#best(this.#nearest(find, ranking.vector, now), take);
    if (ranking.by === "text") return this.#best(rankedByWords(this.#db, find, ranking.terms, now), take);
    const sql = `SELECT ${COLUMNS} FROM store_items i WHERE ${BETWEEN} ORDER BY i.id LIMIT ?`;
    return this.#db.all<RowValues>(sql, from, to, now, take === Infinity ? ALL : take).map(rowOf);
  }

  namespaces(from: Buffer, to: Buffer, now: number): Uint8Array[] {
    const sql = `SELECT DISTINCT i.ns FROM store_items i WHERE ${BETWEEN} ORDER BY i.ns`;
    return this.#db.all<[Uint8Array]>(sql, from, to, now).map(([namespace]) => namespace);
  }

  write(writes: readonly Write[], now: number): void {
    this.#db.transaction(() => {
      for (const write of writes) {
        if (write.put === undefined) this.#remove(write);
        else this.#put(write, write.put, now);
      }
    });
  }

  refresh(rows: readonly Row[], now: number): void {
    this.#db.transaction(() => {
      for (const { id } of rows) {
        this.#db.run(
          "UPDATE store_items SET expires_at = ? + ttl WHERE id = ? AND expires_at > ?",
          now,
          id,
          now,
        );
      }
    });
  }

  sweep(now: number): number {
    return this.#db.run("DELETE FROM store_items WHERE expires_at <= ?", now);
  }

  get #db(): Connection {
    if (this.#connection === undefined) this.open();
    return this.#connection as Connection;
  }

  #remove({ namespace, key }: Place): void {
    this.#db.run("DELETE FROM store_items WHERE ns = ? AND key = ?", namespace, key);
  }

  #put({ namespace, key }: Place, { value, ttl, text, vectors }: NewValue, now: number): void {
    const expiresAt = ttl === null ? null : now + ttl;
    // what has ended is another item, and stands at another place in the order
    this.#db.run("DELETE FROM store_items WHERE ns = ? AND key = ? AND expires_at <= ?", namespace, key, now);
    this.#db.run(
      "INSERT INTO store_items (ns, key, value, created_at, updated_at, ttl, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)" +
        " ON CONFLICT (ns, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at," +
        " ttl = excluded.ttl, expires_at = excluded.expires_at",
      namespace,
      key,
      value,
      now,
      now,
      ttl,
      expiresAt,
    );
    const [id] = this.#db.get<[number]>(
      "SELECT id FROM store_items WHERE ns = ? AND key = ?",
      namespace,
      key,
    ) as [number];
    this.#db.run("DELETE FROM store_text WHERE rowid = ?", id);
    this.#db.run("DELETE FROM store_vectors WHERE item = ?", id);
    if (text !== "") this.#db.run("INSERT INTO store_text (rowid, terms) VALUES (?, ?)", id, text);
    vectors.forEach((vector, n) => {
      const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
      this.#db.run("INSERT INTO store_vectors VALUES (?, ?, ?)", id, n, bytes);
    });
  }

  #nearest({ from, to }: Find, wanted: Float32Array, now: number): Scored[] {
    const sql = `SELECT i.id, v.vector FROM store_items i LEFT JOIN store_vectors v ON v.item = i.id WHERE ${BETWEEN}`;
    const best = new Map<number, number | undefined>();
    for (const [id, bytes] of this.#db.all<[number, Buffer | null]>(sql, from, to, now)) {
      const score = bytes === null ? undefined : cosine(vectorOf(bytes), wanted);
      const known = best.get(id);
      if (!best.has(id) || (score !== undefined && score > (known ?? -Infinity))) best.set(id, score);
    }
    const ranked = [...best].map(([id, score]) => (score === undefined ? { id } : { id, score }));
    return ranked.sort(byScore);
  }

  /** The first of a ranking; what another process has removed meanwhile makes room for the next. */
  #best(ranked: readonly Scored[], take: number): Hit[] {
    const hits: Hit[] = [];
    for (const scored of ranked) {
      if (hits.length >= take) break;
      const sql = `SELECT ${COLUMNS} FROM store_items i WHERE i.id = ?`;
      const row = this.#db.get<RowValues>(sql, scored.id);
      if (row !== undefined) hits.push({ ...rowOf(row), ...scored });
    }
    return hits;
  }
}

function rowOf([id, namespace, key, value, createdAt, updatedAt, ttl]: RowValues): Row {
  return { id, namespace, key, value, createdAt, updatedAt, ttl };
}

function vectorOf(bytes: Buffer): Float32Array {
  // a copy: a view of floats has to begin at a multiple of four
  return new Float32Array(Uint8Array.from(bytes).buffer);
}
