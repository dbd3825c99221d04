/** The brand of LangChain's messages; what their own `isInstance` asks for first. */
const MESSAGE = Symbol.for("langchain.message");

type Element = { readonly [MESSAGE]?: unknown; readonly id?: unknown } | null | undefined;

/** Shorter lists are looked through each time. */
const LONG = 512;
/** Looks after which the ids of a list are noted: noting takes as long as a few of them. */
const LOOKS = 3;

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
    const hashes = this.#hashes;
    if (at === hashes.length) (this.#hashes = new Int32Array(2 * at)).set(hashes);
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

  /** Whether the elements of a list are messages that have these very ids: `Object.is` reads no text if it is the same. */
  areThoseOf(list: readonly Element[]): boolean {
    if (list.length > this.texts.length) return false;
    for (let at = 0; at < list.length; at += 1) {
      const message = list[at];
      if (message?.[MESSAGE] !== true || !Object.is(message.id, this.texts[at])) return false;
    }
    return true;
  }
}

/** Of some ten characters from all over: an id is long, and these tell most of them apart. */
function hash(id: string): number {
  let sum = id.length;
  for (let at = sum - 1, stride = (sum >> 3) + 1; at >= 0; at -= stride)
    sum = Math.imul(sum, 31) + id.charCodeAt(at);
  return sum | 0;
}

/** What is known of a long list. */
interface Known {
  looks: number;
  ids: Ids | undefined;
}

const known = new WeakMap<readonly unknown[], Known>();

/** Where the id stands that was asked for, in a list of messages that all have ids. */
interface Settled {
  readonly place: number | undefined;
}

/**
 * Whether nothing is to be done to a list before it is merged, and where an id stands in it: in one
 * pass, because the list so far may be long, and to touch its messages is what takes the time.
 */
export function settledPlace(list: unknown, id: string): Settled | undefined {
  if (!Array.isArray(list)) return undefined;
  if (list.length < LONG) return lookedThrough(list, id);
  let of = known.get(list);
  if (of === undefined) known.set(list, (of = { looks: 0, ids: undefined }));
  if (of.ids?.areThoseOf(list)) return { place: of.ids.find(id, list.length) };
  const ids = of.looks >= LOOKS ? new Ids() : undefined;
  const settled = lookedThrough(list, id, ids);
  of.looks = of.ids === undefined ? of.looks + 1 : 0;
  of.ids = settled && ids;
  return settled;
}

/** To be told that a list was made of another and one message more. */
export function noteAppended(list: readonly unknown[], longer: readonly unknown[], id: string): void {
  const of = known.get(list);
  if (of === undefined) return;
  const { looks } = of;
  if (of.ids === undefined) known.set(longer, { looks, ids: undefined });
  else if (of.ids.texts.length === list.length) {
    of.ids.push(id);
    known.set(longer, { looks, ids: of.ids });
  }
}

function lookedThrough(list: readonly Element[], id: string, ids?: Ids): Settled | undefined {
  let place: number | undefined;
  for (let at = 0; at < list.length; at += 1) {
    const message = list[at];
    if (message === null || message === undefined || message[MESSAGE] !== true) return undefined;
    const found = message.id;
    if (typeof found !== "string") return undefined;
    if (found === id) place = at;
    ids?.push(found);
  }
  return { place };
}
