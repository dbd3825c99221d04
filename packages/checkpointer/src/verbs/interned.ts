import { defaultCodec } from "../codec/codec.ts";
import type { Codec } from "../codec/types.ts";
import { idOf } from "../core/hash.ts";

type Values = Readonly<Record<string, unknown>>;

/**
 * A saver that knows no items gives every checkpoint values of its own. Where one is the same as in the
 * checkpoint before, that one is used, so that it is known at once, here and by the other saver.
 */
export class Interned {
  readonly #codec: Codec;
  readonly #elements = new Map<string, { readonly text: string; readonly element: unknown }>();
  /** Of values that stand in no list, and of elements without an id. */
  readonly #texts = new WeakMap<object, string>();

  constructor(codec: Codec = defaultCodec) {
    this.#codec = codec;
  }

  values(namespace: string, values: Values, before: Values): Record<string, unknown> {
    const entries = Object.entries(values).map(([channel, value]): [string, unknown] => {
      const old = Object.hasOwn(before, channel) ? before[channel] : undefined;
      return [channel, this.value(namespace, channel, value, old)];
    });
    return Object.fromEntries(entries);
  }

  /** @param before - the channel's value in the checkpoint before. Default: none */
  value(namespace: string, channel: string, value: unknown, before?: unknown): unknown {
    if (!Array.isArray(value)) return this.#isSame(value, before) ? before : value;
    const old: readonly unknown[] = Array.isArray(before) ? before : [];
    const list = (value as unknown[]).map((element, i) =>
      this.#element(`${namespace}\n${channel}`, element, old[i]),
    );
    return Array.isArray(before) && isSameList(list, old) ? before : list;
  }

  #element(list: string, element: unknown, before: unknown): unknown {
    const id = idOf(element);
    if (id === undefined) return this.#isSame(element, before) ? before : element;
    const text = this.#encoded(element);
    if (text === undefined) return element;
    const key = `${list}\n${id}`;
    const known = this.#elements.get(key);
    if (known?.text === text) return known.element;
    this.#elements.set(key, { text, element });
    return element;
  }

  #isSame(value: unknown, before: unknown): boolean {
    if (typeof value !== "object" || typeof before !== "object" || value === null || before === null)
      return Object.is(value, before);
    const text = this.#textOf(value);
    return text !== undefined && text === this.#textOf(before);
  }

  #textOf(value: object): string | undefined {
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    const text = this.#encoded(value);
    if (text !== undefined) this.#texts.set(value, text);
    return text;
  }

  /** Undefined for what the codec does not take: that may be for the other saver to store. */
  #encoded(value: unknown): string | undefined {
    try {
      return this.#codec.encode(value);
    } catch {
      return undefined;
    }
  }
}

function isSameList(list: readonly unknown[], other: readonly unknown[]): boolean {
  if (list.length !== other.length) return false;
  // unlike `every`, this does not pass over holes
  return list.findIndex((element, i) => !Object.is(element, other[i]) || i in list !== i in other) < 0;
}
