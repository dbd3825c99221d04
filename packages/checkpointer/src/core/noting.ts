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

/** What an item says, without the id and the time that a reducer has given it since the text was stored. */
function asStored(said: ReturnType<Reference>, stored: string): ReturnType<Reference> {
  if (typeof said !== "string" || !said.startsWith(TAG) || stored.includes(said)) return said;
  const cut = cutNew(said, stored);
  if (stored.includes(cut)) return cut;
  const message = JSON.parse(said) as Record<string, unknown>;
  dropNew(message, "id", stored);
  const { additional_kwargs: more } = message;
  if (typeof more === "object" && more !== null) {
    dropNew(more as Record<string, unknown>, "timestamp", stored);
    if (Object.keys(more).length === 0) delete message["additional_kwargs"];
  }
  return JSON.stringify(message);
}
const TAG = '{"$":"';

/** The same by the look of the text, for a message that had no id and nothing where its time was put. */
function cutNew(said: string, stored: string): string {
  const [start, tag, id] = ID.exec(said) ?? [];
  let text = start === undefined || stored.includes(id as string) ? said : tag + said.slice(start.length);
  const [end, time] = TIME.exec(text) ?? [];
  if (end !== undefined && !stored.includes(time as string)) text = `${text.slice(0, -end.length)}}`;
  return text;
}
const ID = /^(\{"\$":"\w+",)("id":"[^"\\]*"),/;
const TIME = /,"additional_kwargs":\{("timestamp":\d+)\}\}$/;

function dropNew(of: Record<string, unknown>, key: string, stored: string): void {
  if (key in of && !stored.includes(`${JSON.stringify(key)}:${JSON.stringify(of[key])}`)) delete of[key];
}
