import { unsampled } from "./sampling.ts";

/** A number that hardly comes twice, of those that JavaScript tells exactly: processes of format 3 count on from it. */
export const random = "floor(random() * 4503599627370496)::bigint";

/**
 * A server that lost its last commits gives their numbers of threads and namespaces again. So the generation
 * of a thread, which all that is remembered of it is compared with, begins anywhere.
 *
 * @param s - the quoted name of the schema
 */
export const tables = (s: string): string => `
CREATE TABLE ${s}.meta (key text PRIMARY KEY, value text NOT NULL);

CREATE TABLE ${s}.threads (
  tid bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant text COLLATE "C" NOT NULL DEFAULT '',
  thread_id text COLLATE "C" NOT NULL,
  epoch bigint NOT NULL DEFAULT 0,
  generation bigint NOT NULL DEFAULT ${random},
  owner text,
  lease_until bigint,
  family bigint,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  UNIQUE (tenant, thread_id)
) WITH (fillfactor = 70);

CREATE TABLE ${s}.namespaces (
  nsid bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tid bigint NOT NULL,
  ns text COLLATE "C" NOT NULL,
  moved_to bigint,
  next bigint NOT NULL DEFAULT 1,
  UNIQUE (tid, ns)
) WITH (fillfactor = 70);

CREATE TABLE ${s}.lanes (
  tid bigint, lane integer, name text COLLATE "C" NOT NULL,
  PRIMARY KEY (tid, lane), UNIQUE (tid, name)
);
${contents(s)}
${heads(s)}
${unsampled(s, "threads", "lanes")}`;

/**
 * The head of a namespace is its last checkpoint, so that a step has none to move; where it is another one,
 * `moved_to` says so, and is 0 for none. The next number is behind the last one, or behind greater ones
 * that were removed.
 */
const heads = (s: string): string => `
CREATE VIEW ${s}.heads AS
  SELECT n.nsid, n.tid, n.ns, CASE WHEN n.moved_to IS NULL THEN c.last ELSE nullif(n.moved_to, 0) END AS head,
    greatest(n.next, c.last + 1) AS next
  FROM ${s}.namespaces n CROSS JOIN LATERAL (SELECT max(seq) AS last FROM ${s}.checkpoints c WHERE c.nsid = n.nsid) c;
`;

/** What `moved_to` has to be for a head. */
export const movedTo = (s: string, nsid: string, head: string): string =>
  `(SELECT nullif(coalesce(${head}, 0), coalesce(max(seq), 0)) FROM ${s}.checkpoints WHERE nsid = ${nsid})`;

/** Of indexes whose keys come in their order, thread by thread: nothing is put between them later. */
const FULL = "WITH (fillfactor = 100)";

/**
 * What grows with a thread. Ids and times are short text that sorts as they do, columns stand in the
 * order in which they need no filling, and those of `checkpoints` are never null (no parent is 0, no
 * text is empty): a row of more than eight columns with a null has 8 bytes more.
 */
export const contents = (s: string): string => `
CREATE TABLE ${s}.names (n integer PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE);

CREATE TABLE ${s}.items (
  tid bigint, key bigint, lane integer, ord integer, body text NOT NULL,
  PRIMARY KEY (tid, lane, ord)
);
CREATE INDEX items_key ON ${s}.items (tid, key) WHERE key IS NOT NULL;

CREATE TABLE ${s}.checkpoints (
  nsid bigint, seq integer, parent integer NOT NULL, base integer NOT NULL,
  cid text COLLATE "C" NOT NULL, ts text COLLATE "C" NOT NULL, metadata text NOT NULL, manifest text NOT NULL,
  parent_cid text COLLATE "C" NOT NULL, writes text NOT NULL,
  PRIMARY KEY (nsid, seq) ${FULL}, UNIQUE (nsid, cid) ${FULL}
);

CREATE TABLE ${s}.writes (
  nsid bigint, seq integer, slot integer, task text COLLATE "C", body text NOT NULL,
  PRIMARY KEY (nsid, seq, task, slot)
);
${unsampled(s, "names", "items", "checkpoints", "writes")}`;

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const ORDERED = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
const short = (bytes: string): string =>
  `translate(rtrim(encode(${bytes}, 'base64'), '='), '${BASE64}', '${ORDERED}')`;
/** As `shortTime` and `shortId` do. */
export const shortTimeOf = (milliseconds: string): string =>
  `${short(`substring(int8send(${milliseconds}) FROM 3)`)} COLLATE "C"`;

const UUID = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$";
const shortIdOf = (id: string): string =>
  `CASE WHEN ${id} ~ '${UUID}' THEN ${short(`decode(replace(${id}, '-', ''), 'hex')`)} ELSE '~' || ${id} END`;

/** Times of days that every year has; others are kept as they are. */
const DAY = "((0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)";
const TIME = `^(19[7-9][0-9]|2[0-9]{3})-${DAY}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9][.][0-9]{3}Z$`;

/** Format 2: writes stand with checkpoints, names have numbers, ids and times are short. */
export const toFormat2 = (s: string): string => `
ALTER TABLE ${s}.items RENAME TO items_1;
ALTER INDEX ${s}.items_key RENAME TO items_key_1;
ALTER TABLE ${s}.checkpoints RENAME TO checkpoints_1;
ALTER TABLE ${s}.writes RENAME TO writes_1;
ALTER TABLE ${s}.lanes ALTER lane TYPE integer;
${contents(s)}
INSERT INTO ${s}.items SELECT tid, key, lane, ord, body FROM ${s}.items_1 ORDER BY tid, lane, ord;
INSERT INTO ${s}.checkpoints SELECT nsid, seq, coalesce(parent, 0), base, ${shortIdOf("cid")},
    CASE WHEN ts ~ '${TIME}' THEN ${shortTimeOf("round(extract(epoch FROM ts::timestamptz) * 1000)::bigint")} ELSE '~' || ts END,
    metadata, manifest, CASE WHEN parent_cid IS NULL THEN '' ELSE ${shortIdOf("parent_cid")} END, ''
  FROM ${s}.checkpoints_1 ORDER BY nsid, seq;
INSERT INTO ${s}.writes SELECT nsid, seq, slot, ${shortIdOf("task")}, body FROM ${s}.writes_1 ORDER BY nsid, seq, task, slot;
DROP TABLE ${s}.items_1, ${s}.checkpoints_1, ${s}.writes_1;
DROP FUNCTION ${s}.take(text, text, text, text, bigint, bigint, bigint, bigint, bigint),
  ${s}.record(bigint, bigint, bigint, bigint, text[], integer[], text[]),
  ${s}.commit(bigint, bigint, bigint, text, bigint, bigint, bigint, bigint, text, bigint, text, bigint,
    text, text, text, boolean, boolean, bigint[], text[], bigint[], bigint[], bigint[], text[],
    text[], integer[], text[], text[], integer[], text[], bigint[], bigint[], text[]);
`;

/** Format 3: a step stores its checkpoint and no head. */
export const toFormat3 = (s: string): string => `
ALTER INDEX IF EXISTS ${s}.checkpoints_pkey SET (fillfactor = 100);
ALTER INDEX IF EXISTS ${s}.checkpoints_nsid_cid_key SET (fillfactor = 100);
ALTER TABLE ${s}.namespaces RENAME head TO moved_to;
UPDATE ${s}.namespaces n SET moved_to = ${movedTo(s, "n.nsid", "n.moved_to")};
${heads(s)}
DROP FUNCTION IF EXISTS ${s}.take(text, text, text, text, bigint, bigint, bigint, bigint, bigint, integer),
  ${s}.release(bigint, bigint),
  ${s}.record(bigint, bigint, bigint, integer, text[], integer[], text[]),
  ${s}.step(bigint, bigint, bigint, bigint, integer, text, integer, text, text, text, text,
    integer, integer, bigint, text, integer, integer, bigint, text, integer, integer, text),
  ${s}.steps(bigint, bigint, bigint, bigint, integer, text[], integer[], text[], text[], text[], text[],
    integer[], integer[], bigint[], text[]),
  ${s}.commit(bigint, bigint, bigint, text, bigint, integer, integer, integer, text, integer, text, integer,
    text, text, text, text, boolean, boolean, integer[], text[], integer[], integer[], bigint[], text[],
    text[], integer[], text[], text[], integer[], text[], integer[], integer[], text[]);
`;

/** Format 4: claims and new threads are told apart though the server has lost what it had acknowledged. */
export const toFormat4 = (s: string): string =>
  `ALTER TABLE ${s}.threads ALTER generation SET DEFAULT ${random};`;
