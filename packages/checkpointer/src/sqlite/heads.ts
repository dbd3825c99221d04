const LAST = "(SELECT max(seq) FROM checkpoints c WHERE c.nsid = n.nsid)";

/**
 * The head of a namespace is its last checkpoint, so that a step has none to move; where it is another one,
 * `moved_to` says so, and is 0 for none. The next number is behind the last one, or behind greater ones
 * that were removed.
 */
export const HEADS = `
CREATE VIEW heads AS SELECT n.nsid, n.tid, n.ns,
    CASE WHEN n.moved_to IS NULL THEN ${LAST} ELSE nullif(n.moved_to, 0) END AS head,
    max(n.next, coalesce(${LAST} + 1, 1)) AS next
  FROM namespaces n;
`;

/** What `moved_to` has to be for a head, in an UPDATE of `namespaces`. */
const movedTo = (head: string): string =>
  `nullif(coalesce(${head}, 0), coalesce((SELECT max(seq) FROM checkpoints c WHERE c.nsid = namespaces.nsid), 0))`;

/** Binds the head, its namespace and the head. Only where it changes: a row that is written is a page of the log. */
export const MOVE_HEAD = `UPDATE namespaces SET moved_to = ${movedTo("?")}
  WHERE nsid = ? AND moved_to IS NOT ${movedTo("?")}`;

/** Binds the head, the number that comes next and the namespace. */
export const SET_HEAD = `UPDATE namespaces SET moved_to = ${movedTo("?")}, next = ? WHERE nsid = ?`;

/** What format 2 had for heads, as the present format has them. */
export const HEADS_OF_FORMAT_2 = `
ALTER TABLE namespaces RENAME COLUMN head TO moved_to;
UPDATE namespaces SET moved_to = ${movedTo("moved_to")};
${HEADS}`;
