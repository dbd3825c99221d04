import type { Held } from "../channels/base.ts";

/** Values that a step replaced, for states that were handed out before it; then the next step's. */
export class Epoch {
  /** Whether a lazy state was handed out in it. */
  used = false;
  next: Epoch | undefined;
  readonly #replaced = new Map<string, Held>();

  keep(key: string, held: Held): void {
    if (!this.#replaced.has(key)) this.#replaced.set(key, held);
  }
  replaced(key: string): Held | undefined {
    return this.#replaced.get(key);
  }
}

/** The value that a key had in an epoch, if a later step replaced it. */
function find(from: Epoch, key: string): Held | undefined {
  let epoch: Epoch | undefined = from;
  while (epoch !== undefined) {
    const held = epoch.replaced(key);
    if (held !== undefined) return held;
    epoch = epoch.next;
  }
  return undefined;
}

/**
 * The state as an object that reads its keys when they are asked for, so that a graph of a thousand
 * keys steps as fast as one of ten (I7). It is the holder's own: writing to it changes nothing else
 * (A2), and it keeps showing the step that it was made in.
 *
 * @param known - values that it shows in any case; becomes part of it
 */
export function lazyState(
  keys: ReadonlySet<string>,
  epoch: Epoch,
  current: (key: string) => Held,
  known: Record<string, unknown>,
): Record<string, unknown> {
  epoch.used = true;
  return new Proxy(known, new LazyHandler(keys, epoch, current));
}

class LazyHandler implements ProxyHandler<Record<string, unknown>> {
  readonly #keys: ReadonlySet<string>;
  readonly #epoch: Epoch;
  readonly #current: (key: string) => Held;
  /** Keys that the holder deleted. */
  #deleted: Set<string> | undefined;

  constructor(keys: ReadonlySet<string>, epoch: Epoch, current: (key: string) => Held) {
    this.#keys = keys;
    this.#epoch = epoch;
    this.#current = current;
  }
  get(target: Record<string, unknown>, key: string | symbol): unknown {
    this.#fill(target, key);
    return Reflect.get(target, key);
  }
  has(target: Record<string, unknown>, key: string | symbol): boolean {
    this.#fill(target, key);
    return Reflect.has(target, key);
  }
  getOwnPropertyDescriptor(
    target: Record<string, unknown>,
    key: string | symbol,
  ): PropertyDescriptor | undefined {
    this.#fill(target, key);
    return Reflect.getOwnPropertyDescriptor(target, key);
  }
  ownKeys(target: Record<string, unknown>): (string | symbol)[] {
    for (const key of this.#keys) this.#fill(target, key);
    // in the order of the state, whichever keys were read or written first
    const keys = new Set([...this.#keys, ...Reflect.ownKeys(target)]);
    return [...keys].filter((key) => Object.hasOwn(target, key));
  }
  set(target: Record<string, unknown>, key: string | symbol, value: unknown): boolean {
    return Reflect.set(target, key, value);
  }
  preventExtensions(target: Record<string, unknown>): boolean {
    for (const key of this.#keys) this.#fill(target, key);
    return Reflect.preventExtensions(target);
  }
  deleteProperty(target: Record<string, unknown>, key: string | symbol): boolean {
    if (typeof key === "string") (this.#deleted ??= new Set()).add(key);
    return Reflect.deleteProperty(target, key);
  }
  #fill(target: Record<string, unknown>, key: string | symbol): void {
    if (typeof key !== "string" || !this.#keys.has(key)) return;
    if (Object.hasOwn(target, key) || this.#deleted?.has(key)) return;
    const held = find(this.#epoch, key) ?? this.#current(key);
    if (held !== "absent") target[key] = held.value;
  }
}
