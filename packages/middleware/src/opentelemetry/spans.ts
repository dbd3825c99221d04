import {
  context,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Span,
  type Tracer,
} from "@opentelemetry/api";
import { thrownMessage } from "@skein/errors";
import { isGraphBubbleUp } from "@skein/graph";
import { type Place, placeIn } from "./live-context.ts";

/** A run of LangChain's callbacks that has begun, and its span. */
export interface OpenRun {
  readonly id: string;
  /** A `chain` becomes a `graph` when a node of it begins. */
  kind: "chain" | "graph" | "task" | "model" | "tool";
  readonly name: string;
  readonly span: Span;
  readonly parent: OpenRun | undefined;
  /** Where the call is made, if it is one that {@link placeIn} knows. */
  readonly place: Place | undefined;
  readonly children: Set<OpenRun>;
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
  readonly name: string;
  readonly spanName: string;
  readonly spanKind?: SpanKind;
  readonly attributes: Attributes;
  readonly input?: unknown;
  /** The superstep of a task. */
  readonly step?: number;
}

/** Runs that have begun, by id, shared by all handlers of one tracer: see {@link runsOf}. */
type Runs = Map<string, OpenRun>;

const shared = new WeakMap<object, Runs>();

/**
 * The open runs of a tracer. Two handlers of one tracer meet where an agent asks another one and both
 * have the middleware: a run is then told to both, and must not have two spans.
 */
function runsOf(tracer: Tracer | undefined): Runs {
  const key = tracer ?? trace.getTracerProvider();
  const known = shared.get(key);
  if (known !== undefined) return known;
  const runs: Runs = new Map();
  shared.set(key, runs);
  return runs;
}

/**
 * Opens and closes spans. A span's parent is given, so no context manager need be registered; where one
 * is, a call within the span that somebody began in a tool stands below that.
 */
export class Spans {
  readonly #tracer: Tracer;
  readonly #runs: Runs;

  constructor(tracer: Tracer | undefined) {
    this.#tracer = tracer ?? trace.getTracer("@skein/middleware");
    this.#runs = runsOf(tracer);
  }

  begin(beginning: Beginning): void {
    const { runId, parentRunId, kind, name, spanName, spanKind, attributes, input, step } = beginning;
    if (this.#runs.has(runId)) return;
    const parent = parentRunId === undefined ? undefined : this.#runs.get(parentRunId);
    const active = context.active();
    const here = placeIn(active);
    const isWithinParent = here?.run !== undefined && here.run === parent;
    const above = parent !== undefined && step !== undefined ? this.#stepOf(parent, step) : parent?.span;
    const span = this.#start(spanName, isWithinParent ? undefined : above, attributes, spanKind);
    const place = here !== undefined && here.run === undefined && here.kind === kind ? here : undefined;
    const run: OpenRun = {
      id: runId,
      kind,
      name,
      span,
      parent,
      place,
      children: new Set(),
      began: Date.now(),
      tokens: { input: 0, output: 0 },
      ...(input === undefined ? {} : { input }),
    };
    this.#runs.set(runId, run);
    if (place !== undefined) place.run = run;
    parent?.children.add(run);
  }

  /** What runs within this run counts as within its parent. */
  pass(runId: string, parentRunId: string | undefined): void {
    const parent = parentRunId === undefined ? undefined : this.#runs.get(parentRunId);
    if (parent !== undefined) this.#runs.set(runId, parent);
  }

  get(runId: string): OpenRun | undefined {
    return this.#runs.get(runId);
  }

  /** A span that began with its parent and ends now. */
  within(run: OpenRun, name: string, attributes: Attributes): void {
    this.#start(name, run.span, attributes, SpanKind.INTERNAL, run.began).end();
  }

  end(runId: string, attributes: Attributes = {}, error?: unknown): void {
    const run = this.#runs.get(runId);
    if (run === undefined) return;
    if (run.id !== runId) {
      this.#runs.delete(runId);
      return;
    }
    run.span.setAttributes(attributes);
    if (run.kind === "graph" && run.tokens.input + run.tokens.output > 0) {
      run.span.setAttributes({
        "gen_ai.usage.input_tokens": run.tokens.input,
        "gen_ai.usage.output_tokens": run.tokens.output,
      });
    }
    if (error !== undefined) fail(run.span, error);
    this.#close(run);
    run.parent?.children.delete(run);
  }

  /** With whatever is open within: a run that was stopped does not hear of the end of its tasks. */
  #close(run: OpenRun): void {
    for (const child of run.children) this.#close(child);
    run.step?.span.end();
    run.span.end();
    if (run.place !== undefined) run.place.run = undefined;
    this.#runs.delete(run.id);
  }

  /** The span of a graph's superstep; it ends when the next one begins, or with the run. */
  #stepOf(graph: OpenRun, number: number): Span {
    if (graph.kind === "chain") {
      graph.kind = "graph";
      graph.span.updateName(graph.name === "LangGraph" ? "invoke_agent" : `invoke_agent ${graph.name}`);
      graph.span.setAttribute("gen_ai.operation.name", "invoke_agent");
    }
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

/** An interrupt, or a command to the parent, is control flow and no error. */
function fail(span: Span, error: unknown): void {
  if (isGraphBubbleUp(error)) {
    span.addEvent("interrupted");
    return;
  }
  const known = error instanceof Error ? error : new Error(thrownMessage(error));
  span.setAttribute("error.type", (known as { code?: unknown }).code?.toString() ?? known.name);
  span.recordException(known);
  span.setStatus({ code: SpanStatusCode.ERROR, message: known.message });
}
