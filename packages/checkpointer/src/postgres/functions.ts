import { movedTo, random } from "./tables.ts";

/** Time of the server, so that clocks of clients need not agree. */
const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/**
 * How many items come with the longest lane, at most, and of how many bytes: a chat's context, and no pictures. Of
 * other lanes, which hold values that were replaced as a rule, the last few: more than the ten that a record of
 * summaries has, or the rest of it takes another round trip. Any numbers will do: a database keeps those of the
 * `take` that it was made with, until its next format.
 */
const LAST_ITEMS = 64;
const LAST_OTHERS = 16;
const LAST_BYTES = 65_536;

/** The last items of a lane, behind the ordinal of the first of them; null where they are too long. None of these is read. */
function lastItems(s: string, lane: string): string {
  return `
          (SELECT CASE WHEN sum(octet_length(e.body)) <= ${LAST_BYTES} THEN json_build_array(min(e.ord),
              json_agg(e.body ORDER BY e.ord) FILTER (WHERE octet_length(e.body) <= ${LAST_BYTES})) END
            FROM ${s}.items e WHERE e.tid = ${lane}.tid AND e.lane = ${lane}.lane
              AND e.ord > ${lane}.last - CASE WHEN ${lane}.last = ${lane}.most THEN ${LAST_ITEMS} ELSE ${LAST_OTHERS} END)`;
}

/**
 * The thread and the namespace with its head. If that is not the one that the caller knows, what an
 * open reads next comes with it: the rows of its chain, the lanes and their last items. What was recorded
 * under the head comes always, unless some of it stands with another checkpoint; so do names that are new,
 * or all of them where they have another mark. Few columns: the driver looks at each with every answer.
 */
export const found = (
  s: string,
  tenant: string,
  thread: string,
  ns: string,
  known: string,
  names: string,
  mark: string,
): string => `
  SELECT t.tid, t.epoch, t.generation, t.owner, t.lease_until - ${NOW}, n.nsid, n.head, n.next, c.cid,
    (SELECT json_agg(json_build_array(w.task, w.slot, w.body) ORDER BY w.task, w.slot)::text
      FROM ${s}.writes w WHERE w.nsid = n.nsid AND w.seq = n.head),
    CASE WHEN n.head IS DISTINCT FROM ${known} THEN
      (SELECT json_agg(json_build_array(k.seq, k.cid, nullif(k.parent, 0),
          CASE WHEN k.seq = n.head THEN coalesce(
            (SELECT p.cid FROM ${s}.checkpoints p WHERE p.nsid = k.nsid AND p.seq = k.parent), nullif(k.parent_cid, '')) END,
          k.base, k.ts, k.metadata, k.manifest) ORDER BY k.seq)::text
        FROM ${s}.checkpoints k WHERE k.nsid = n.nsid AND k.seq BETWEEN c.base AND n.head) END,
    CASE WHEN n.head IS DISTINCT FROM ${known} THEN
      (SELECT coalesce(json_agg(json_build_array(l.lane, l.name, l.last,
          CASE WHEN n.head IS NOT NULL THEN ${lastItems(s, "l")} END))::text, '[]')
        FROM (SELECT o.tid, o.lane, o.name, i.last, max(i.last) OVER () AS most FROM ${s}.lanes o CROSS JOIN LATERAL
          (SELECT max(ord) AS last FROM ${s}.items i WHERE i.tid = o.tid AND i.lane = o.lane) i
          WHERE o.tid = t.tid) l) END,
    EXISTS (SELECT 1 FROM ${s}.checkpoints k
      WHERE k.nsid = n.nsid AND k.seq = n.head + 1 AND k.parent = n.head AND k.writes <> ''),
    (SELECT json_build_array(g.value, json_agg(json_build_array(m.n, m.name) ORDER BY m.n))::text FROM ${s}.names m
      WHERE m.n > CASE WHEN g.value IS NOT DISTINCT FROM ${mark} THEN ${names} ELSE 0 END
      HAVING count(*) > 0 OR g.value IS DISTINCT FROM ${mark})
  FROM ${s}.threads t
  LEFT JOIN ${s}.heads n ON n.tid = t.tid AND n.ns = ${ns}
  LEFT JOIN ${s}.checkpoints c ON c.nsid = n.nsid AND c.seq = n.head
  LEFT JOIN ${s}.meta g ON g.key = 'names'
  WHERE t.tenant = ${tenant} AND t.thread_id = ${thread}`;

/** Another one whenever a name was added; null before the first. */
export const markOf = (s: string): string => `(SELECT value FROM ${s}.meta WHERE key = 'names')`;

const FOUND_COLUMNS =
  "o_tid bigint, o_epoch bigint, o_generation bigint, o_owner text, o_lease bigint, o_nsid bigint, o_head bigint, " +
  "o_next bigint, o_cid text, o_writes text, o_chain text, o_lanes text, o_inline boolean, o_names text";

/** That the claim still holds, if there is one. */
const CLAIMED = (s: string): string => `
  PERFORM 1 FROM ${s}.threads
    WHERE tid = a_tid AND generation = a_generation AND (a_epoch IS NULL OR epoch = a_epoch) FOR SHARE;
  IF NOT FOUND THEN RAISE 'conflict' USING ERRCODE = 'SK001'; END IF;`;

/** What takes the place of `commit` where several steps in a row are stored behind the head. */
const steps = (s: string): string => `
CREATE OR REPLACE FUNCTION ${s}.steps(a_tid bigint, a_epoch bigint, a_generation bigint, a_nsid bigint, a_seq integer,
  a_cid text[], a_base integer[], a_ts text[], a_metadata text[], a_manifest text[], a_writes text[],
  i_lane integer[], i_ord integer[], i_key bigint[], i_body text[])
RETURNS void LANGUAGE plpgsql SET lock_timeout = '5s' AS $skein$
BEGIN${CLAIMED(s)}
  INSERT INTO ${s}.checkpoints SELECT a_nsid, a_seq + u.n - 1, a_seq + u.n - 2, u.base, u.cid, u.ts, u.metadata, u.manifest, '', u.writes
    FROM unnest(a_base, a_cid, a_ts, a_metadata, a_manifest, a_writes)
      WITH ORDINALITY u (base, cid, ts, metadata, manifest, writes, n);
  IF i_lane IS NOT NULL THEN
    INSERT INTO ${s}.items SELECT a_tid, u.* FROM unnest(i_key, i_lane, i_ord, i_body) u;
  END IF;
END $skein$;
`;

/**
 * Finds a thread, and takes it where nobody holds it; the epoch that it had until then is null where somebody does.
 * An epoch is any number: a server may lose a claim that it has acknowledged, and no other may be taken for it.
 */
const taking = (s: string): string => `
CREATE OR REPLACE FUNCTION ${s}.take(a_tenant text, a_thread text, a_ns text, a_owner text, a_lease bigint, a_now bigint,
  a_tid bigint, a_epoch bigint, a_known bigint, a_names integer, a_mark text)
RETURNS TABLE (o_before bigint, ${FOUND_COLUMNS}) LANGUAGE plpgsql SET lock_timeout = '5s' AS $skein$
DECLARE
  held ${s}.threads%ROWTYPE;
BEGIN
  -- a claim that a crash of the server loses has committed nothing; the first commit under it takes it to disk
  PERFORM set_config('synchronous_commit', 'off', true);
  SELECT * INTO held FROM ${s}.threads WHERE tenant = a_tenant AND thread_id = a_thread FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    INSERT INTO ${s}.threads (tenant, thread_id, created_at, updated_at) VALUES (a_tenant, a_thread, a_now, a_now)
      ON CONFLICT DO NOTHING;
    SELECT * INTO held FROM ${s}.threads WHERE tenant = a_tenant AND thread_id = a_thread FOR NO KEY UPDATE;
  END IF;
  IF held.owner IS NULL OR held.lease_until <= ${NOW} OR (held.tid = a_tid AND held.epoch = a_epoch) THEN
    UPDATE ${s}.threads SET epoch = 1 + ${random}, owner = a_owner, lease_until = ${NOW} + a_lease, updated_at = a_now
      WHERE tid = held.tid;
    PERFORM 1 FROM ${s}.namespaces WHERE tid = held.tid AND ns = a_ns;
    IF NOT FOUND THEN
      INSERT INTO ${s}.namespaces (tid, ns) VALUES (held.tid, a_ns) ON CONFLICT DO NOTHING;
    END IF;
  ELSE
    held.epoch := NULL;
  END IF;
  RETURN QUERY SELECT held.epoch, f.*
    FROM (${found(s, "a_tenant", "a_thread", "a_ns", "a_known", "a_names", "a_mark")}) f;
END $skein$;
`;

const releasing = (s: string): string => `
CREATE OR REPLACE FUNCTION ${s}.release(a_tid bigint, a_epoch bigint) RETURNS void LANGUAGE plpgsql SET lock_timeout = '5s' AS $skein$
BEGIN
  -- lost in a crash, it was that of a dead process
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE ${s}.threads SET owner = NULL, lease_until = NULL WHERE tid = a_tid AND epoch = a_epoch;
END $skein$;
`;

const recording = (s: string): string => `
CREATE OR REPLACE FUNCTION ${s}.record(a_tid bigint, a_epoch bigint, a_nsid bigint, a_seq integer,
  a_task text[], a_slot integer[], a_body text[])
RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '5s' AS $skein$
BEGIN
  IF a_epoch IS NOT NULL THEN
    PERFORM 1 FROM ${s}.threads WHERE tid = a_tid AND epoch = a_epoch FOR SHARE;
    IF NOT FOUND THEN RETURN false; END IF;
  END IF;
  INSERT INTO ${s}.writes AS w SELECT a_nsid, a_seq, u.slot, u.task, u.body
    FROM unnest(a_task, a_slot, a_body) u (task, slot, body)
    ON CONFLICT (nsid, seq, task, slot) DO UPDATE SET body = excluded.body WHERE w.slot < 0;
  RETURN true;
END $skein$;
`;

const committing = (s: string): string => `
CREATE OR REPLACE FUNCTION ${s}.commit(a_tid bigint, a_epoch bigint, a_generation bigint, a_ns text, a_nsid bigint,
  a_expected integer, a_head integer, a_seq integer, a_cid text, a_parent integer, a_parent_cid text, a_base integer,
  a_ts text, a_metadata text, a_manifest text, a_writes text, a_replaces boolean, a_release boolean,
  l_lane integer[], l_name text[], i_lane integer[], i_ord integer[], i_key bigint[], i_body text[],
  w_task text[], w_slot integer[], w_body text[], r_task text[], r_slot integer[], r_body text[],
  m_lane integer[], m_ord integer[], m_body text[])
RETURNS bigint LANGUAGE plpgsql SET lock_timeout = '5s' AS $skein$
DECLARE
  space bigint := a_nsid;
BEGIN
  IF a_release THEN
    UPDATE ${s}.threads SET owner = NULL, lease_until = NULL
      WHERE tid = a_tid AND epoch = a_epoch AND generation = a_generation;
  ELSE
    PERFORM 1 FROM ${s}.threads
      WHERE tid = a_tid AND generation = a_generation AND (a_epoch IS NULL OR epoch = a_epoch) FOR SHARE;
  END IF;
  IF NOT FOUND THEN RAISE 'conflict' USING ERRCODE = 'SK001'; END IF;
  IF space IS NULL THEN
    INSERT INTO ${s}.namespaces (tid, ns) VALUES (a_tid, a_ns) ON CONFLICT DO NOTHING;
    SELECT nsid INTO space FROM ${s}.namespaces WHERE tid = a_tid AND ns = a_ns;
  END IF;
  PERFORM 1 FROM ${s}.namespaces WHERE nsid = space FOR NO KEY UPDATE;
  PERFORM 1 FROM ${s}.heads WHERE nsid = space AND head IS NOT DISTINCT FROM a_expected;
  IF NOT FOUND THEN RAISE 'conflict' USING ERRCODE = 'SK001'; END IF;
  IF l_lane IS NOT NULL THEN
    INSERT INTO ${s}.lanes SELECT a_tid, u.* FROM unnest(l_lane, l_name) u;
  END IF;
  IF i_lane IS NOT NULL THEN
    INSERT INTO ${s}.items SELECT a_tid, u.* FROM unnest(i_key, i_lane, i_ord, i_body) u;
  END IF;
  IF a_replaces THEN DELETE FROM ${s}.checkpoints WHERE nsid = space AND seq = a_seq; END IF;
  INSERT INTO ${s}.checkpoints
    VALUES (space, a_seq, coalesce(a_parent, 0), a_base, a_cid, a_ts, a_metadata, a_manifest, coalesce(a_parent_cid, ''), a_writes);
  UPDATE ${s}.namespaces SET moved_to = m.moved_to FROM (SELECT ${movedTo(s, "space", "a_head")} AS moved_to) m
    WHERE nsid = space AND namespaces.moved_to IS DISTINCT FROM m.moved_to;
  IF w_task IS NOT NULL THEN
    INSERT INTO ${s}.writes SELECT space, a_parent, u.* FROM unnest(w_slot, w_task, w_body) u
      ON CONFLICT (nsid, seq, task, slot) DO UPDATE SET body = excluded.body;
  END IF;
  IF r_task IS NOT NULL THEN
    UPDATE ${s}.writes w SET body = u.body FROM unnest(r_task, r_slot, r_body) u (task, slot, body)
      WHERE w.nsid = space AND w.seq = a_parent AND w.task = u.task AND w.slot = u.slot;
  END IF;
  IF m_lane IS NOT NULL THEN
    UPDATE ${s}.items i SET body = u.body FROM unnest(m_lane, m_ord, m_body) u (lane, ord, body)
      WHERE i.tid = a_tid AND i.lane = u.lane AND i.ord = u.ord;
  END IF;
  RETURN space;
END $skein$;
`;

/**
 * What has to see, in one round trip, what another transaction did a moment before: each statement
 * of a function takes a new snapshot, which parts of one statement do not.
 *
 * Locks are taken in one order, thread before namespace, so that nobody waits in a circle.
 */
export const functions = (s: string): string =>
  [taking, releasing, recording, steps, committing].map((text) => text(s)).join("");
