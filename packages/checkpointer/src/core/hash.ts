const PRIME = 0x01000193;

/**
 * A 53-bit hash of a text: FNV-1a twice, with two offsets, over its code units. Finds items by the
 * id of their element; a hit is always verified, so a collision costs time and nothing else.
 */
export function hash53(text: string): number {
  let low = 0x811c9dc5;
  let high = 0x2f0b4c47;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    low = Math.imul(low ^ unit, PRIME);
    high = Math.imul(high ^ unit ^ (low >>> 15), PRIME);
  }
  return (high & 0x1fffff) * 0x1_0000_0000 + (low >>> 0);
}

/** The key of an element in storage: the hash of its id, null where it has none. */
export function keyOf(element: unknown): number | null {
  const id = idOf(element);
  return id === undefined ? null : hash53(id);
}

export function idOf(element: unknown): string | undefined {
  if (typeof element !== "object" || element === null) return undefined;
  const { id } = element as { id?: unknown };
  return typeof id === "string" ? id : undefined;
}
