import { defaultCodec } from "../codec/codec.ts";
import { idOf } from "../core/hash.ts";

/**
 * A saver that knows no items gives every checkpoint messages of its own. Where one is the same as
 * in the checkpoint before, that one is used, so that the other saver knows it at once.
 */
export class Interned {
  readonly #elements = new Map<string, { readonly text: string; readonly element: unknown }>();

  values(namespace: string, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(values).map(([channel, value]) => [channel, this.value(namespace, channel, value)]),
    );
  }

  value(namespace: string, channel: string, value: unknown): unknown {
    return Array.isArray(value)
      ? (value as unknown[]).map((element) => this.#element(`${namespace}\n${channel}`, element))
      : value;
  }

  #element(list: string, element: unknown): unknown {
    const id = idOf(element);
    if (id === undefined) return element;
    const key = `${list}\n${id}`;
    const text = defaultCodec.encode(element);
    const known = this.#elements.get(key);
    if (known?.text === text) return known.element;
    this.#elements.set(key, { text, element });
    return element;
  }
}
