import type { Span } from "@opentelemetry/api";
import type { Place } from "./live-context.ts";

/** A run of LangChain's callbacks that has begun, and its span. */
export interface OpenRun {
  readonly id: string;
  /** A `graph` is what has steps; any other run that is no task and no call is a `chain`. */
  readonly kind: "chain" | "graph" | "task" | "model" | "tool";
  readonly span: Span;
  readonly parent: OpenRun | undefined;
  /** Where the call is made, if it is one that `placeIn` knows. */
  readonly place: Place | undefined;
  readonly children: Set<OpenRun>;
  /** Ids of runs that have no span: what runs within them counts as within this one. */
  readonly passed: Set<string>;
  /** What ended its children, and whether it was a stop: an error of its own that is among them came from there. */
  readonly thrown: Map<unknown, boolean>;
  readonly began: number;
  /** The superstep that a graph is in. */
  step?: { readonly number: number; readonly span: Span };
  /** What a task was given: kept until it ends, to see what it left of the context. */
  readonly input?: unknown;
  /** Of all calls of models within. */
  readonly tokens: { input: number; output: number };
}

/** By the id of a run, and by who makes its spans: a tracer, or the provider of tracers that nobody gave. */
const open = new Map<string, Map<object, OpenRun>>();

/** How many ids are known: of runs that have begun and not ended. */
export const countOpenRuns = (): number => open.size;

/**
 * The open runs of a tracer. Each tracer makes its own spans of a call that it was given to. All handlers of
 * one tracer share them: where two of them are told of a run it must not have two spans.
 */
export class OpenRuns {
  readonly #tracer: object;

  constructor(tracer: object) {
    this.#tracer = tracer;
  }
  get(id: string): OpenRun | undefined {
    return open.get(id)?.get(this.#tracer);
  }
  /**
   * Whether others make spans of it, and this tracer does not: handlers of two tracers meet where an agent
   * asks another one and both have the middleware, and what runs within the other is told to both.
   */
  isOfOthers(id: string): boolean {
    return open.get(id)?.has(this.#tracer) === false;
  }
  set(id: string, run: OpenRun): void {
    const runs = open.get(id) ?? new Map<object, OpenRun>();
    open.set(id, runs.set(this.#tracer, run));
  }
  delete(id: string): void {
    const runs = open.get(id);
    runs?.delete(this.#tracer);
    if (runs?.size === 0) open.delete(id);
  }
}
