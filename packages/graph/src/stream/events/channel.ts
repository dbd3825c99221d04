/** By this key a channel is known, whichever copy of the package made it. */
const BRAND = Symbol.for("langgraph.stream_channel");

export interface EventStreamOptions<T> {
  /** Name of each event. Default: the channel's name. */
  event?: string;
  /** Text of an item. Default: its JSON. */
  serialize?: (item: T) => string;
  /** Index of the first item. Default: 0. */
  startAt?: number;
}

/**
 * A list that grows while others read it: each reader has a place of its own, sees every item from
 * the first one on, and waits at the end until the channel is closed or fails. It keeps all items.
 *
 * @example
 * const words = StreamChannel.local<string>();
 * words.push("hello");
 * words.close();
 * for await (const word of words) console.log(word);
 */
export class StreamChannel<T = unknown> implements AsyncIterable<T> {
  /** The name under which a remote client sees the items; undefined for this process only. */
  readonly channelName: string | undefined;
  readonly #items: T[] = [];
  #end: { readonly error?: unknown } | undefined;
  #waiting: (() => void)[] = [];
  #forward: ((item: T) => void) | undefined;

  constructor(name?: string) {
    this.channelName = name;
    Object.defineProperty(this, BRAND, { value: true });
  }
  /** A channel for readers in this process. */
  static local<T>(): StreamChannel<T> {
    return new StreamChannel<T>();
  }
  /** A channel whose items remote clients see, too. */
  static remote<T>(name: string): StreamChannel<T> {
    return new StreamChannel<T>(name);
  }
  static isInstance(value: unknown): value is StreamChannel {
    return typeof value === "object" && value !== null && (value as { [BRAND]?: unknown })[BRAND] === true;
  }

  get size(): number {
    return this.#items.length;
  }
  get done(): boolean {
    return this.#end !== undefined;
  }
  /** @throws RangeError when there is no such item yet */
  get(index: number): T {
    if (index in this.#items) return this.#items[index] as T;
    throw new RangeError(`There is no item ${index}; the channel has ${this.size}.`);
  }
  push(item: T): void {
    this.#items.push(item);
    this.#wake();
    this.#forward?.(item);
  }
  /** Readers end after the last item. */
  close(): void {
    this.#finish({});
  }
  /** Readers fail after the last item. */
  fail(error: unknown): void {
    this.#finish({ error });
  }
  /** For whoever carries the items to remote clients. */
  _wire(forward: (item: T) => void): void {
    this.#forward = forward;
  }
  _close(): void {
    this.close();
  }
  _fail(error: unknown): void {
    this.fail(error);
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    return this.iterate();
  }
  toAsyncIterable(startAt = 0): AsyncIterable<T> {
    return { [Symbol.asyncIterator]: () => this.iterate(startAt) };
  }
  iterate(startAt = 0): AsyncIterator<T> {
    let next = startAt;
    return {
      next: async () => {
        while (next >= this.#items.length) {
          if (this.#end === undefined) await new Promise<void>((resolve) => this.#waiting.push(resolve));
          else if (this.#end.error) throw this.#end.error;
          else return { value: undefined, done: true };
        }
        return { value: this.#items[next++] as T, done: false };
      },
    };
  }
  /** The items as server-sent events, for an HTTP response. */
  toEventStream(options: EventStreamOptions<T> = {}): ReadableStream<Uint8Array> {
    const reader = this.iterate(options.startAt);
    const name = options.event ?? this.channelName;
    const text = options.serialize ?? ((item: T) => JSON.stringify(item) ?? "null");
    const head = name === undefined ? "" : `event: ${name}\n`;
    const encoder = new TextEncoder();
    return new ReadableStream({
      async pull(controller) {
        const item = await reader.next();
        if (item.done) return controller.close();
        const data = text(item.value).split(/\r\n|\r|\n/);
        controller.enqueue(encoder.encode(`${head}${data.map((line) => `data: ${line}\n`).join("")}\n`));
      },
    });
  }

  #finish(end: { readonly error?: unknown }): void {
    this.#end = end;
    this.#wake();
  }
  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }
}

/** Whether a value is a {@link StreamChannel} of any copy of this package. */
export function isStreamChannel(value: unknown): value is StreamChannel {
  return StreamChannel.isInstance(value);
}
