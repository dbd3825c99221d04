import type { Codec, Json } from "../codec/types.ts";
import type { Derivations, StoredObject } from "./derived.ts";
import { kindOfNode, type Part } from "./kinds.ts";
import { callIdsOf, contentOf, isTuple, messageOf, type Node, tombstone } from "./message-forms.ts";
import { INTERRUPTS, type Place, placeIn } from "./places.ts";
import { ERASED, Quotes } from "./quotes.ts";
import { sayingOf, textsIn } from "./said.ts";
import { readable } from "./unreadable.ts";

/**
 * What is to vanish: the message itself, wherever it is stored; messages without an id that say the
 * same, which is what it was before it got one; texts that say the same where the message stands,
 * which is what it was before it was one; longer quotes of it in any other text; and what was made
 * of it, as far as somebody knows.
 */
export class Erasure {
  /** Matches of the derivations, as they are stored. */
  readonly derived: StoredObject[] = [];
  /** What stands in the place of a match. */
  rewrite: ((value: StoredObject) => StoredObject) | undefined;
  readonly #id: string;
  readonly #texts: readonly string[];
  readonly #derivations: Derivations | undefined;
  readonly #codec: Codec;
  readonly #quotes = new Quotes();
  /** What its content says, in each revision. */
  readonly #said = new Set<string>();
  readonly #callIds = new Set<string>();
  /** Where the message stands. */
  readonly #places = new Set<Place>();
  #found = false;
  #changed = false;

  /**
   * @param texts - vanish wherever they stand
   * @param codec - reads what is left
   */
  constructor(id: string, texts: readonly string[], derivations: Derivations | undefined, codec: Codec) {
    this.#id = id;
    // a text that holds another one goes first
    this.#texts = [...texts].sort((a, b) => b.length - a.length);
    this.#derivations = derivations;
    this.#codec = codec;
  }

  /** Whether the message was met. */
  get found(): boolean {
    return this.#found;
  }

  /** Looks for the message in parsed text, and remembers what it says. */
  learn(node: Json, place: Place): void {
    if (typeof node !== "object" || node === null) return;
    if (Array.isArray(node)) {
      for (const child of node) this.learn(child, place);
      return;
    }
    const fields = messageOf(node)?.fields;
    if (fields?.["id"] === this.#id) this.#learnMessage(fields, place);
    if (this.#derivations?.matches(node) === true) this.derived.push(node);
    for (const key of Object.keys(node)) this.learn(node[key] as Json, placeIn(place, key));
  }

  #learnMessage(fields: Node, place: Place): void {
    this.#found = true;
    if (place !== undefined) this.#places.add(place);
    for (const text of textsIn(fields, "message")) this.#quotes.add(text);
    const saying = sayingOf(contentOf(fields));
    if (saying !== undefined) this.#said.add(saying);
    for (const id of callIdsOf(fields)) this.#callIds.add(id);
  }

  /** Parsed text without what is to vanish; undefined where it holds nothing of it. */
  redact(tree: Json, place: Place): Json | undefined {
    this.#changed = false;
    const redacted = this.#value(tree, place, place === INTERRUPTS ? "interrupts" : undefined);
    return this.#changed ? redacted : undefined;
  }

  #value(stored: Json, place: Place, part: Part): Json {
    if (typeof stored === "string") return this.#string(stored, place, part);
    if (typeof stored !== "object" || stored === null) return stored;
    if (Array.isArray(stored)) {
      const list: Json[] = [];
      // no callback: a value may be nested so deep that the engine's stack is too short for it
      for (const child of stored) list.push(this.#element(child, place, part));
      return list;
    }
    const before = this.#changed;
    this.#changed = false;
    const left = this.#object(stored, place, part);
    const isTouched = this.#changed;
    this.#changed ||= before;
    return isTouched && part !== "data" ? readable(left, this.#codec) : left;
  }

  #object(stored: Node, place: Place, part: Part): Node {
    const node = this.#rewritten(stored);
    const message = messageOf(node);
    if (message !== undefined && this.#isErased(message.fields)) {
      const left = tombstone(node, message);
      this.#changed ||= JSON.stringify(left) !== JSON.stringify(node);
      return left;
    }
    const { names, parts } = kindOfNode(node, part, message);
    for (const key of Object.keys(node)) {
      const child = node[key] as Json;
      if (typeof child !== "string" || !names.has(key))
        node[key] = this.#value(child, placeIn(place, key), parts[key]);
    }
    return node;
  }

  #string(stored: string, place: Place, part: Part): Json {
    if (part === "ids") return stored;
    return this.#places.has(place) ? this.#message(stored, place) : this.#text(stored);
  }

  #element(stored: Json, place: Place, part: Part): Json {
    if (!this.#places.has(place) || !isTuple(stored)) return this.#value(stored, place, part);
    return [stored[0], this.#message(stored[1], place)];
  }

  /** What somebody said, where a message is made of it. */
  #message(content: Json, place: Place): Json {
    if (!this.#says(content))
      return typeof content === "string" ? this.#text(content) : this.#value(content, place, "blocks");
    this.#changed = true;
    return ERASED;
  }

  #rewritten(node: Node): Node {
    if (this.rewrite === undefined || this.#derivations?.matches(node) !== true) return node;
    const rewritten = this.rewrite(node) as Node;
    this.#changed ||= rewritten !== node;
    return rewritten;
  }

  #text(text: string): string {
    let redacted = this.#quotes.redact(text);
    for (const erased of this.#texts) redacted = redacted.replaceAll(erased, ERASED);
    this.#changed ||= redacted !== text;
    return redacted;
  }

  /** The message, or one that has no id yet, or an input of which it was made. */
  #isErased(fields: Node): boolean {
    const id = fields["id"] ?? undefined;
    if (id !== undefined) return id === this.#id;
    const content = contentOf(fields);
    if (sayingOf(content) !== undefined) return this.#says(content);
    return callIdsOf(fields).some((call) => this.#callIds.has(call));
  }

  #says(content: Json): boolean {
    const saying = sayingOf(content);
    return saying !== undefined && this.#said.has(saying);
  }
}
