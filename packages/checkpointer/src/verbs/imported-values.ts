import { GraphError } from "@skein/errors";
import type { Codec, Json } from "../codec/types.ts";
import { mayRefer } from "../core/write-rows.ts";
import type { Line } from "./lines.ts";
import type { ItemUses } from "./uses.ts";

type Node = { [key: string]: Json };

/** Reads each value that comes in, as whoever opens the thread will, so that none is stored that nobody can read. */
export class ImportedValues {
  readonly #codec: Codec;
  readonly #references: ItemUses;

  /** @param references - is told of each reference to items */
  constructor(codec: Codec, references: ItemUses) {
    this.#codec = codec;
    this.#references = references;
  }

  /** @param tree - parsed, of a value that refers to no items. Is consumed */
  read(line: Line, tree: Json): void {
    if (typeof tree !== "object" || tree === null) return;
    try {
      this.#codec.revive(tree);
    } catch (cause) {
      throw unreadable(line, cause);
    }
  }

  /**
   * The same, of one that may.
   *
   * @param text - what `tree` was parsed of
   */
  readReferring(line: Line, text: string, tree: Json): void {
    if (!mayRefer(text)) return this.read(line, tree);
    const without = this.#withoutReferences(line, tree);
    try {
      this.#codec.revive(without);
    } catch (cause) {
      // a tag of somebody's own codec may need what a reference stands for
      if (isOurs(cause)) throw unreadable(line, cause);
    }
  }

  /** With nothing in the place of a reference, to however many items it is: they come later. */
  #withoutReferences(line: Line, node: Json): Json {
    if (typeof node !== "object" || node === null) return node;
    if (Array.isArray(node)) return node.map((child) => this.#withoutReferences(line, child));
    if (node["$"] === "item") {
      if (!isReference(node)) throw line.wrong("has a reference to no item");
      this.#references.reference(node.l, node.o, node.n ?? 1);
      return null;
    }
    // data that only looks like a tag is wrapped: its own "$" means nothing
    const data = node["$"] === "=" ? node["v"] : node;
    if (typeof data !== "object" || data === null || Array.isArray(data)) return node;
    for (const key of Object.keys(data)) data[key] = this.#withoutReferences(line, data[key] as Json);
    return node;
  }
}

type Reference = { readonly l: number; readonly o: number; readonly n?: number };

function isReference(node: Node): node is Node & Reference {
  const { l, o, n = 1 } = node;
  const isWhole = [l, o, n].every((number) => Number.isSafeInteger(number) && (number as number) >= 0);
  return isWhole && (n as number) > 0;
}

const isOurs = (cause: unknown): boolean =>
  (GraphError.is(cause, "STORAGE_CORRUPT") && cause.details["tag"] === undefined) ||
  GraphError.is(cause, "STORAGE_NEWER") ||
  GraphError.is(cause, "VALUE_TOO_DEEP");

function unreadable(line: Line, cause: unknown): GraphError {
  const tag = GraphError.is(cause, "STORAGE_NEWER") ? cause.details["tag"] : undefined;
  if (typeof tag !== "string") return line.wrong("has a value that cannot be read", cause);
  return line.wrong(`has a value with the tag "${tag}", which the codec of this saver does not know`, cause);
}
