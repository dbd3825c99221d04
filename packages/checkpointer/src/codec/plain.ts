import { defaultCodec } from "./codec.ts";
import type { Codec } from "./types.ts";

/** A value that nobody can change and that is short as text, whatever it is. */
export type Plain = number | boolean | null | string;

/** Longest text that is plain: escaped it takes six times as many characters. */
const LONGEST = 32;

/** Whether a value need not become text before somebody asks for it. */
export function isPlain(codec: Codec, value: unknown): value is Plain {
  if (codec.plainLater !== true) return false;
  if (typeof value === "string") return value.length <= LONGEST;
  return typeof value === "number" || typeof value === "boolean" || value === null;
}

/** A plain value as it stands in a manifest or among writes: most are replaced before anybody reads them. */
export class PlainText {
  readonly value: Plain;

  constructor(value: Plain) {
    this.value = value;
  }
  /** What says the same is often the same object: most writes wake nodes, count, or are their channel's value. */
  static of(value: Plain): PlainText {
    if (value === null) return NOTHING;
    if (typeof value === "number" && (value & 0xff) === value && !Object.is(value, -0)) {
      return COUNTS[value] as PlainText;
    }
    return Object.is(last.text.value, value) ? last.text : (last.text = new PlainText(value));
  }
  get kind(): "inline" {
    return "inline";
  }
  get text(): string {
    return defaultCodec.encode(this.value);
  }
}

/** What wakes a node. */
const NOTHING = new PlainText(null);
const COUNTS: readonly PlainText[] = Array.from({ length: 256 }, (_, count) => new PlainText(count));
/** The last one that was made; only saves making it again. */
const last = { text: NOTHING };
