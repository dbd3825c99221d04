/** Node's console looks behind a proxy, at its target, and asks that how it is to be shown. */
const INSPECT = Symbol.for("nodejs.util.inspect.custom");

/**
 * An object that is made when somebody first looks at it, and is from then on that object. For the
 * config of a node: most nodes never look, and what stands in it (the task's id, a hash, in five
 * places) costs a third of a superstep.
 */
export function onDemand<Source, T extends object>(source: Source, make: (source: Source) => T): T {
  return new Proxy({ [INSPECT]: shown } as T, new Making(source, make));
}

/** Asked of an object that is made on demand, it gives the object that was made. */
const MADE = Symbol("skein.made");

/**
 * The object itself, made if need be, without the proxy before it: one that is copied again and
 * again, as LangChain does with configs, is copied ten times as fast.
 */
export function madeOf<T extends object>(value: T): T {
  return (value as { readonly [MADE]?: T })[MADE] ?? value;
}

function shown(this: object): object {
  return { ...this };
}

/** Every trap but those about the prototype and calls: all of them see the made object. */
class Making<Source, T extends object> implements ProxyHandler<T> {
  readonly #source: Source;
  #make: ((source: Source) => T) | undefined;

  constructor(source: Source, make: (source: Source) => T) {
    this.#source = source;
    this.#make = make;
  }
  get(target: T, key: string | symbol): unknown {
    const made = this.#made(target);
    return key === MADE ? made : Reflect.get(made, key);
  }
  has(target: T, key: string | symbol): boolean {
    return Reflect.has(this.#made(target), key);
  }
  ownKeys(target: T): (string | symbol)[] {
    return Reflect.ownKeys(this.#made(target));
  }
  getOwnPropertyDescriptor(target: T, key: string | symbol): PropertyDescriptor | undefined {
    return Reflect.getOwnPropertyDescriptor(this.#made(target), key);
  }
  set(target: T, key: string | symbol, value: unknown): boolean {
    return Reflect.set(this.#made(target), key, value);
  }
  defineProperty(target: T, key: string | symbol, descriptor: PropertyDescriptor): boolean {
    return Reflect.defineProperty(this.#made(target), key, descriptor);
  }
  deleteProperty(target: T, key: string | symbol): boolean {
    return Reflect.deleteProperty(this.#made(target), key);
  }
  preventExtensions(target: T): boolean {
    return Reflect.preventExtensions(this.#made(target));
  }
  #made(target: T): T {
    const make = this.#make;
    if (make === undefined) return target;
    this.#make = undefined;
    Reflect.deleteProperty(target, INSPECT);
    return Object.assign(target, make(this.#source));
  }
}
