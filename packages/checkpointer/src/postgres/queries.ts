import { LONGEST } from "../manifest/dictionary.ts";
import { statement, type Statement } from "./statement.ts";
import { found, markOf } from "./functions.ts";
import { isStored, isStoredIfAny } from "./step.ts";
import { movedTo, random, shortTimeOf } from "./tables.ts";

export type Queries = ReturnType<typeof queriesOf>;

const places = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, i) => `$${from + i}`).join(", ");

const CHECKPOINT = "seq, cid, nullif(parent, 0), nullif(parent_cid, ''), base, ts, metadata, manifest";

/** @param s - the quoted name of the schema; everything else is bound */
export function queriesOf(s: string) {
  const ofGeneration = (tid: string, generation: string): string =>
    `(${generation} IS NULL OR EXISTS (SELECT 1 FROM ${s}.threads t WHERE t.tid = ${tid} AND t.generation = ${generation}))`;
  const names = namesOf(s);
  const ofThread = `nsid IN (SELECT nsid FROM ${s}.namespaces n WHERE n.tid = t.tid)`;
  const texts = {
    find: found(s, "$1", "$2", "$3", "$4::bigint", "$5::integer", "$6::text"),
    take: `SELECT * FROM ${s}.take(${places(1, 11)})`,
    create: `INSERT INTO ${s}.threads (tenant, thread_id, created_at, updated_at) VALUES ($1, $2, $3, $3) ON CONFLICT DO NOTHING`,
    renew: `UPDATE ${s}.threads t SET lease_until = (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $3
      FROM unnest($1::bigint[], $2::bigint[]) u (tid, epoch) WHERE t.tid = u.tid AND t.epoch = u.epoch`,
    release: `SELECT ${s}.release($1, $2)`,
    lanes: `SELECT lane, name, (SELECT max(ord) FROM ${s}.items i WHERE i.tid = l.tid AND i.lane = l.lane)
      FROM ${s}.lanes l WHERE tid = $1`,
    locate: `SELECT seq FROM ${s}.checkpoints WHERE nsid = $1 AND cid = $2`,
    chain: `SELECT seq, cid, nullif(parent, 0), CASE WHEN seq = $2 THEN coalesce(
          (SELECT p.cid FROM ${s}.checkpoints p WHERE p.nsid = c.nsid AND p.seq = c.parent), nullif(parent_cid, '')) END,
        base, ts, metadata, manifest, ${names}
      FROM ${s}.checkpoints c WHERE nsid = $1
      AND seq BETWEEN (SELECT base FROM ${s}.checkpoints WHERE nsid = $1 AND seq = $2) AND $2 ORDER BY seq`,
    writes: `SELECT task, slot, body, NULL FROM ${s}.writes WHERE nsid = $1 AND seq = $2
      UNION ALL SELECT NULL, NULL, writes, ${names} FROM ${s}.checkpoints
        WHERE nsid = $1 AND seq = $2::integer + 1 AND parent = $2 AND writes <> '' ORDER BY 1, 2`,
    items: `SELECT body FROM ${s}.items WHERE tid = $1 AND lane = $2 AND ord >= $3 AND ord < $4 AND ${ofGeneration("$1", "$5::bigint")} ORDER BY ord`,
    // the same as lines of a few texts, of which JSON has none within; null for more than a text of JavaScript easily holds.
    // Page by page, in the order of the index: all at once they would be sorted, on the disk
    joinedItems: `SELECT p.* FROM generate_series($3::bigint, $4::bigint - 1, 512) g CROSS JOIN LATERAL (
        SELECT CASE WHEN sum(octet_length(body)) < 100000000 THEN string_agg(body, E'\\n' ORDER BY ord) END, count(*)
        FROM ${s}.items WHERE tid = $1 AND lane = $2 AND ord >= g AND ord < least(g + 512, $4::bigint)
          AND ${ofGeneration("$1", "$5::bigint")}) p`,
    manyItems: `SELECT r.n, i.body FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
        WITH ORDINALITY AS r (tid, lane, first, last, generation, n)
      JOIN ${s}.items i ON i.tid = r.tid AND i.lane = r.lane AND i.ord >= r.first AND i.ord < r.last
        AND ${ofGeneration("r.tid", "r.generation")}
      ORDER BY r.n, i.ord`,
    itemsByKey: `SELECT key, ord FROM ${s}.items WHERE tid = $1 AND lane = $2 AND key = ANY ($3)`,
    record: `SELECT ${s}.record(${places(1, 7)}) WHERE ${isStored(s, "$8", "$9")}`,
    // whether a claim holds: nothing is recorded
    holds: `SELECT ${s}.record(${places(1, 7)})`,
    rewrite: `UPDATE ${s}.writes SET body = $5 WHERE nsid = $1 AND seq = $2 AND task = $3 AND slot = $4 RETURNING seq`,
    commit: `SELECT ${s}.commit(${places(1, 33)}) WHERE ${isStoredIfAny(s, "$34", "$35")}`,
    outdate: `UPDATE ${s}.threads SET generation = ${random} WHERE tid = $1 AND generation = $2 RETURNING generation`,
    steps: `SELECT ${s}.steps(${places(1, 15)}) WHERE ${isStoredIfAny(s, "$16", "$17")}`,
    names: `SELECT n, name, ${markOf(s)} FROM ${s}.names WHERE n > $1 ORDER BY n`,
    // they are on disk before anybody uses their numbers, whatever the server is told of other commits
    addNames: `WITH added AS (INSERT INTO ${s}.names
        SELECT (SELECT coalesce(max(n), 0) FROM ${s}.names) + row_number() OVER (), u FROM unnest($1::text[]) u
          WHERE NOT EXISTS (SELECT 1 FROM ${s}.names o WHERE o.name = u) AND set_config('synchronous_commit',
            CASE current_setting('synchronous_commit') WHEN 'off' THEN 'local' ELSE current_setting('synchronous_commit') END,
            true) <> ''
          ON CONFLICT DO NOTHING RETURNING n, name),
      marked AS (INSERT INTO ${s}.meta SELECT 'names', gen_random_uuid() WHERE (SELECT count(*) FROM added) > 0
        ON CONFLICT (key) DO UPDATE SET value = excluded.value RETURNING value)
      SELECT n, name, ${markOf(s)}, (SELECT value FROM marked) FROM ${s}.names WHERE n > $2
        UNION ALL SELECT n, name, ${markOf(s)}, (SELECT value FROM marked) FROM added ORDER BY 1`,
    // closes gaps by names that are longer than those that get numbers; what is known stands before, so the mark stays
    fillNames: `INSERT INTO ${s}.names
      SELECT g, rpad(g::text, ${LONGEST + 1}) FROM generate_series(1, (SELECT max(n) FROM ${s}.names)) g
        WHERE NOT EXISTS (SELECT 1 FROM ${s}.names o WHERE o.n = g) ON CONFLICT DO NOTHING`,

    namespaces: `SELECT t.thread_id, t.tid, n.ns, n.nsid, n.head, n.next
      FROM ${s}.threads t JOIN ${s}.heads n ON n.tid = t.tid JOIN ${s}.namespaces m ON m.nsid = n.nsid
      WHERE t.tenant = $1 AND ($2::text IS NULL OR t.thread_id = $2) AND n.next > 1 AND (n.head IS NOT NULL OR m.next > 1)
      ORDER BY t.tid, n.nsid`,
    checkpoints: `SELECT ${CHECKPOINT}, ${names} FROM ${s}.checkpoints
      WHERE nsid = $1 AND ($2::text IS NULL OR cid < $2) ORDER BY cid DESC LIMIT $3`,
    idKinds: `SELECT min(cid), max(cid) FROM ${s}.checkpoints WHERE nsid = $1`,
    threads: `SELECT * FROM (
        SELECT t.thread_id, t.created_at, greatest(c.ts, ${shortTimeOf("t.updated_at")}) AS updated, c.cid,
          (SELECT count(*) FROM ${s}.checkpoints k JOIN ${s}.namespaces m ON m.nsid = k.nsid WHERE m.tid = t.tid), t.epoch
        FROM ${s}.threads t LEFT JOIN ${s}.heads n ON n.tid = t.tid AND n.ns = ''
        LEFT JOIN ${s}.checkpoints c ON c.nsid = n.nsid AND c.seq = n.head WHERE t.tenant = $1) listed
      WHERE $2::text IS NULL OR (updated, thread_id) < ($2, $3) ORDER BY updated DESC, thread_id DESC LIMIT $4`,
    sizes: `SELECT (SELECT count(*) FROM ${s}.items i WHERE i.tid = t.tid),
        (SELECT coalesce(sum(octet_length(body)), 0)::bigint FROM ${s}.items i WHERE i.tid = t.tid),
        (SELECT coalesce(sum(octet_length(body)), 0)::bigint FROM ${s}.writes WHERE ${ofThread})
          + (SELECT coalesce(sum(octet_length(writes)), 0)::bigint FROM ${s}.checkpoints WHERE ${ofThread}),
        (SELECT coalesce(sum(octet_length(manifest)), 0)::bigint FROM ${s}.checkpoints WHERE ${ofThread}),
        (SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class c
          WHERE c.relkind = 'r' AND c.relnamespace = '${s}'::regnamespace)
      FROM ${s}.threads t WHERE t.tenant = $1 AND t.thread_id = $2`,

    scanCheckpoints: `SELECT ${CHECKPOINT}, ${names} FROM ${s}.checkpoints WHERE nsid = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
    scanWrites: `SELECT seq, task, slot, body, NULL FROM ${s}.writes WHERE nsid = $1 AND seq > $2 AND seq <= $3
      UNION ALL SELECT parent, NULL, NULL, writes, ${names} FROM ${s}.checkpoints
        WHERE nsid = $1 AND seq > $2::integer + 1 AND seq <= $3::integer + 1 AND writes <> '' ORDER BY 1, 2, 3`,
    wholeCheckpoints: `SELECT nsid, ${names}, ${CHECKPOINT} FROM ${s}.checkpoints WHERE nsid = ANY ($1) ORDER BY nsid, seq`,
    wholeWrites: `SELECT nsid, seq, task, slot, body, NULL FROM ${s}.writes WHERE nsid = ANY ($1)
      UNION ALL SELECT nsid, parent, NULL, NULL, writes, ${names} FROM ${s}.checkpoints
        WHERE nsid = ANY ($1) AND seq > 1 AND writes <> '' ORDER BY 1, 2, 3, 4`,
    scanItems: `SELECT ord, key, body FROM ${s}.items WHERE tid = $1 AND lane = $2 AND ord >= $3 ORDER BY ord LIMIT $4`,
    relatives: `SELECT o.thread_id FROM ${s}.threads t JOIN ${s}.threads o ON o.family = t.family
      WHERE t.tid = $1 AND o.tid <> $1 AND o.tenant = $2 ORDER BY o.tid`,
  };
  return named(texts);
}

/** Behind rows that hold names: how many there are, and their mark. */
const namesOf = (s: string): string => `(SELECT concat(max(n), ' ', ${markOf(s)}) FROM ${s}.names)`;

/** Of what a verb does in one transaction. */
export function upkeepOf(s: string) {
  const texts = {
    lockTimeout: "SELECT set_config('lock_timeout', '5s', true)",
    raiseGeneration: `UPDATE ${s}.threads SET generation = ${random} WHERE tid = $1 AND epoch = $2 RETURNING tid`,
    addNamespace: `INSERT INTO ${s}.namespaces (tid, ns) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
    namespace: `SELECT n.nsid, h.head, h.next FROM ${s}.namespaces n JOIN ${s}.heads h ON h.nsid = n.nsid
      WHERE n.tid = $1 AND n.ns = $2 FOR NO KEY UPDATE OF n`,
    asSeen: `SELECT count(*) FROM unnest($2::text[], $3::bigint[], $4::bigint[]) u (ns, head, next)
      JOIN ${s}.heads h ON h.tid = $1 AND h.ns = u.ns AND h.head IS NOT DISTINCT FROM u.head AND h.next = u.next`,
    moveHead: `UPDATE ${s}.namespaces SET moved_to = ${movedTo(s, "$1", "$2::bigint")}, next = $3 WHERE nsid = $1`,
    dropCheckpoints: `DELETE FROM ${s}.checkpoints WHERE nsid = $1 AND seq = ANY ($2)`,
    dropWrites: `DELETE FROM ${s}.writes WHERE nsid = $1 AND seq = ANY ($2)`,
    dropCheckpointIds: `DELETE FROM ${s}.checkpoints WHERE nsid = $1 AND cid = ANY ($2)`,
    inline: `SELECT seq, writes, ${namesOf(s)} FROM ${s}.checkpoints
      WHERE nsid = $1 AND seq = ANY ($2) AND parent = seq - 1 AND writes <> ''`,
    dropInline: `UPDATE ${s}.checkpoints SET writes = '' WHERE nsid = $1 AND seq = ANY ($2)`,
    putCheckpoints: `INSERT INTO ${s}.checkpoints
      SELECT $1::bigint, u.seq, coalesce(u.parent, 0), u.base, u.cid, u.ts, u.metadata, u.manifest, coalesce(u.parent_cid, ''), ''
      FROM unnest($2::integer[], $3::text[], $4::integer[], $5::text[], $6::integer[], $7::text[], $8::text[], $9::text[])
        u (seq, cid, parent, parent_cid, base, ts, metadata, manifest)`,
    putWrites: `INSERT INTO ${s}.writes SELECT $1::bigint, u.* FROM unnest($2::integer[], $3::integer[], $4::text[], $5::text[]) u
      ON CONFLICT (nsid, seq, task, slot) DO UPDATE SET body = excluded.body`,
    keepWrites: `INSERT INTO ${s}.writes SELECT $1::bigint, u.* FROM unnest($2::integer[], $3::integer[], $4::text[], $5::text[]) u
      ON CONFLICT DO NOTHING`,
    addLanes: `INSERT INTO ${s}.lanes SELECT $1::bigint, u.* FROM unnest($2::integer[], $3::text[]) u`,
    putItems: `INSERT INTO ${s}.items SELECT $1::bigint, u.* FROM unnest($2::bigint[], $3::integer[], $4::integer[], $5::text[]) u
      ON CONFLICT (tid, lane, ord) DO UPDATE SET key = excluded.key, body = excluded.body`,
    dropItems: `DELETE FROM ${s}.items i USING unnest($2::integer[], $3::bigint[], $4::bigint[]) u (lane, first, last)
      WHERE i.tid = $1 AND i.lane = u.lane AND i.ord >= u.first AND i.ord < u.last`,

    // the number of the first of them is that of the family
    joinFamily: `UPDATE ${s}.threads SET family = coalesce(family, tid) WHERE tid = $1 AND tenant = $2 RETURNING family`,
    addCopy: `INSERT INTO ${s}.threads (tenant, thread_id, family, created_at, updated_at) VALUES ($1, $2, $3, $4, $4)
      ON CONFLICT DO NOTHING RETURNING tid`,
    copyLanes: `INSERT INTO ${s}.lanes SELECT $2, lane, name FROM ${s}.lanes WHERE tid = $1`,
    copyItems: `INSERT INTO ${s}.items SELECT $2, key, lane, ord, body FROM ${s}.items WHERE tid = $1`,
    copyNamespaces: `INSERT INTO ${s}.namespaces (tid, ns, moved_to, next)
      SELECT $2, ns, moved_to, next FROM ${s}.namespaces WHERE tid = $1 ORDER BY nsid`,
    copyCheckpoints: `INSERT INTO ${s}.checkpoints
      SELECT m.nsid, c.seq, c.parent, c.base, c.cid, c.ts, c.metadata, c.manifest, c.parent_cid, c.writes
      FROM ${s}.namespaces n JOIN ${s}.namespaces m ON m.ns = n.ns JOIN ${s}.checkpoints c ON c.nsid = n.nsid
      WHERE n.tid = $1 AND m.tid = $2`,
    copyWrites: `INSERT INTO ${s}.writes SELECT m.nsid, w.seq, w.slot, w.task, w.body
      FROM ${s}.namespaces n JOIN ${s}.namespaces m ON m.ns = n.ns JOIN ${s}.writes w ON w.nsid = n.nsid
      WHERE n.tid = $1 AND m.tid = $2`,

    dropThread: `DELETE FROM ${s}.threads WHERE tenant = $1 AND thread_id = $2 RETURNING tid`,
    dropAllCheckpoints: `DELETE FROM ${s}.checkpoints WHERE nsid IN (SELECT nsid FROM ${s}.namespaces WHERE tid = $1)`,
    dropAllWrites: `DELETE FROM ${s}.writes WHERE nsid IN (SELECT nsid FROM ${s}.namespaces WHERE tid = $1)`,
    dropAllItems: `DELETE FROM ${s}.items WHERE tid = $1`,
    dropLanes: `DELETE FROM ${s}.lanes WHERE tid = $1`,
    dropNamespaces: `DELETE FROM ${s}.namespaces WHERE tid = $1`,
  };
  return named(texts);
}

function named<Name extends string>(
  texts: Readonly<Record<Name, string>>,
): Readonly<Record<Name, Statement>> {
  const statements = Object.entries(texts).map(([name, text]) => [name, statement(text as string)]);
  return Object.fromEntries(statements) as Record<Name, Statement>;
}
