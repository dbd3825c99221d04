import { thrownMessage } from "@skein/errors";
import { INTERRUPT } from "../../ids/names.ts";
import { StreamChannel } from "./channel.ts";
import { fieldsOf, LifecycleNames, nodeOf } from "./lifecycle-names.ts";
import { selected } from "./lists.ts";
import {
  type AgentStatus,
  eventOf,
  isChild,
  isWithin,
  keyOf,
  type LifecycleCause,
  type LifecycleData,
  type LifecycleEntry,
  type Namespace,
  type ProtocolEvent,
} from "./protocol.ts";
import type { NativeStreamTransformer, StreamEmitter } from "./transformer.ts";

export interface LifecycleProjection {
  _lifecycleLog: StreamChannel<LifecycleEntry>;
  lifecycle: AsyncIterable<LifecycleEntry>;
}

export interface LifecycleTransformerOptions {
  /** What the root graph is called. Default: "root". */
  rootGraphName?: string;
  /** What is told of the root graph at once. Default: "running". */
  initialStatus?: AgentStatus;
  /** Whether the root graph has events in the stream; its log tells of it in any case. Default: true. */
  emitRootOnRegister?: boolean;
  /** What a graph is called that is no agent with a name. Default: like its node. */
  getGraphName?: (namespace: Namespace) => string;
  /** How the run ended, if somebody knows better. Undefined: as its events say. */
  getTerminalStatusOverride?: () => Promise<AgentStatus | undefined>;
  /** The text of an error. Default: its message. */
  serializeError?: (error: unknown) => string;
}

/** Entries about the graph at a place and those below it. */
export function filterLifecycleEntries(
  log: StreamChannel<LifecycleEntry>,
  path: Namespace,
  startAt = 0,
): AsyncIterable<LifecycleEntry> {
  return selected(
    log,
    startAt,
    ({ namespace }) => isWithin(namespace, path),
    (entry) => entry,
  );
}

/**
 * Tells when the run and each graph in it start, and how they end: "completed", "failed", or
 * "interrupted" when they wait.
 */
export function createLifecycleTransformer(
  options: LifecycleTransformerOptions = {},
): NativeStreamTransformer<LifecycleProjection> {
  return new Lifecycle(options);
}

/** A graph of the run. */
interface Place {
  readonly namespace: Namespace;
  readonly name: string;
  status: AgentStatus | undefined;
  /** Whether it showed what it waits for. */
  waits: boolean;
}

/** A graph whose end is told with the next event, so that it comes after what its task wrote. */
interface Ending {
  readonly place: Place;
  /** The namespace and node whose update ended it; undefined if its task did. */
  readonly update: string | undefined;
}

class Lifecycle implements NativeStreamTransformer<LifecycleProjection> {
  readonly __native = true;
  readonly #options: LifecycleTransformerOptions;
  readonly #names: LifecycleNames;
  readonly #log = StreamChannel.local<LifecycleEntry>();
  readonly #places = new Map<string, Place>();
  /** Questions that a server announced. */
  readonly #asked = new Set<string>();
  #endings: Ending[] = [];
  #emitter: StreamEmitter | undefined;
  /** Whether the event at hand is one of its own. */
  #emitting = false;
  #over = false;

  constructor(options: LifecycleTransformerOptions) {
    this.#options = options;
    this.#names = new LifecycleNames(options.rootGraphName ?? "root", options.getGraphName);
  }
  init(): LifecycleProjection {
    return { _lifecycleLog: this.#log, lifecycle: filterLifecycleEntries(this.#log, []) };
  }
  onRegister(emitter: StreamEmitter): void {
    this.#emitter = emitter;
    const root = this.#placeOf([]);
    if (this.#showsRoot) this.#tell(root, this.#options.initialStatus ?? "running");
  }
  process(event: ProtocolEvent): boolean {
    if (this.#emitting) return true;
    const { method, params } = event;
    const { namespace, data } = params;
    const finished = method === "tasks" ? finishedTask(data) : undefined;
    if (finished !== undefined) this.#forgetUpdate(updateKey(namespace, finished.name));
    else if (method === "tasks") this.#names.noteTask(namespace, data);
    this.#tellEndings();
    if (method === "lifecycle") this.#names.noteCause(namespace, data);
    this.#start(namespace);
    // what others say of graphs is told in its own words
    if (method === "lifecycle") return false;
    if (finished !== undefined) this.#taskEnded(namespace, finished);
    else if (method === "values") this.#noteWait(namespace, data);
    else if (method === "updates") this.#nodeWrote(namespace, params.node);
    else if (method === "input") this.#noteQuestion(data);
    return true;
  }
  finalize(): void | Promise<void> {
    if (this.#over) return undefined;
    this.#over = true;
    this.#tellEndings();
    const { getTerminalStatusOverride: ask } = this.#options;
    if (ask === undefined) return this.#end(this.#status);
    const known = async (): Promise<AgentStatus | undefined> => ask();
    return known().then(
      (status) => this.#end(status ?? this.#status),
      () => this.#end(this.#status),
    );
  }
  fail(error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    try {
      for (const place of this.#started()) this.#tell(place, "failed");
      this.#tell(this.#placeOf([]), "failed", { error: (this.#options.serializeError ?? textOf)(error) });
    } finally {
      this.#log.fail(error);
    }
  }

  get #showsRoot(): boolean {
    return this.#options.emitRootOnRegister !== false;
  }
  /** How the run ended. One that waits is not completed. */
  get #status(): AgentStatus {
    return this.#asked.size > 0 || this.#placeOf([]).waits ? "interrupted" : "completed";
  }
  #end(status: AgentStatus): void {
    try {
      for (const place of this.#started()) this.#tell(place, status);
      this.#tell(this.#placeOf([]), status);
    } finally {
      this.#log.close();
    }
  }
  #started(): Place[] {
    return [...this.#places.values()].filter(
      ({ namespace, status }) => namespace.length > 0 && status === "started",
    );
  }
  #placeOf(namespace: Namespace): Place {
    const key = keyOf(namespace);
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const place: Place = { namespace, name: this.#names.nameOf(namespace), status: undefined, waits: false };
    this.#places.set(key, place);
    return place;
  }
  /** The graph that an event is about starts, and those around it, unless they are known. */
  #start(namespace: Namespace): void {
    if (this.#places.has(keyOf(namespace))) return;
    for (let length = 1; length <= namespace.length; length += 1) {
      const path = namespace.slice(0, length);
      if (this.#places.has(keyOf(path))) continue;
      const cause = this.#names.causeOf(path);
      this.#tell(this.#placeOf(path), "started", cause === undefined ? {} : { cause });
    }
  }
  #noteWait(namespace: Namespace, data: unknown): void {
    if (INTERRUPT in fieldsOf(data)) this.#placeOf(namespace).waits = true;
  }
  #noteQuestion(data: unknown): void {
    const { event, id } = fieldsOf(data);
    if (event === "requested" && typeof id === "string") this.#asked.add(id);
  }
  #taskEnded(parent: Namespace, { name, id, waits }: FinishedTask): void {
    const place = this.#places.get(keyOf([...parent, `${name}:${id}`]));
    if (place === undefined) return;
    place.waits ||= waits;
    this.#endSoon({ place, update: undefined });
  }
  /** Where no tasks are told, what a node wrote ends the graph that it called. */
  #nodeWrote(parent: Namespace, node: string | undefined): void {
    if (node === undefined || node.startsWith("__")) return;
    const place = this.#started().find(
      ({ namespace }) => isChild(namespace, parent) && nodeOf(namespace) === node,
    );
    if (place !== undefined) this.#endSoon({ place, update: updateKey(parent, node) });
  }
  #endSoon(ending: Ending): void {
    if (ending.place.status !== "started") return;
    if (!this.#endings.some(({ place }) => place === ending.place)) this.#endings.push(ending);
  }
  /** Which of a node's tasks it was is told by the task itself. */
  #forgetUpdate(update: string): void {
    if (this.#endings.length > 0) this.#endings = this.#endings.filter((ending) => ending.update !== update);
  }
  #tellEndings(): void {
    if (this.#endings.length === 0) return;
    const endings = this.#endings;
    this.#endings = [];
    for (const { place } of endings) {
      if (place.status === "started") this.#tell(place, place.waits ? "interrupted" : "completed");
    }
  }
  #tell(
    place: Place,
    status: AgentStatus,
    more: { readonly cause?: LifecycleCause; readonly error?: string } = {},
  ): void {
    if (place.status === status && more.error === undefined) return;
    place.status = status;
    const { namespace, name } = place;
    const data: LifecycleData = { event: status, graph_name: name, ...more };
    const event = eventOf("lifecycle", namespace, data);
    this.#log.push({ namespace, timestamp: event.params.timestamp, ...data });
    if (namespace.length === 0 && !this.#showsRoot) return;
    this.#emitting = true;
    try {
      this.#emitter?.push(namespace, event);
    } finally {
      this.#emitting = false;
    }
  }
}

interface FinishedTask {
  readonly name: string;
  readonly id: string;
  readonly waits: boolean;
}

function finishedTask(data: unknown): FinishedTask | undefined {
  const fields = fieldsOf(data);
  const { name, id, interrupts } = fields;
  if (!("result" in fields) || typeof name !== "string" || typeof id !== "string") return undefined;
  if (name.startsWith("__")) return undefined;
  return { name, id, waits: Array.isArray(interrupts) && interrupts.length > 0 };
}

const updateKey = (namespace: Namespace, node: string): string => keyOf([...namespace, "", node]);

function textOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return thrownMessage(error);
  try {
    const { message } = error as { readonly message?: unknown };
    if (typeof message !== "string") return JSON.stringify(error) ?? thrownMessage(error);
  } catch {
    // whatever it is, it has a text
  }
  return thrownMessage(error);
}
