import type { Codec, Reference } from "../codec/types.ts";

/** A reference that remembers whether anything it was asked for is an item. */
export interface Noting {
  readonly reference: Reference;
  refers: boolean;
}

export function noting(reference: Reference): Noting {
  const noted: Noting = {
    refers: false,
    reference: (value) => {
      const at = reference(value);
      noted.refers ||= at !== undefined;
      return at;
    },
  };
  return noted;
}

/**
 * The text of a stored value with references where its parts became items. Undefined, and it stays as it is
 * stored, where none did, or where it no longer says the same: a program may edit in place what it handed over (C5).
 *
 * @param said - what it says. Default: it is encoded
 */
export function textWithItems(
  codec: Codec,
  value: unknown,
  stored: string,
  reference: Reference,
  said?: string,
): string | undefined {
  const noted = noting(reference);
  try {
    const text = codec.encode(value, noted.reference);
    return noted.refers && (said ?? codec.encode(value)) === stored ? text : undefined;
  } catch {
    // edited to what cannot be stored
    return undefined;
  }
}
