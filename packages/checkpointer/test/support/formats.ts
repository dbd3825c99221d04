/**
 * Databases of format 1, as an earlier version wrote them: a thread of three steps with recorded writes
 * under its head, and one with an id and a time that are none of ours.
 */
const MANIFESTS = [1, 2, 3].map(
  (n) => `{"c":{"messages":[3,${n},[0,0,${n}]]},"v":${n},"s":{"node":{"messages":${n}}}}`,
);
const ITEMS = [6006363925671915, 5114964955001214, 7775314959561489];

/** When thread "t" was taken last. */
export const TAKEN = new Date(1795328048541).toISOString();

export const uuid = (n: number): string => `1f0c5b2e-0001-6d10-8000-00000000000${n}`;
export const task = (n: number): string => `2f0c5b2e-0001-5d10-8000-00000000000${n}`;
export const time = (n: number): string => `2026-01-0${n}T10:00:00.12${n}Z`;

/** @param s - before the name of a table @param id - a UUID as it was stored */
function rows(s: string, id: (uuid: string) => string): string {
  const text = [
    `INSERT INTO ${s}meta VALUES ('format', '1')`,
    `INSERT INTO ${s}lanes VALUES (1, 0, 'messages')`,
    `INSERT INTO ${s}checkpoints VALUES (2, 1, 'first', NULL, NULL, 1, 'yesterday', 'input -1', '{"c":{"n":[1,5]},"v":1}')`,
    `INSERT INTO ${s}writes VALUES (1, 3, 'task', 0, '[["n",7]]')`,
  ];
  for (const [i, manifest] of MANIFESTS.entries()) {
    const n = i + 1;
    const parent = i === 0 ? "NULL" : i;
    const item = `{"$":"human","content":"text ${n}","id":"m${n}"}`;
    text.push(
      `INSERT INTO ${s}items VALUES (1, 0, ${i}, ${ITEMS[i]}, '${item}')`,
      `INSERT INTO ${s}checkpoints VALUES (1, ${n}, ${id(uuid(n))}, ${parent}, NULL, 1, '${time(n)}', 'loop ${n}', '${manifest}')`,
    );
    if (i > 0)
      text.push(
        `INSERT INTO ${s}writes VALUES (1, ${i}, ${id(task(n))}, 0, '[["messages",[{"$":"item","l":0,"o":${i}}]]]')`,
      );
  }
  return `${text.join(";\n")};`;
}

export const SQLITE_FORMAT_1 = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE threads (
  tid INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant TEXT NOT NULL DEFAULT '',
  thread_id TEXT NOT NULL,
  epoch INTEGER NOT NULL DEFAULT 0,
  generation INTEGER NOT NULL DEFAULT 0,
  owner TEXT,
  lease_until INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (tenant, thread_id)
);
CREATE TABLE namespaces (
  nsid INTEGER PRIMARY KEY AUTOINCREMENT,
  tid INTEGER NOT NULL,
  ns TEXT NOT NULL,
  head INTEGER,
  next INTEGER NOT NULL DEFAULT 1,
  UNIQUE (tid, ns)
);
CREATE TABLE lanes (tid INTEGER, lane INTEGER, name TEXT, PRIMARY KEY (tid, lane), UNIQUE (tid, name)) WITHOUT ROWID;
CREATE TABLE items (tid INTEGER, lane INTEGER, ord INTEGER, key INTEGER, body, PRIMARY KEY (tid, lane, ord));
CREATE INDEX items_key ON items (tid, lane, key, ord) WHERE key IS NOT NULL;
CREATE TABLE checkpoints (
  nsid INTEGER, seq INTEGER, cid TEXT, parent INTEGER, parent_cid TEXT, base INTEGER NOT NULL,
  ts TEXT, metadata TEXT, manifest TEXT,
  PRIMARY KEY (nsid, seq), UNIQUE (nsid, cid)
) WITHOUT ROWID;
CREATE TABLE writes (
  nsid INTEGER, seq INTEGER, task TEXT, slot INTEGER, body TEXT,
  PRIMARY KEY (nsid, seq, task, slot)
) WITHOUT ROWID;
CREATE VIEW commit_step AS SELECT NULL AS nsid, NULL AS head, NULL AS seq, NULL AS manifest;
CREATE TRIGGER commit_step_insert INSTEAD OF INSERT ON commit_step BEGIN
  UPDATE namespaces SET head = NEW.head, next = NEW.seq + 1 WHERE nsid = NEW.nsid;
  INSERT INTO checkpoints (nsid, seq, manifest) VALUES (NEW.nsid, NEW.seq, NEW.manifest);
END;
INSERT INTO threads VALUES (1, '', 't', 1, 0, NULL, NULL, 1795328048541, 1795328048541);
INSERT INTO threads VALUES (2, '', 'odd', 0, 0, NULL, NULL, 1795328048562, 1795328048562);
INSERT INTO namespaces VALUES (1, 1, '', 3, 4);
INSERT INTO namespaces VALUES (2, 2, '', 1, 2);
${rows("", (id) => `x'${id.replaceAll("-", "")}'`)}
`;

/** @param s - the quoted name of the schema, which is there */
export const postgresFormat1 = (s: string): string => `
CREATE TABLE ${s}.meta (key text PRIMARY KEY, value text NOT NULL);

CREATE TABLE ${s}.threads (
  tid bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant text COLLATE "C" NOT NULL DEFAULT '',
  thread_id text COLLATE "C" NOT NULL,
  epoch bigint NOT NULL DEFAULT 0,
  generation bigint NOT NULL DEFAULT 0,
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
  head bigint,
  next bigint NOT NULL DEFAULT 1,
  UNIQUE (tid, ns)
) WITH (fillfactor = 70);

CREATE TABLE ${s}.lanes (
  tid bigint, lane bigint, name text COLLATE "C" NOT NULL,
  PRIMARY KEY (tid, lane), UNIQUE (tid, name)
);

CREATE TABLE ${s}.items (
  tid bigint, lane bigint, ord bigint, key bigint, body text NOT NULL,
  PRIMARY KEY (tid, lane, ord)
);
CREATE INDEX items_key ON ${s}.items (tid, lane, key, ord) WHERE key IS NOT NULL;

CREATE TABLE ${s}.checkpoints (
  nsid bigint, seq bigint, cid text COLLATE "C" NOT NULL, parent bigint, parent_cid text, base bigint NOT NULL,
  ts text COLLATE "C" NOT NULL, metadata text NOT NULL, manifest text NOT NULL,
  PRIMARY KEY (nsid, seq), UNIQUE (nsid, cid)
);

CREATE TABLE ${s}.writes (
  nsid bigint, seq bigint, task text COLLATE "C", slot integer, body text NOT NULL,
  PRIMARY KEY (nsid, seq, task, slot)
);
INSERT INTO ${s}.threads OVERRIDING SYSTEM VALUE
  VALUES (1, '', 't', 1, 0, NULL, NULL, NULL, 1795328048541, 1795328048541),
    (2, '', 'odd', 0, 0, NULL, NULL, NULL, 1795328048562, 1795328048562);
INSERT INTO ${s}.namespaces OVERRIDING SYSTEM VALUE VALUES (1, 1, '', 3, 4), (2, 2, '', 1, 2);
SELECT setval('${s}.threads_tid_seq', 2), setval('${s}.namespaces_nsid_seq', 2);
CREATE FUNCTION ${s}.take(text, text, text, text, bigint, bigint, bigint, bigint, bigint) RETURNS bigint
  LANGUAGE sql AS 'SELECT 1::bigint';
CREATE FUNCTION ${s}.record(bigint, bigint, bigint, bigint, text[], integer[], text[]) RETURNS boolean
  LANGUAGE sql AS 'SELECT true';
CREATE FUNCTION ${s}.commit(bigint, bigint, bigint, text, bigint, bigint, bigint, bigint, text, bigint, text, bigint,
  text, text, text, boolean, boolean, bigint[], text[], bigint[], bigint[], bigint[], text[],
  text[], integer[], text[], text[], integer[], text[], bigint[], bigint[], text[]) RETURNS bigint
  LANGUAGE sql AS 'SELECT 1::bigint';
${rows(`${s}.`, (id) => `'${id}'`)}
`;

/** Makes format 2 of a database of the present format: the head stands in its namespace, and steps move it. */
export const SQLITE_FORMAT_2 = `
UPDATE namespaces SET moved_to = (SELECT head FROM heads h WHERE h.nsid = namespaces.nsid),
  next = (SELECT next FROM heads h WHERE h.nsid = namespaces.nsid);
DROP VIEW heads;
DROP VIEW commit_step;
ALTER TABLE namespaces RENAME COLUMN moved_to TO head;
CREATE VIEW commit_step AS SELECT NULL AS nsid, NULL AS head, NULL AS seq, NULL AS manifest;
CREATE TRIGGER commit_step_insert INSTEAD OF INSERT ON commit_step BEGIN
  UPDATE namespaces SET head = NEW.head, next = NEW.seq + 1 WHERE nsid = NEW.nsid;
  INSERT INTO checkpoints (nsid, seq, manifest) VALUES (NEW.nsid, NEW.seq, NEW.manifest);
END;
UPDATE meta SET value = '2' WHERE key = 'format';
`;

/** Makes format 3 of a schema of the present format: claims are counted. */
export const postgresFormat3 = (s: string): string => `
ALTER TABLE ${s}.threads ALTER generation SET DEFAULT 0;
UPDATE ${s}.threads SET epoch = 1, generation = 0;
DROP FUNCTION ${s}.take(text, text, text, text, bigint, bigint, bigint, bigint, bigint, integer, text);
CREATE FUNCTION ${s}.take(text, text, text, text, bigint, bigint, bigint, bigint, bigint, integer) RETURNS bigint
  LANGUAGE sql AS 'SELECT 1::bigint';
DELETE FROM ${s}.meta WHERE key = 'names';
UPDATE ${s}.meta SET value = '3' WHERE key = 'format';
`;

/** Makes format 2 of a schema of the present format: the head stands in its namespace, and steps move it. */
export const postgresFormat2 = (s: string): string => `
UPDATE ${s}.namespaces n SET moved_to = h.head, next = h.next FROM ${s}.heads h WHERE h.nsid = n.nsid;
DROP VIEW ${s}.heads;
ALTER TABLE ${s}.namespaces RENAME moved_to TO head;
CREATE FUNCTION ${s}.step(bigint, bigint, bigint, bigint, integer, text, integer, text, text, text, text,
  integer, integer, bigint, text, integer, integer, bigint, text, integer, integer, text) RETURNS void
  LANGUAGE sql AS 'SELECT';
UPDATE ${s}.meta SET value = '2';
`;
