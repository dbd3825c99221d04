import type { Reference } from "../codec/types.ts";

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
