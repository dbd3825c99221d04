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
  static of(value: Plain): PlainText {
    return value === null ? NOTHING : new PlainText(value);
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
