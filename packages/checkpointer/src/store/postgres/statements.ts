import { type Statement, statement } from "../../postgres/statement.ts";
import { HEAD_BYTES, IS_LONG } from "./schema.ts";

const COLUMNS = "i.id, i.ns, i.key, i.value, i.created_at, i.updated_at, i.ttl";
const ALIVE = "(i.expires_at IS NULL OR i.expires_at > $1::bigint)";

/** $1 now, $2 and $3 the namespaces. The first bytes alone stand in an index. */
const BETWEEN =
  `i.head >= substring($2::bytea FROM 1 FOR ${HEAD_BYTES}) AND i.head <= substring($3::bytea FROM 1 FOR ${HEAD_BYTES})` +
  ` AND i.ns >= $2 AND i.ns < $3 AND ${ALIVE}`;

/** $1 now, $2 and $3 the namespaces, $4 facets. */
const WHERE = `WHERE ${BETWEEN} AND i.facets @> $4::jsonb`;

export interface Statements {
  readonly get: Statement;
  readonly put: Statement;
  /** With an id that `ids` has given. */
  readonly putAs: Statement;
  readonly ids: Statement;
  readonly remove: Statement;
  readonly byId: Statement;
  readonly byIds: Statement;
  readonly byWords: Statement;
  readonly byVector: Statement;
  readonly namespaces: Statement;
  readonly refresh: Statement;
  readonly sweep: Statement;
}

/**
 * @param schema - quoted
 * @param extension - the quoted schema of pgvector; undefined: vectors are compared by plain SQL
 */
export function statements(schema: string, extension: string | undefined): Statements {
  const items = `${schema}.store_items`;
  const part = "i.vectors[k * i.dims + 1 : (k + 1) * i.dims]";
  const product =
    extension === undefined
      ? `(SELECT sum(a::float8 * b) FROM unnest(${part}, $5::real[]) AS pair (a, b))`
      : `-(${part}::${extension}.vector OPERATOR(${extension}.<#>) $5::real[]::${extension}.vector)`;
  const cosine =
    "CASE WHEN i.dims = 0 THEN NULL WHEN i.dims <> cardinality($5::real[]) THEN 0" +
    ` ELSE (SELECT max(${product}) FROM generate_series(0, cardinality(i.vectors) / i.dims - 1) AS each (k)) END`;
  const put = (column: string, value: string) =>
    statement(`INSERT INTO ${items} AS i (place, ns, key, value, facets, terms, words, dims, vectors, created_at, updated_at, ttl, expires_at${column})
    VALUES ($1, $2, $3, $4, $5, $6, array_to_tsvector($7::text[]), $8, $9::real[], $10, $10, $11, $10::bigint + $11::bigint${value})
    ON CONFLICT (place) DO UPDATE SET value = excluded.value, facets = excluded.facets, terms = excluded.terms,
      words = excluded.words, dims = excluded.dims, vectors = excluded.vectors, updated_at = excluded.updated_at,
      ttl = excluded.ttl, expires_at = excluded.expires_at,
      id = CASE WHEN i.expires_at <= $10::bigint THEN excluded.id ELSE i.id END,
      created_at = CASE WHEN i.expires_at <= $10::bigint THEN excluded.created_at ELSE i.created_at END`);
  return {
    get: statement(`SELECT ${COLUMNS} FROM ${items} i WHERE i.place = ANY ($2::bytea[]) AND ${ALIVE}`),
    put: put("", ""),
    putAs: put(", id", ", $12::bigint"),
    // whoever may use the table only gets none
    ids: statement(
      `SELECT nextval(ids) FROM pg_get_serial_sequence('${items.replaceAll("'", "''")}', 'id') AS ids, generate_series(1, $1::int)` +
        " WHERE has_sequence_privilege(ids, 'USAGE')",
    ),
    remove: statement(`DELETE FROM ${items} WHERE place = $1`),
    byId: statement(`SELECT ${COLUMNS} FROM ${items} i ${WHERE} ORDER BY i.id LIMIT $5`),
    byIds: statement(`SELECT ${COLUMNS} FROM ${items} i WHERE i.id = ANY ($2::bigint[]) AND ${ALIVE}`),
    byWords: statement(byWords(items)),
    byVector: statement(
      `SELECT ${COLUMNS}, ${cosine} AS score FROM ${items} i ${WHERE} ORDER BY score DESC NULLS LAST, i.id LIMIT $6`,
    ),
    namespaces: statement(`SELECT DISTINCT i.ns FROM ${items} i WHERE ${BETWEEN} ORDER BY i.ns`),
    // a row that somebody else writes gets its time from them
    refresh: statement(
      `UPDATE ${items} SET expires_at = $1::bigint + ttl WHERE id IN` +
        ` (SELECT i.id FROM ${items} i WHERE i.id = ANY ($2::bigint[]) AND i.expires_at > $1 FOR UPDATE SKIP LOCKED)`,
    ),
    sweep: statement(
      `WITH gone AS (DELETE FROM ${items} WHERE id IN` +
        ` (SELECT i.id FROM ${items} i WHERE i.expires_at <= $1 FOR UPDATE SKIP LOCKED) RETURNING 1)` +
        " SELECT count(*) FROM gone",
    ),
  };
}

/**
 * How many items there are between two namespaces: all of them less those that have ended, because both numbers
 * stand in indexes. The first bytes of a namespace decide where the two that it is compared with are no longer.
 */
function size(items: string): string {
  const ofHead = "i.head >= $2::bytea AND i.head < $3::bytea";
  return `CASE WHEN greatest(octet_length($2::bytea), octet_length($3::bytea)) <= ${HEAD_BYTES}
      THEN (SELECT count(*) FROM ${items} i WHERE ${ofHead}) -
        (SELECT count(*) FROM ${items} i WHERE ${ofHead} AND i.expires_at <= $1::bigint)
      ELSE (SELECT count(*) FROM ${items} i WHERE ${BETWEEN}) END`;
}

/**
 * Of each item that holds any of the terms $5 (or all pairs of one): its id, whether it has the
 * facets, how many terms it holds, how often each of $6, and how many items were searched. Blanks
 * are doubled, because two neighbours share one.
 */
function byWords(items: string): string {
  const holders = `SELECT i.id, i.facets @> $4::jsonb, octet_length(i.terms) - octet_length(replace(i.terms, ' ', '')) - 1,
      (SELECT array_agg((octet_length(spaced) - octet_length(replace(spaced, part, ''))) / octet_length(part) ORDER BY n)
        FROM unnest($6::text[]) WITH ORDINALITY AS asked (part, n)),
      (SELECT n FROM searched)
    FROM ${items} i CROSS JOIN LATERAL (SELECT replace(i.terms, ' ', '  ') AS spaced OFFSET 0) AS text WHERE ${BETWEEN}`;
  return `WITH searched AS MATERIALIZED (SELECT ${size(items)} AS n)
    ${holders} AND NOT (${IS_LONG}) AND i.words @@ $5::tsquery UNION ALL ${holders} AND ${IS_LONG}`;
}
