import { INTERRUPT } from "../../ids/names.ts";
import type { StreamChunk, StreamMode, StreamSink } from "../modes.ts";
import { eventOfChunk, STREAM_EVENTS_V3_MODES } from "./convert.ts";
import { createLifecycleTransformer, filterLifecycleEntries } from "./lifecycle.ts";
import { fieldsOf } from "./lifecycle-names.ts";
import { createMessagesTransformer } from "./messages.ts";
import { StreamMux } from "./mux.ts";
import { ownCopy } from "./own-copy.ts";
import type { InterruptPayload, Namespace } from "./protocol.ts";
import { GraphRunStream, SubgraphRunStream } from "./run-stream.ts";
import { createSubgraphDiscoveryTransformer } from "./subgraphs.ts";
import {
  checkFactories,
  checkTransformer,
  invalid,
  isNativeTransformer,
  type StreamTransformer,
  type TransformerFactory,
} from "./transformer.ts";
import { createValuesTransformer } from "./values.ts";

/** Takes what a run tells, and makes a run stream of it. */
export class RunFeed implements StreamSink {
  readonly modes: ReadonlySet<StreamMode> = new Set(STREAM_EVENTS_V3_MODES);
  readonly envelopes = true;
  readonly stream: GraphRunStream;
  readonly #mux = new StreamMux((error) => this.#stop(error));
  readonly #controller: AbortController;
  /** Segments before the namespace of the graph that was called. */
  #depth = 0;
  #seq = 0;
  #over = false;
  /** Programs' own transformers may edit events in place, which is no edit of the state. */
  #mayEdit = false;

  /**
   * @param controller - stops the run: when its reader says so, and when a transformer fails
   * @throws GraphError INVALID_TRANSFORMER
   */
  constructor(factories: readonly TransformerFactory[], controller: AbortController) {
    checkFactories(factories);
    this.#controller = controller;
    const mux = this.#mux;
    const extensions: Record<string, unknown> = {};
    this.stream = new GraphRunStream([], mux, 0, 0, extensions, controller);
    const lifecycle = createLifecycleTransformer();
    const { _lifecycleLog: log, lifecycle: entries } = lifecycle.init();
    const subgraphs = createSubgraphDiscoveryTransformer(mux, {
      createStream: (path, discoveryStart, eventStart) => {
        const stream = new SubgraphRunStream(path, mux, discoveryStart, eventStart, undefined, controller);
        stream._show({ lifecycle: filterLifecycleEntries(log, path, log.size) });
        return stream;
      },
    });
    const values = createValuesTransformer([]);
    const messages = createMessagesTransformer([]);
    for (const own of [subgraphs, lifecycle, values, messages]) mux.addTransformer(own);
    this.stream._show({
      values: values.init()._valuesLog,
      messages: messages.init().messages,
      lifecycle: entries,
    });
    mux.register([], this.stream);
    const names = { onRun: new Set<string>(), inExtensions: extensions };
    for (const [at, factory] of factories.entries()) {
      const transformer: unknown = factory();
      checkTransformer(transformer, at);
      this.#add(transformer, names);
    }
  }
  begin(namespace: readonly string[]): void {
    this.#depth = namespace.length;
  }
  get over(): boolean {
    return this.#over;
  }
  push([namespace, mode, told]: StreamChunk): void {
    if (this.#over) return;
    const payload = this.#mayEdit ? ownCopy(told) : told;
    const place = (this.#depth === 0 ? namespace : namespace.slice(this.#depth)) as Namespace;
    if (mode === "values" && INTERRUPT in fieldsOf(payload)) this.#mux.markInterrupted(questionsIn(payload));
    const event = eventOfChunk({ namespace: place, mode, payload, seq: this.#seq });
    if (event === undefined) return;
    this.#seq += 1;
    try {
      this.#mux.push(place, event);
    } catch (error) {
      this.#stop(error);
    }
  }
  /** A transformer failed: nobody could follow the rest of the run. */
  #stop(error: unknown): void {
    this.fail(error);
    this.#controller.abort(error);
  }
  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#mux.close();
  }
  fail(error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#mux.fail(error);
  }

  /** Its projection stands where readers look for it before it sees an event. */
  #add(
    transformer: StreamTransformer,
    names: { readonly onRun: Set<string>; readonly inExtensions: Record<string, unknown> },
  ): void {
    const projection = transformer.init();
    const members = Object.entries(projectionOf(projection));
    if (isNativeTransformer(transformer)) {
      for (const [name, view] of members) {
        // a library may put its own view in the place of another library's, but not of the run's
        if (name in this.stream && !names.onRun.has(name)) throw taken(name, "a member of the run itself");
        names.onRun.add(name);
        Object.assign(this.stream, { [name]: view });
      }
    } else {
      for (const [name, view] of members) {
        if (Object.hasOwn(names.inExtensions, name)) throw taken(name, "what another transformer makes");
        names.inExtensions[name] = view;
      }
      this.#mux.wireChannels(Object.fromEntries(members));
      this.#mayEdit = true;
    }
    this.#mux.addTransformer(transformer);
  }
}

/** @throws GraphError INVALID_TRANSFORMER for a promise: what it resolves to would be lost */
function projectionOf(projection: unknown): object {
  if (typeof projection !== "object" || projection === null) return {};
  if (!("then" in projection) || typeof projection.then !== "function") return projection;
  throw invalid(
    "init() of a stream transformer returns a promise. Return an object, which may have promises in it.",
  );
}

function taken(name: string, by: string) {
  return invalid(`A stream transformer makes "${name}", which is ${by}. Give it another name.`);
}

function questionsIn(payload: unknown): InterruptPayload[] {
  const interrupts = fieldsOf(payload)[INTERRUPT];
  return (Array.isArray(interrupts) ? (interrupts as unknown[]) : []).map((interrupt) => {
    const { id, value } = fieldsOf(interrupt);
    return { interruptId: typeof id === "string" ? id : "", payload: value };
  });
}
