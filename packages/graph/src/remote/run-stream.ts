import { coerceMessageLikeToMessage } from "@langchain/core/messages";
import type { Client, ThreadStream } from "@langchain/langgraph-sdk";
import { RemoteException } from "../errors/errors.ts";
import { StreamChannel } from "../stream/events/channel.ts";
import { filterLifecycleEntries } from "../stream/events/lifecycle.ts";
import { selected } from "../stream/events/lists.ts";
import { createMessagesTransformer } from "../stream/events/messages.ts";
import { StreamMux } from "../stream/events/mux.ts";
import type { LifecycleData, LifecycleEntry, ProtocolEvent } from "../stream/events/protocol.ts";
import { GraphRunStream, SubgraphRunStream } from "../stream/events/run-stream.ts";
import { createSubgraphDiscoveryTransformer } from "../stream/events/subgraphs.ts";
import { createValuesTransformer } from "../stream/events/values.ts";
import { remoteFailure } from "./failures.ts";

/** Everything that a server tells of a run. */
export const CHANNELS = [
  "values",
  "updates",
  "messages",
  "tools",
  "custom",
  "tasks",
  "checkpoints",
  "lifecycle",
  "input",
] as const;

/** A run on a server, as the server knows it. */
export interface Place {
  readonly client: Client;
  readonly thread: ThreadStream;
  readonly runId: string | undefined;
  /** The caller's; ends the run. */
  readonly signal: AbortSignal | undefined;
  /** What the server tells on all {@link CHANNELS}. */
  readonly events: Promise<AsyncIterable<unknown>>;
}

/**
 * A run on a server, followed like one of this process: one connection, however many readers and
 * views; it is closed when the run is over.
 */
export class RemoteGraphRunStream extends GraphRunStream {
  readonly #place: Place;
  #failure: { readonly error: unknown } | undefined;

  constructor(place: Place, controller = new AbortController()) {
    const mux = new StreamMux();
    super([], mux, 0, 0, extensionsOf(mux), controller);
    this.#place = place;
    const subgraphs = createSubgraphDiscoveryTransformer(mux, {
      createStream: (path, discoveryStart, eventStart) => {
        const stream = new SubgraphRunStream(path, mux, discoveryStart, eventStart, undefined, controller);
        stream._show({ lifecycle: filterLifecycleEntries(log, path, log.size) });
        return stream;
      },
    });
    const log = StreamChannel.local<LifecycleEntry>();
    const values = createValuesTransformer([]);
    const messages = createMessagesTransformer([]);
    for (const transformer of [subgraphs, values, messages]) mux.addTransformer(transformer);
    mux.wireChannels({ log });
    mux.register([], this);
    const { _valuesLog: states } = values.init();
    this._show({
      values: selected(
        states,
        0,
        () => true,
        (state) => withMessages(state),
      ),
      messages: messages.init().messages,
      lifecycle: filterLifecycleEntries(log, []),
    });
    controller.signal.addEventListener("abort", () => void this.#leave(true), { once: true });
    place.signal?.addEventListener("abort", this.#forward, { once: true });
    if (place.signal?.aborted) this.#forward();
    void this.#follow(log);
  }

  /** The server's thread, for what only it can do, such as questions of other runs. */
  get thread(): ThreadStream {
    return this.#place.thread;
  }
  override _resolve(values: Record<string, unknown>): void {
    super._resolve(withMessages(values));
  }

  async #follow(log: StreamChannel<LifecycleEntry>): Promise<void> {
    const { thread, events } = this.#place;
    thread.onError((error) => (this.#failure ??= { error }));
    try {
      for await (const event of await events) this.#take(event as ProtocolEvent, log);
    } catch (error) {
      this.#failure ??= { error };
    }
    if (this.signal.aborted) this.#failure = { error: this.signal.reason };
    if (this.#failure === undefined) this._mux.close();
    else
      this._mux.fail(remoteFailure({ what: "A run on a server", signal: this.signal }, this.#failure.error));
    await this.#leave(false);
  }

  #take(event: ProtocolEvent, log: StreamChannel<LifecycleEntry>): void {
    const { namespace, data, timestamp } = event.params;
    if (event.method === "input.requested") {
      const { interrupt_id: interruptId, payload } = data as { interrupt_id: string; payload: unknown };
      const question = { interruptId, payload, namespace };
      this._mux.markInterrupted([question]);
    }
    if (event.method === "lifecycle") {
      const entry = data as LifecycleData;
      log.push({ ...entry, namespace, timestamp });
      if (namespace.length === 0) this.#note(entry);
    }
    this._mux.push(namespace, event);
  }
  /** How the run itself ended. */
  #note({ event, error }: LifecycleData): void {
    if (event === "interrupted") this._mux.markInterrupted([]);
    if (event !== "failed") return;
    this.#failure = { error: new RemoteException(JSON.stringify({ error: "Error", message: error ?? "" })) };
  }

  readonly #forward = (): void => this.abort(this.#place.signal?.reason);

  /** @param cancel - the run is not over, and nobody will read the rest */
  async #leave(cancel: boolean): Promise<void> {
    const { client, thread, runId, signal } = this.#place;
    signal?.removeEventListener("abort", this.#forward);
    if (cancel && runId !== undefined) {
      await client.runs.cancel(thread.threadId, runId).catch(() => undefined);
    }
    await thread.close().catch(() => undefined);
  }
}

/** A state in which messages are messages: the wire has plain objects. */
function withMessages<S>(state: S): S {
  const { messages } = (state ?? {}) as { messages?: unknown };
  if (!Array.isArray(messages)) return state;
  try {
    return { ...state, messages: messages.map((message) => coerceMessageLikeToMessage(message as never)) };
  } catch {
    return state; // a key of that name which holds something else
  }
}

/** What transformers on the server make, by their names; which there are is known to the server alone. */
function extensionsOf(mux: StreamMux): Record<string, unknown> {
  return new Proxy(Object.create(null) as Record<string, unknown>, {
    get: (_target, name) => (typeof name === "string" ? extension(mux, name) : undefined),
    has: (_target, name) => typeof name === "string",
  });
}

type Named = { readonly name?: unknown; readonly payload?: unknown };

function extension(mux: StreamMux, name: string): AsyncIterable<unknown> & PromiseLike<unknown> {
  const items = selected(
    mux._events,
    0,
    ({ method, params }) => method === "custom" && (params.data as Named | null)?.name === name,
    ({ params }) => (params.data as Named).payload,
  );
  const last = async (): Promise<unknown> => {
    let item: unknown;
    for await (item of items);
    return item;
  };
  return {
    [Symbol.asyncIterator]: () => items[Symbol.asyncIterator](),
    // oxlint-disable-next-line unicorn/no-thenable -- a channel's items, or a promise's one
    then: (onValue, onError) => last().then(onValue, onError),
  };
}
