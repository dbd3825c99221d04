/** Every value is bound. Names are stored as `toText` makes them, ids as `toId` does. */

export const FIND = `SELECT t.tid, t.epoch, t.generation, t.owner, t.lease_until, n.nsid, n.head, n.next, c.cid,
    EXISTS (SELECT 1 FROM writes w WHERE w.nsid = n.nsid AND w.seq = c.seq)
      OR EXISTS (SELECT 1 FROM checkpoints k WHERE k.nsid = n.nsid AND k.seq = c.seq + 1 AND k.parent = c.seq AND k.writes IS NOT NULL)
  FROM threads t LEFT JOIN heads n ON n.tid = t.tid AND n.ns = ?
  LEFT JOIN checkpoints c ON c.nsid = n.nsid AND c.seq = n.head
  WHERE t.tenant = ? AND t.thread_id = ?`;
export const CREATE =
  "INSERT INTO threads (tenant, thread_id, created_at, updated_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING";
/** A thread that is not there, taken as it is made. */
export const CREATE_CLAIMED = `INSERT INTO threads (tenant, thread_id, epoch, owner, lease_until, created_at, updated_at)
  VALUES (?, ?, 1, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;
export const CLAIM =
  "UPDATE threads SET epoch = epoch + 1, owner = ?, lease_until = ?, updated_at = ? WHERE tid = ? AND epoch = ?";
/**
 * The head is the last checkpoint, unless it was moved, which raises the generation. Here as everywhere a value that
 * is needed twice is bound twice: better-sqlite3 takes a numbered parameter for a named one.
 */
export const RETAKE = `UPDATE threads SET epoch = epoch + 1, owner = ?, lease_until = ?, updated_at = ?
  WHERE tid = ? AND epoch = ? AND generation = ? AND owner IS NULL
    AND NOT EXISTS (SELECT 1 FROM checkpoints WHERE nsid = ? AND seq > ?)
    AND NOT EXISTS (SELECT 1 FROM writes WHERE nsid = ? AND seq = ?)`;
export const RENEW = "UPDATE threads SET lease_until = ? WHERE tid = ? AND epoch = ?";
export const RELEASE = "UPDATE threads SET owner = NULL, lease_until = NULL WHERE tid = ? AND epoch = ?";
export const ADD_NAMESPACE = "INSERT INTO namespaces (tid, ns) VALUES (?, ?) ON CONFLICT DO NOTHING";
export const FIRST_NAMESPACE = "INSERT INTO namespaces (tid, ns) VALUES (?, ?)";
export const LANES = `SELECT lane, name, (SELECT max(ord) FROM items i WHERE i.tid = l.tid AND i.lane = l.lane)
  FROM lanes l WHERE tid = ?`;
export const CHAIN = `SELECT seq, cid, parent,
    CASE WHEN seq = ? THEN coalesce((SELECT p.cid FROM checkpoints p WHERE p.nsid = c.nsid AND p.seq = c.parent), parent_cid) END,
    base, ts, metadata, manifest
  FROM checkpoints c WHERE nsid = ?
  AND seq BETWEEN (SELECT base FROM checkpoints WHERE nsid = ? AND seq = ?) AND ? ORDER BY seq`;
export const CHECKPOINTS = `SELECT seq, cid, parent, parent_cid, base, ts, metadata, manifest FROM checkpoints
  WHERE nsid = ? AND (? IS NULL OR cid < ?) ORDER BY cid DESC LIMIT ?`;
export const CHECKPOINT = `SELECT seq, cid, parent, parent_cid, base, ts, metadata, manifest FROM checkpoints
  WHERE nsid = ? AND seq = ?`;
export const ID_KINDS = `SELECT (SELECT typeof(cid) FROM checkpoints WHERE nsid = ? ORDER BY cid LIMIT 1),
  (SELECT typeof(cid) FROM checkpoints WHERE nsid = ? ORDER BY cid DESC LIMIT 1)`;
export const ITEMS = `SELECT body FROM items WHERE tid = ? AND lane = ? AND ord >= ? AND ord < ?
  AND (? IS NULL OR EXISTS (SELECT 1 FROM threads WHERE tid = ? AND generation = ?)) ORDER BY ord`;
const BYTES = "sum(length(CAST(body AS BLOB)))";
/**
 * The same as lines of one text, of which JSON has none within; null for more than what a text of JavaScript
 * easily holds: in bytes, because counting characters reads each of them. An aggregate keeps the order of what
 * it is made of.
 */
export const JOINED_ITEMS = `SELECT CASE WHEN ${BYTES} < 100000000 THEN group_concat(body, char(10)) END, count(*), ${BYTES}
  FROM (${ITEMS})`;
const IS_HELD = "(? IS NULL OR (SELECT epoch FROM threads WHERE tid = ?) = ?)";
const HOLDS = `WHERE ${IS_HELD}`;
export const RECORD = `INSERT INTO writes SELECT ?, ?, ?, ?, ? ${HOLDS} ON CONFLICT DO NOTHING`;
export const RECORD_SPECIAL = `INSERT INTO writes SELECT ?, ?, ?, ?, ? ${HOLDS}
  ON CONFLICT DO UPDATE SET body = excluded.body`;
export const REWRITE = "UPDATE writes SET body = ? WHERE nsid = ? AND seq = ? AND task = ? AND slot = ?";
export const REWRITE_HELD = `${REWRITE} AND ${IS_HELD}`;
export const MOVE_ITEM = "UPDATE items SET body = ? WHERE tid = ? AND lane = ? AND ord = ?";
export const INSERT_WRITE = `INSERT INTO writes VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET body = excluded.body`;
export const INSERT_CHECKPOINT = "INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
export const REPLACE_CHECKPOINT =
  "INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)";
/** Whether the head is the one that a commit follows and, where there is a claim, it still holds. */
export const UNCHANGED = `SELECT 1 FROM heads WHERE nsid = ? AND head IS ?
  AND EXISTS (SELECT 1 FROM threads WHERE tid = ? AND generation = ? AND (? IS NULL OR epoch = ?))`;
export const NAMESPACES = `SELECT t.thread_id, t.tid, n.ns, n.nsid, n.head, n.next FROM threads t
  JOIN heads n ON n.tid = t.tid JOIN namespaces m ON m.nsid = n.nsid
  WHERE t.tenant = ? AND (? IS NULL OR t.thread_id = ?) AND (n.head IS NOT NULL OR m.next > 1) ORDER BY t.tid, n.nsid`;
export const THREADS = `SELECT * FROM (
    SELECT t.thread_id, t.created_at, max(coalesce(c.ts, 0), t.updated_at) AS updated,
      c.cid, (SELECT count(*) FROM checkpoints k JOIN namespaces m ON m.nsid = k.nsid WHERE m.tid = t.tid), t.epoch
    FROM threads t LEFT JOIN heads n ON n.tid = t.tid AND n.ns = ''
    LEFT JOIN checkpoints c ON c.nsid = n.nsid AND c.seq = n.head WHERE t.tenant = ?)
  WHERE ? IS NULL OR (updated, thread_id) < (?, ?) ORDER BY updated DESC, thread_id DESC LIMIT ?`;
const OF_THREAD = "nsid IN (SELECT nsid FROM namespaces n WHERE n.tid = t.tid)";
export const SIZES = `SELECT (SELECT count(*) FROM items i WHERE i.tid = t.tid),
    (SELECT coalesce(sum(length(CAST(body AS BLOB))), 0) FROM items i WHERE i.tid = t.tid),
    (SELECT coalesce(sum(length(CAST(body AS BLOB))), 0) FROM writes WHERE ${OF_THREAD})
      + (SELECT coalesce(sum(length(CAST(writes AS BLOB))), 0) FROM checkpoints WHERE ${OF_THREAD}),
    (SELECT coalesce(sum(length(CAST(manifest AS BLOB))), 0) FROM checkpoints WHERE ${OF_THREAD})
  FROM threads t WHERE t.tenant = ? AND t.thread_id = ?`;
export const DELETES = [
  "DELETE FROM checkpoints WHERE nsid IN (SELECT nsid FROM namespaces WHERE tid = ?)",
  "DELETE FROM writes WHERE nsid IN (SELECT nsid FROM namespaces WHERE tid = ?)",
  "DELETE FROM items WHERE tid = ?",
  "DELETE FROM lanes WHERE tid = ?",
  "DELETE FROM namespaces WHERE tid = ?",
  "DELETE FROM threads WHERE tid = ?",
  "DELETE FROM meta WHERE key = 'family:' || ?",
];

export const SCAN_CHECKPOINTS = `SELECT seq, cid, parent, parent_cid, base, ts, metadata, manifest FROM checkpoints
  WHERE nsid = ? AND seq > ? ORDER BY seq LIMIT ?`;
export const WRITES = "SELECT task, slot, body FROM writes WHERE nsid = ? AND seq = ? ORDER BY task, slot";
export const SCAN_WRITES =
  "SELECT seq, task, slot, body FROM writes WHERE nsid = ? AND seq > ? AND seq <= ? ORDER BY seq, task, slot";
export const SCAN_ITEMS =
  "SELECT ord, key, body FROM items WHERE tid = ? AND lane = ? AND ord >= ? ORDER BY ord LIMIT ?";
/** Writes that stand with the checkpoint after theirs; see `inline-writes.ts`. */
export const INLINE_WRITES =
  "SELECT writes FROM checkpoints WHERE nsid = ? AND seq = ? AND parent = ? AND writes IS NOT NULL";
export const SCAN_INLINE =
  "SELECT parent, writes FROM checkpoints WHERE nsid = ? AND seq > ? AND seq <= ? AND writes IS NOT NULL";
export const DROP_INLINE = "UPDATE checkpoints SET writes = NULL WHERE nsid = ? AND seq = ?";
export const KEEP_WRITE = "INSERT INTO writes VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING";
/** What others remember of a thread holds no longer. */
export const OUTDATE = "UPDATE threads SET generation = generation + 1 WHERE tid = ?";
/** The same, for who holds the claim. */
export const HOLDS_THREAD = "UPDATE threads SET generation = generation + 1 WHERE tid = ? AND epoch = ?";
export const NAMESPACE = "SELECT nsid, head, next FROM heads WHERE tid = ? AND ns = ?";

/** A thread and its copies are a family, which has the number of the first of them. */
export const FAMILY =
  "SELECT coalesce((SELECT value FROM meta WHERE key = 'family:' || ?), CAST(? AS INTEGER) || '')";
export const REMEMBER_FAMILY = "INSERT OR REPLACE INTO meta VALUES ('family:' || ?, ?)";
export const RELATIVES = `SELECT thread_id FROM threads WHERE tid IN (
    SELECT CAST(substr(key, 8) AS INTEGER) FROM meta
    WHERE key LIKE 'family:%' AND value = (SELECT value FROM meta WHERE key = 'family:' || ?))
  AND tid <> ? AND tenant = ? ORDER BY tid`;
export const CREATE_COPY = `INSERT INTO threads (tenant, thread_id, created_at, updated_at)
  SELECT ?, ?, ?, ? FROM threads WHERE tid = ? AND tenant = ? ON CONFLICT DO NOTHING`;
/** Sequence numbers and ordinals are the thread's own, so rows are copied as they are. */
export const COPIES: readonly { readonly sql: string; readonly order: readonly ("new" | "old")[] }[] = [
  { sql: "INSERT INTO lanes SELECT ?, lane, name FROM lanes WHERE tid = ?", order: ["new", "old"] },
  {
    sql: "INSERT INTO items SELECT ?, lane, ord, key, body FROM items WHERE tid = ?",
    order: ["new", "old"],
  },
  {
    sql: "INSERT INTO namespaces (tid, ns, moved_to, next) SELECT ?, ns, moved_to, next FROM namespaces WHERE tid = ? ORDER BY nsid",
    order: ["new", "old"],
  },
  {
    sql: `INSERT INTO checkpoints SELECT m.nsid, c.seq, c.cid, c.parent, c.parent_cid, c.base, c.ts, c.metadata, c.manifest, c.writes
      FROM namespaces n JOIN namespaces m ON m.ns = n.ns JOIN checkpoints c ON c.nsid = n.nsid WHERE n.tid = ? AND m.tid = ?`,
    order: ["old", "new"],
  },
  {
    sql: `INSERT INTO writes SELECT m.nsid, w.seq, w.task, w.slot, w.body
      FROM namespaces n JOIN namespaces m ON m.ns = n.ns JOIN writes w ON w.nsid = n.nsid WHERE n.tid = ? AND m.tid = ?`,
    order: ["old", "new"],
  },
];
