/** The brand of LangChain's messages; what their own `isInstance` asks for first. */
const MESSAGE = Symbol.for("langchain.message");

/** A list of messages that all have ids, and where the id stands that was asked for. */
export interface Settled {
  readonly place: number | undefined;
}

type Element = { readonly [MESSAGE]?: unknown; readonly id?: unknown } | null | undefined;

/** Shorter lists are looked through each time. */
const LONG = 512;
/** The look at which the ids of a list are noted: noting takes as long as a few looks. */
const NOTED_AT = 4;

/**
 * Ids by their places, for the lists of one line: each is the one before it and one message more. Looking
 * through 10,000 ids is reading 10,000 texts from all over the memory; that the messages still have these very
 * texts is seen without reading them.
 */
class Ids {
  readonly texts: string[] = [];
  #hashes = new Int32Array(2 * LONG);

  push(id: string): void {
    const at = this.texts.push(id) - 1;
    if (at === this.#hashes.length) {
      const grown = new Int32Array(2 * at);
      grown.set(this.#hashes);
      this.#hashes = grown;
    }
    this.#hashes[at] = hash(id);
  }

  /** The last place of an id before `end`. */
  find(id: string, end: number): number | undefined {
    const wanted = hash(id);
    for (let at = end; at > 0;) {
      at = this.#hashes.lastIndexOf(wanted, at - 1);
      if (at >= 0 && this.texts[at] === id) return at;
    }
    return undefined;
  }
}

/** Of some ten characters from all over: an id is long, and these tell most of them apart. */
function hash(id: string): number {
  const stride = (id.length >> 3) + 1;
  let sum = id.length;
  for (let at = id.length - 1; at >= 0; at -= stride) sum = Math.imul(sum, 31) + id.charCodeAt(at);
  return sum | 0;
}

/** What is known of a long list. */
interface Known {
  looks: number;
  ids: Ids | undefined;
}

const known = new WeakMap<readonly unknown[], Known>();

/**
 * Whether nothing is to be done to a list before it is merged, and where an id stands in it: in one
 * pass, because the list so far may be long, and to touch its messages is what takes the time.
 */
export function settledPlace(messages: unknown, id: string): Settled | undefined {
  if (!Array.isArray(messages)) return undefined;
  const list: readonly Element[] = messages;
  if (list.length < LONG) return lookedThrough(list, id);
  const of = known.get(list);
  if (of === undefined) {
    known.set(list, { looks: 1, ids: undefined });
    return lookedThrough(list, id);
  }
  if (of.ids !== undefined) {
    if (areStill(list, of.ids.texts)) return { place: of.ids.find(id, list.length) };
    [of.ids, of.looks] = [undefined, 0];
  }
  of.looks += 1;
  if (of.looks >= NOTED_AT) of.ids = idsOf(list);
  return lookedThrough(list, id);
}

/** To be told that a list was made of another and one message more. */
export function noteAppended(list: readonly unknown[], longer: readonly unknown[], id: string): void {
  const of = list.length < LONG ? undefined : known.get(list);
  if (of === undefined) return;
  const ids = of.ids?.texts.length === list.length ? of.ids : undefined;
  ids?.push(id);
  // of a second list that is made of the same one nothing is known yet
  const looks = of.ids !== undefined && ids === undefined ? 0 : of.looks;
  known.set(longer, { looks, ids });
}

function lookedThrough(list: readonly Element[], id: string): Settled | undefined {
  let place: number | undefined;
  for (let i = 0; i < list.length; i += 1) {
    const message = list[i];
    if (message === null || message === undefined || message[MESSAGE] !== true) return undefined;
    const found = message.id;
    if (typeof found !== "string") return undefined;
    if (found === id) place = i;
  }
  return { place };
}

/** Whether all are messages that have these very ids; `Object.is` does not read what it compares. */
function areStill(list: readonly Element[], ids: readonly string[]): boolean {
  if (list.length > ids.length) return false;
  for (let i = 0; i < list.length; i += 1) {
    const message = list[i];
    if (message === null || message === undefined || message[MESSAGE] !== true) return false;
    if (!Object.is(message.id, ids[i])) return false;
  }
  return true;
}

/** Undefined where the list is not settled. */
function idsOf(list: readonly Element[]): Ids | undefined {
  const ids = new Ids();
  for (const message of list) {
    if (message?.[MESSAGE] !== true || typeof message.id !== "string") return undefined;
    ids.push(message.id);
  }
  return ids;
}
