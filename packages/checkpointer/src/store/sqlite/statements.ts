export const COLUMNS = "i.id, i.ns, i.key, i.value, i.created_at, i.updated_at, i.ttl";
export const ALIVE = "(i.expires_at IS NULL OR i.expires_at > ?)";
/** The live items of a range: its begin, its end, and the time. */
export const BETWEEN = `i.ns >= ? AND i.ns < ? AND ${ALIVE}`;
