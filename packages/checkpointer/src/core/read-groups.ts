import { isMessage } from "../codec/message-kinds.ts";
import type { Known } from "./known.ts";

/** So many messages stay in memory with each of them. */
const GROUP = 64;

/** Messages that were read one after the other, and where their items stand. */
class ReadGroup {
  /** Undefined once a message is known by identity. */
  readonly #messages: (object | undefined)[] = [];
  readonly #contents: unknown[] = [];
  readonly #places: number[] = [];

  get isFull(): boolean {
    return this.#messages.length === GROUP;
  }

  add(message: object, content: unknown, lane: number, ord: number): void {
    this.#messages.push(message);
    this.#contents.push(content);
    this.#places.push(lane, ord);
  }

  take(message: object): Known | undefined {
    const at = this.#messages.indexOf(message);
    if (at < 0) return undefined;
    this.#messages[at] = undefined;
    const [lane, ord] = [this.#places[2 * at] as number, this.#places[2 * at + 1] as number];
    return { lane, ord, content: this.#contents[at], text: undefined };
  }
}

const isUsual = (namespace: readonly string[]): boolean =>
  namespace.length === 2 && namespace[0] === "langchain_core" && namespace[1] === "messages";

interface Marked {
  lc_namespace?: string[];
}

/**
 * Messages of archives that were read, of which most are never asked for: an entry of a weak map for each
 * is a fifth of reading them. The messages of a group share the array that says which class they are of,
 * which LangChain makes for every message anew and only ever reads; by it the group is found.
 */
export class ReadGroups {
  readonly #groups = new WeakMap<object, ReadGroup>();
  #open: ReadGroup | undefined;
  #mark: string[] = [];

  /** @returns whether it is a message that can be found by its group */
  add(value: object, lane: number, ord: number): boolean {
    if (!isMessage(value) || !isUsual(value.lc_namespace)) return false;
    if (this.#open === undefined || this.#open.isFull) {
      this.#open = new ReadGroup();
      this.#mark = [...value.lc_namespace];
      this.#groups.set(this.#mark, this.#open);
    }
    // what a codec of somebody else's made may be frozen
    if (!Reflect.set(value, "lc_namespace", this.#mark)) return false;
    this.#open.add(value, value.content, lane, ord);
    return true;
  }

  /** What is known of a message that was read; from then on `identity` knows it. */
  take(value: object): Known | undefined {
    const mark = (value as Marked).lc_namespace;
    return typeof mark === "object" && mark !== null ? this.#groups.get(mark)?.take(value) : undefined;
  }
}
