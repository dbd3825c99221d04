import { isStreamChannel, StreamChannel } from "./channel.ts";
import { eventOf, type InterruptPayload, keyOf, type Namespace, type ProtocolEvent } from "./protocol.ts";
import type { StreamTransformer } from "./transformer.ts";

/** The run stream of a graph: learns the graph's last state when the run is over. */
export interface StreamHandle {
  _resolve(values: unknown): void;
  _reject(error: unknown): void;
}

/** A graph that a node called, when it was first heard of. */
export interface SubgraphDiscovery {
  readonly ns: Namespace;
  readonly stream: StreamHandle;
}

type End = { readonly error?: unknown };

/**
 * Takes the events of one run, shows them to its transformers in the order in which these were
 * added, and keeps those that none of them holds back.
 */
export class StreamMux {
  /** The run's events. */
  readonly _events = StreamChannel.local<ProtocolEvent>();
  readonly _discoveries = StreamChannel.local<SubgraphDiscovery>();
  readonly #transformers: StreamTransformer[] = [];
  /** Transformers that threw: they see no more events, and learn that the run's stream failed. */
  readonly #broken = new Set<StreamTransformer>();
  /** Promises of asynchronous transformers that are not yet kept; rejected ones stay. */
  readonly #late = new Set<Promise<void>>();
  readonly #failed: (error: unknown) => void;
  readonly #channels: StreamChannel[] = [];
  readonly #promises: { readonly name: string; readonly promise: Promise<unknown> }[] = [];
  readonly #handles = new Map<string, StreamHandle>();
  readonly #latest = new Map<string, unknown>();
  readonly #interrupts: InterruptPayload[] = [];
  #interrupted = false;
  #seq = 0;
  #end: End | undefined;
  /** Of the event that transformers see now: what they push into channels belongs there. */
  #namespace: Namespace = [];

  /** @param failed - hears of a transformer that failed after it had seen an event */
  constructor(failed: (error: unknown) => void = () => undefined) {
    this.#failed = failed;
  }
  get interrupted(): boolean {
    return this.#interrupted;
  }
  get interrupts(): readonly InterruptPayload[] {
    return this.#interrupts;
  }
  /** The stream of the graph at this place. */
  register(path: Namespace, handle: StreamHandle): void {
    this.#handles.set(keyOf(path), handle);
  }

  /** A transformer, which first sees what has been until now. */
  addTransformer(transformer: StreamTransformer): void {
    const past = this._events.size;
    this.#transformers.push(transformer);
    transformer.onRegister?.({ push: (namespace, event) => this.push(namespace, event) });
    for (let at = 0; at < past; at += 1) this.#shown(transformer, this._events.get(at));
    if (this.#end === undefined) return;
    if ("error" in this.#end) transformer.fail?.(this.#end.error);
    else void transformer.finalize?.();
  }
  /** Channels of a projection end with the run; those with names, and promises, are told as events. */
  wireChannels(projection: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(projection)) {
      if (isStreamChannel(value)) this.#wire(value);
      else if (isThenable(value)) {
        const promise = Promise.resolve(value);
        // whoever waits for it learns why it fails; if nobody does, it is no unhandled rejection
        promise.catch(() => undefined);
        this.#promises.push({ name, promise });
      }
    }
  }
  #wire(channel: StreamChannel): void {
    this.#channels.push(channel);
    const { channelName } = channel;
    if (typeof channelName !== "string") return;
    channel._wire((item) => this.#keep(eventOf(`custom:${channelName}`, this.#namespace, item)));
  }

  /** Shows an event to the transformers. @throws what one of them throws */
  push(namespace: Namespace, event: ProtocolEvent): void {
    const outer = this.#namespace;
    this.#namespace = namespace;
    let isKept = true;
    try {
      for (const transformer of this.#transformers) {
        if (!this.#broken.has(transformer) && !this.#shown(transformer, event)) isKept = false;
      }
    } finally {
      this.#namespace = outer;
    }
    if (event.method === "values") this.#remember(keyOf(namespace), event.params.data);
    if (isKept) this.#keep(event);
  }
  #remember(key: string, values: unknown): void {
    if (this.#handles.has(key)) this.#latest.set(key, values);
  }
  #shown(transformer: StreamTransformer, event: ProtocolEvent): boolean {
    try {
      const isKept: unknown = transformer.process(event);
      if (isThenable(isKept)) this.#follow(transformer, isKept);
      return isKept as boolean;
    } catch (error) {
      this.#broken.add(transformer);
      throw error;
    }
  }
  /** An asynchronous `process`: it fails when nobody is left to throw at. */
  #follow(transformer: StreamTransformer, late: PromiseLike<unknown>): void {
    const following = Promise.resolve(late).then(() => void this.#late.delete(following));
    this.#late.add(following);
    following.catch((error: unknown) => {
      this.#broken.add(transformer);
      this.#failed(error);
    });
  }
  #keep(event: ProtocolEvent): void {
    if (!this._events.done) this._events.push({ ...event, seq: this.#seq++ });
  }
  /** The run waits. One question is told by every graph around the task that asks. */
  markInterrupted(interrupts: readonly InterruptPayload[]): void {
    this.#interrupted = true;
    for (const interrupt of interrupts) {
      const isKnown = this.#interrupts.some(
        ({ interruptId: id }) => id !== "" && id === interrupt.interruptId,
      );
      if (!isKnown) this.#interrupts.push(interrupt);
    }
  }

  /** The run has ended. Its events end when nothing is to come from promises any more. */
  close(): void {
    this.#end = {};
    for (const [key, values] of this.#latest) this.#handles.get(key)?._resolve(values);
    const finals: PromiseLike<void>[] = [...this.#late];
    let failure: { readonly error: unknown } | undefined;
    for (const transformer of this.#transformers) {
      try {
        const final = transformer.finalize?.();
        if (isThenable(final)) finals.push(final);
      } catch (error) {
        failure ??= { error };
      }
    }
    for (const channel of this.#channels) {
      if (failure === undefined) channel._close();
      else channel._fail(failure.error);
    }
    for (const handle of this.#handles.values()) handle._resolve(undefined);
    if (failure !== undefined) this.#endLogs(failure);
    else if (finals.length === 0 && this.#promises.length === 0) this.#endLogs({});
    else void this.#endWhenSettled(finals);
  }
  async #endWhenSettled(finals: readonly PromiseLike<void>[]): Promise<void> {
    const told = this.#promises.map(({ name, promise }) =>
      promise.then(
        (payload) => this.#keep(eventOf("custom", [], { name, payload })),
        () => undefined,
      ),
    );
    const settled = await Promise.allSettled([...finals, ...told]);
    const rejected = settled.find((one) => one.status === "rejected");
    this.#endLogs(rejected === undefined ? {} : { error: rejected.reason });
  }
  #endLogs(end: End): void {
    for (const log of [this._events, this._discoveries]) {
      if ("error" in end) log.fail(end.error);
      else log.close();
    }
  }

  /** The run has failed. */
  fail(error: unknown): void {
    this.#end = { error };
    for (const transformer of this.#transformers) {
      try {
        transformer.fail?.(error);
      } catch {
        // why the run failed is what its readers are to learn, and all of them
      }
    }
    for (const channel of this.#channels) channel._fail(error);
    this.#endLogs(this.#end);
    for (const handle of this.#handles.values()) handle._reject(error);
  }
}

function isThenable(value: unknown): value is PromiseLike<void> {
  const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
  return isObject && typeof (value as { then?: unknown }).then === "function";
}
