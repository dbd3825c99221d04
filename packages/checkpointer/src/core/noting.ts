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
 * The id and the time that a reducer gives a message in place are no such edit: who reads the value is shown them.
 *
 * @param said - what the items say, or where they were stored before the value was. Default, and where it knows
 *   nothing: they are encoded
 */
export function textWithItems(
  codec: Codec,
  value: unknown,
  stored: string,
  reference: Reference,
  said?: Reference,
): string | undefined {
  const noted = noting(reference);
  try {
    const text = codec.encode(value, noted.reference);
    if (!noted.refers) return undefined;
    const now = codec.encode(value, said && ((part) => asStored(said(part), stored)));
    return now === stored ? text : undefined;
  } catch {
    // edited to what cannot be stored
    return undefined;
  }
}

/** What an item says, without what a reducer has given it since the text was stored. */
function asStored(said: ReturnType<Reference>, stored: string): ReturnType<Reference> {
  if (typeof said !== "string" || !said.startsWith(TAG)) return said;
  const tagged = said.indexOf('"', TAG.length) + 1;
  const named = said.startsWith(ID, tagged) ? said.indexOf('"', tagged + ID.length) + 1 : tagged;
  const [timed, end] = timeIn(said);
  const id = unlessNew(said.slice(tagged, named), stored);
  const time = unlessNew(said.slice(timed, end), stored);
  return said.slice(0, tagged) + id + said.slice(named, timed) + time + said.slice(end);
}
const TAG = '{"$":"';
const ID = ',"id":"';

const unlessNew = (part: string, stored: string): string => (stored.includes(part) ? part : "");

/** Where the time of a message stands, which comes behind what else it was given. */
function timeIn(said: string): [from: number, to: number] {
  const alone = said.lastIndexOf(TIME_ALONE);
  if (alone >= 0) return [alone, said.indexOf("}", alone) + 1];
  const last = said.lastIndexOf(TIME);
  return last < 0 ? [said.length, said.length] : [last, said.indexOf("}", last)];
}
const TIME = ',"timestamp":';
const TIME_ALONE = ',"additional_kwargs":{"timestamp":';
