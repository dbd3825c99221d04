import { context, SpanKind, trace, type Attributes, type Span, type Tracer } from "@opentelemetry/api";
import { isControlFlow, isStop, recordError } from "./failure.ts";
import { type Place, placeIn } from "./live-context.ts";

/** A run of LangChain's callbacks that has begun, and its span. */
export interface OpenRun {
  readonly id: string;
  /** A `graph` is what has steps; any other run that is no task and no call is a `chain`. */
  readonly kind: "chain" | "graph" | "task" | "model" | "tool";
  readonly span: Span;
  readonly parent: OpenRun | undefined;
  /** Where the call is made, if it is one that {@link placeIn} knows. */
  readonly place: Place | undefined;
  readonly children: Set<OpenRun>;
  /** What ended its children: an error of its own that is among them came from there. */
  readonly thrown: Set<unknown>;
  readonly began: number;
  /** The superstep that a graph is in. */
  step?: { readonly number: number; readonly span: Span };
  /** What a task was given: kept until it ends, to see what it left of the context. */
  readonly input?: unknown;
  /** Of all calls of models within. */
  readonly tokens: { input: number; output: number };
}

export interface Beginning {
  readonly kind: OpenRun["kind"];
  readonly runId: string;
  readonly parentRunId: string | undefined;
  readonly spanName: string;
  readonly spanKind?: SpanKind;
  readonly attributes: Attributes;
  readonly input?: unknown;
  /** The superstep of a task. */
  readonly step?: number;
}

/**
 * Runs that have begun, by id, of all handlers: they meet where an agent asks another one and both have
 * the middleware. A run is then told to both, and must not have two spans, whatever tracers they have.
 */
const runs = new Map<string, OpenRun>();

/**
 * Opens and closes spans. A span's parent is given, so no context manager need be registered; where one
 * is, a call within the span that somebody began in a tool stands below that.
 */
export class Spans {
  readonly #tracer: Tracer;

  constructor(tracer: Tracer | undefined) {
    this.#tracer = tracer ?? trace.getTracer("@skein/middleware");
  }

  begin(beginning: Beginning): void {
    const { runId, parentRunId, kind, spanName, spanKind, attributes, input, step } = beginning;
    if (runs.has(runId)) return;
    const parent = parentRunId === undefined ? undefined : runs.get(parentRunId);
    const active = context.active();
    const here = placeIn(active);
    const isWithinParent = here?.run !== undefined && here.run === parent;
    const above = parent !== undefined && step !== undefined ? this.#stepOf(parent, step) : parent?.span;
    const span = this.#start(spanName, isWithinParent ? undefined : above, attributes, spanKind);
    const place = here !== undefined && here.run === undefined && here.kind === kind ? here : undefined;
    const run: OpenRun = {
      id: runId,
      kind,
      span,
      parent,
      place,
      children: new Set(),
      thrown: new Set(),
      began: Date.now(),
      tokens: { input: 0, output: 0 },
      ...(input === undefined ? {} : { input }),
    };
    runs.set(runId, run);
    if (place !== undefined) place.run = run;
    parent?.children.add(run);
  }

  /** What runs within this run counts as within its parent. */
  pass(runId: string, parentRunId: string | undefined): void {
    const parent = parentRunId === undefined ? undefined : runs.get(parentRunId);
    if (parent !== undefined) runs.set(runId, parent);
  }

  get(runId: string): OpenRun | undefined {
    return runs.get(runId);
  }

  /** A span that began with its parent and ends now. */
  within(run: OpenRun, name: string, attributes: Attributes): void {
    this.#start(name, run.span, attributes, SpanKind.INTERNAL, run.began).end();
  }

  end(runId: string, attributes: Attributes = {}, error?: unknown): void {
    const run = runs.get(runId);
    if (run === undefined) return;
    if (run.id !== runId) {
      runs.delete(runId);
      return;
    }
    run.span.setAttributes(attributes);
    if (run.kind === "graph" && run.tokens.input + run.tokens.output > 0) {
      run.span.setAttributes({
        "gen_ai.usage.input_tokens": run.tokens.input,
        "gen_ai.usage.output_tokens": run.tokens.output,
      });
    }
    if (error !== undefined) this.#fail(run, error);
    this.#close(run);
    run.parent?.children.delete(run);
  }

  /** What a child threw passed nothing beside it; any other error, and each stop, ended what is open within. */
  #fail(run: OpenRun, error: unknown): void {
    recordError(run.span, error);
    run.parent?.thrown.add(error);
    if (isControlFlow(error)) return;
    const isFromWithin = run.thrown.has(error);
    const cutOff = isFromWithin && !isStop(error) ? [] : [...run.children];
    if (run.step !== undefined && (isFromWithin || cutOff.length > 0)) recordError(run.step.span, error);
    for (const child of cutOff) this.#fail(child, error);
  }

  /** With whatever is open within: a run that was stopped does not hear of the end of its tasks. */
  #close(run: OpenRun): void {
    for (const child of run.children) this.#close(child);
    run.step?.span.end();
    run.span.end();
    if (run.place !== undefined) run.place.run = undefined;
    runs.delete(run.id);
  }

  /** The span of a graph's superstep; it ends when the next one begins, or with the run. */
  #stepOf(graph: OpenRun, number: number): Span {
    if (graph.step?.number === number) return graph.step.span;
    graph.step?.span.end();
    const span = this.#start(`step ${number}`, graph.span, { "skein.step": number });
    graph.step = { number, span };
    return span;
  }

  #start(
    name: string,
    parent: Span | undefined,
    attributes: Attributes,
    kind: SpanKind = SpanKind.INTERNAL,
    startTime?: number,
  ): Span {
    const active = context.active();
    return this.#tracer.startSpan(
      name,
      { kind, attributes, ...(startTime === undefined ? {} : { startTime }) },
      parent === undefined ? active : trace.setSpan(active, parent),
    );
  }
}
