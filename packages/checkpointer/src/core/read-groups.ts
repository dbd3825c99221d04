import { isMessage } from "../codec/message-kinds.ts";
import { noteUnnamed, type Known } from "./known.ts";

/** So many messages stay in memory with each of them. */
const GROUP = 64;

/** Messages whose items stand one behind the other in a lane, each with its content when it was read. */
class ReadGroup {
  readonly #lane: number;
  readonly #first: number;
  /** Undefined once a message is known by identity. */
  readonly #messages: (object | undefined)[] = [];
  readonly #contents: unknown[] = [];

  constructor(lane: number, first: number) {
    this.#lane = lane;
    this.#first = first;
  }

  /** Whether an item is the next one, and there is room for it. */
  takes(lane: number, ord: number): boolean {
    const { length } = this.#messages;
    return length < GROUP && lane === this.#lane && ord === this.#first + length;
  }

  add(message: object, content: unknown): void {
    this.#messages.push(message);
    this.#contents.push(content);
  }

  take(message: object): Known | undefined {
    const at = this.#messages.indexOf(message);
    if (at < 0) return undefined;
    this.#messages[at] = undefined;
    return { lane: this.#lane, ord: this.#first + at, content: this.#contents[at], text: undefined };
  }
}

const isUsual = (namespace: unknown): namespace is string[] =>
  Array.isArray(namespace) &&
  namespace.length === 2 &&
  namespace[0] === "langchain_core" &&
  namespace[1] === "messages";

/** Not for what a codec of somebody else's made and froze. An assignment: `Reflect.set` takes twice as long. */
function marks(message: { lc_namespace: string[] }, mark: string[]): boolean {
  try {
    message.lc_namespace = mark;
    return true;
  } catch {
    return false;
  }
}

/**
 * Messages of archives that were read, of which most are never asked for: an entry of a weak map for each
 * is a fifth of reading them. The messages of a group share the array that says which class they are of,
 * which LangChain makes for every message anew and only ever reads; by it the group is found.
 */
export class ReadGroups {
  readonly #groups = new WeakMap<object, ReadGroup>();

  /** For one reading: whether a value is a message that can be found by its group from now on. */
  adder(): (value: object, lane: number, ord: number) => boolean {
    let group: ReadGroup | undefined;
    let mark: string[] = [];
    return (value, lane, ord) => {
      if (!isMessage(value) || !isUsual(value.lc_namespace)) return false;
      if (group?.takes(lane, ord) !== true) {
        group = new ReadGroup(lane, ord);
        mark = [...value.lc_namespace];
        this.#groups.set(mark, group);
      }
      if (!marks(value, mark)) return false;
      noteUnnamed(value);
      group.add(value, value.content);
      return true;
    };
  }

  /** What is known of a message that was read; from then on `identity` knows it. */
  take(value: object): Known | undefined {
    const { lc_namespace: mark } = value as { lc_namespace?: unknown };
    return Array.isArray(mark) ? this.#groups.get(mark)?.take(value) : undefined;
  }
}
