import type { ChatModelStream as CoreMessageStream } from "@langchain/core/language_models/stream";
import type { ChatModelStreamEvent } from "@langchain/core/language_models/event";
import { selected } from "./lists.ts";
import { createMessagesTransformer } from "./messages.ts";
import type { StreamHandle, StreamMux } from "./mux.ts";
import {
  type InterruptPayload,
  isWithin,
  type LifecycleEntry,
  type Namespace,
  type ProtocolEvent,
} from "./protocol.ts";
import { filterSubgraphHandles } from "./subgraphs.ts";

/** A model's message while it is written: text, reasoning, tool calls and usage, each as it comes or as a whole. */
export type ChatModelStream = Omit<CoreMessageStream, typeof Symbol.asyncIterator> & {
  readonly namespace: Namespace;
  /** The node that called the model. */
  readonly node: string | undefined;
  [Symbol.asyncIterator](): AsyncIterator<ChatModelStreamEvent>;
};

/** The same for loops: `for await` would wait for the whole message if it could. */
export type ChatModelStreamHandle = Omit<ChatModelStream, "then">;

/** What transformers make of a run's events for its stream. */
export interface Views {
  readonly values?: AsyncIterable<unknown>;
  readonly messages?: AsyncIterable<ChatModelStreamHandle>;
  readonly lifecycle?: AsyncIterable<LifecycleEntry>;
}

const NOTHING: AsyncIterable<never> = {
  [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }),
};

/**
 * A run, to be followed in several ways at once: its events, and views of them. Every reader sees
 * everything from the start of the run, however late it comes and however slowly it reads; a reader
 * that leaves does not stop the run.
 *
 * @example
 * const run = await graph.streamEvents({ messages: "Hello" }, { version: "v3" });
 * for await (const message of run.messages) {
 *   for await (const token of message.text) process.stdout.write(token);
 * }
 * const state = await run.output;
 */
export class GraphRunStream<
  Values = Record<string, unknown>,
  Extensions extends Record<string, unknown> = Record<string, unknown>,
>
  implements AsyncIterable<ProtocolEvent>, StreamHandle
{
  /** Where the graph stands; empty for the one that was called. */
  readonly path: Namespace;
  /** What transformers make of the events, by the names that they give it. */
  readonly extensions: Extensions;
  protected readonly _mux: StreamMux;
  readonly #discoveryStart: number;
  readonly #eventStart: number;
  readonly #controller: AbortController;
  readonly #output: Promise<Values>;
  #settle: { resolve: (values: never) => void; reject: (error: unknown) => void } | undefined;
  #views: Views = {};

  constructor(
    path: Namespace,
    mux: StreamMux,
    discoveryStart = 0,
    eventStart = 0,
    extensions?: Extensions,
    abortController = new AbortController(),
  ) {
    this.path = path;
    this._mux = mux;
    this.#discoveryStart = discoveryStart;
    this.#eventStart = eventStart;
    this.extensions = extensions ?? ({} as Extensions);
    this.#controller = abortController;
    this.#output = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    // whoever waits for it learns why it fails; if nobody does, it is no unhandled rejection
    this.#output.catch(() => undefined);
  }

  /** The events of this graph and of those that its nodes call. */
  [Symbol.asyncIterator](): AsyncIterator<ProtocolEvent> {
    return this.#events(
      ({ params }) => isWithin(params.namespace, this.path),
      (event) => event,
    )[Symbol.asyncIterator]();
  }
  /** The states of the graph, one after the other; awaited, the last one, as `output`. */
  get values(): AsyncIterable<Values> & PromiseLike<Values> {
    const states = this.#views.values ?? this.#states();
    return {
      [Symbol.asyncIterator]: () => states[Symbol.asyncIterator]() as AsyncIterator<Values>,
      // oxlint-disable-next-line unicorn/no-thenable -- the states are a list and their last one
      then: (onValue, onError) => this.#output.then(onValue, onError),
    };
  }
  /** The messages of models that nodes of this graph call, and those that nodes return. */
  get messages(): AsyncIterable<ChatModelStreamHandle> {
    const messages = this.#views.messages ?? this.#messages();
    this.#views = { ...this.#views, messages };
    return messages;
  }
  /** The messages of one node. */
  messagesFrom(node: string): AsyncIterable<ChatModelStreamHandle> {
    return this.#messages(node);
  }
  /** The run streams of tasks of the root graph that call graphs or models. */
  get subgraphs(): AsyncIterable<SubgraphRunStream> {
    return filterSubgraphHandles<SubgraphRunStream>(this._mux._discoveries, this.path, this.#discoveryStart);
  }
  /** When this graph and those below it start and end, and how. */
  get lifecycle(): AsyncIterable<LifecycleEntry> {
    return this.#views.lifecycle ?? NOTHING;
  }
  /** The last state of the graph, when the run is over. Rejects when the run fails. */
  get output(): Promise<Values> {
    return this.#output;
  }
  /** Whether the run waits for an answer, or stopped at a breakpoint. */
  get interrupted(): boolean {
    return this._mux.interrupted;
  }
  /** The questions that the run waits for, until now. */
  get interrupts(): readonly InterruptPayload[] {
    return this._mux.interrupts;
  }
  /** Stops the run; what it did is kept, and its readers fail. */
  abort(reason?: unknown): void {
    this.#controller.abort(reason);
  }
  /** Aborted when somebody stops the run by {@link abort}. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  _resolve(values: Values): void {
    this.#settle?.resolve(values as never);
  }
  _reject(error: unknown): void {
    this.#settle?.reject(error);
  }
  /** What its views show, where they need not be looked for among all events. */
  _show(views: Views): void {
    this.#views = { ...this.#views, ...views };
  }
  #states(): AsyncIterable<unknown> {
    const { length } = this.path;
    return this.#events(
      ({ method, params }) =>
        method === "values" && params.namespace.length === length && isWithin(params.namespace, this.path),
      ({ params }) => params.data,
    );
  }
  #messages(node?: string): AsyncIterable<ChatModelStreamHandle> {
    const transformer = createMessagesTransformer(this.path, node);
    this._mux.addTransformer(transformer);
    return transformer.init().messages;
  }
  #events<T>(wants: (event: ProtocolEvent) => boolean, shown: (event: ProtocolEvent) => T): AsyncIterable<T> {
    return selected(this._mux._events, this.#eventStart, wants, shown);
  }
}

/** The part of a run that one task of the root graph makes: a graph that it calls, or a model. */
export class SubgraphRunStream<
  Values = Record<string, unknown>,
  Extensions extends Record<string, unknown> = Record<string, unknown>,
> extends GraphRunStream<Values, Extensions> {
  /** The node. */
  readonly name: string;
  /** The number behind the node's name, where namespaces have numbers instead of ids; else 0. */
  readonly index: number;

  constructor(...of: ConstructorParameters<typeof GraphRunStream<Values, Extensions>>) {
    super(...of);
    const segment = this.path.at(-1) ?? "";
    const colon = segment.lastIndexOf(":");
    const suffix = colon < 0 ? "" : segment.slice(colon + 1);
    this.name = colon < 0 ? segment : segment.slice(0, colon);
    this.index = /^\d+$/.test(suffix) ? Number(suffix) : 0;
  }
}
