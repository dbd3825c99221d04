import type { Json } from "../codec/types.ts";
import type { Derivations, StoredObject } from "./derived.ts";
import { ERASED, Quotes } from "./quotes.ts";

type Node = { [key: string]: Json };

/** What a tombstone keeps of a message: where it stands and what belongs together, not what it said. */
const FRAME: ReadonlySet<string> = new Set(["$", "id", "type", "role", "tool_call_id", "lc"]);

/** Their texts name things and say nothing; a result finds its call by them. */
const NAMES: ReadonlySet<string> = new Set([...FRAME, "name", "status", "response_metadata", "k"]);

/**
 * What is to vanish: the message itself, wherever it is stored; messages without an id that say the
 * same, which is what it was before it got one; longer quotes of it in any other text; and what
 * was made of it, as far as somebody knows.
 */
export class Erasure {
  /** Matches of the derivations, as they are stored. */
  readonly derived: StoredObject[] = [];
  /** What stands in the place of a match. */
  rewrite: ((value: StoredObject) => StoredObject) | undefined;
  readonly #id: string;
  readonly #texts: readonly string[];
  readonly #derivations: Derivations | undefined;
  readonly #quotes = new Quotes();
  #found = false;
  #changed = false;

  /** @param texts - vanish wherever they stand */
  constructor(id: string, texts: readonly string[], derivations: Derivations | undefined) {
    this.#id = id;
    // a text that holds another one goes first
    this.#texts = [...texts].sort((a, b) => b.length - a.length);
    this.#derivations = derivations;
  }

  /** Whether the message was met. */
  get found(): boolean {
    return this.#found;
  }

  /** Looks for the message in parsed text, and remembers what it says. */
  learn(node: Json): void {
    if (typeof node !== "object" || node === null) return;
    if (!Array.isArray(node) && node["id"] === this.#id) {
      this.#found = true;
      this.#learnTexts(node);
    }
    if (!Array.isArray(node) && this.#derivations?.matches(node) === true) this.derived.push(node);
    for (const child of Object.values(node)) this.learn(child);
  }

  #learnTexts(node: Json): void {
    if (typeof node === "string") {
      if (node !== ERASED) this.#quotes.add(node);
    } else if (Array.isArray(node)) for (const child of node) this.#learnTexts(child);
    else if (typeof node === "object" && node !== null) {
      for (const key of Object.keys(node)) if (!NAMES.has(key)) this.#learnTexts(node[key] as Json);
    }
  }

  /** Parsed text without what is to vanish; undefined where it holds nothing of it. */
  redact(tree: Json): Json | undefined {
    this.#changed = false;
    const redacted = this.#value(tree);
    return this.#changed ? redacted : undefined;
  }

  #value(stored: Json): Json {
    if (typeof stored === "string") return this.#text(stored);
    if (typeof stored !== "object" || stored === null) return stored;
    if (Array.isArray(stored)) return stored.map((child) => this.#value(child));
    const node = this.#rewritten(stored);
    if (node["id"] === this.#id || this.#saysTheSame(node)) return this.#tombstone(node);
    for (const key of Object.keys(node)) {
      const child = node[key] as Json;
      if (typeof child !== "string" || !NAMES.has(key)) node[key] = this.#value(child);
    }
    return node;
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

  /** A message that has no id yet, or an input of which the message was made. */
  #saysTheSame(node: Node): boolean {
    const isMessage = "content" in node && ("$" in node || "role" in node || "type" in node);
    if (!isMessage || (node["id"] ?? undefined) !== undefined) return false;
    const { content } = node;
    return typeof content === "string" && content !== ERASED && this.#quotes.has(content);
  }

  #tombstone(node: Node): Node {
    const frame: Node = {};
    for (const key of Object.keys(node)) {
      if (FRAME.has(key) || (key === "name" && "tool_call_id" in node)) frame[key] = node[key] as Json;
      else if (key === "content" || key === "v") frame[key] = ERASED;
      else if (key === "tool_calls") frame[key] = (node[key] as Node[]).map(callFrame);
      // what a kind of object cannot be made without
      else if (key === "metadata" && node["$"] === "document") frame[key] = {};
    }
    this.#changed ||= JSON.stringify(frame) !== JSON.stringify(node);
    return frame;
  }
}

/** The results of a call stand behind it, and need it. */
function callFrame(call: Node): Node {
  const frame: Node = { args: {} };
  for (const key of ["id", "name", "type"]) if (call[key] !== undefined) frame[key] = call[key];
  return frame;
}
