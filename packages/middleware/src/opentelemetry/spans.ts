import { context, SpanKind, trace, type Attributes, type Span, type Tracer } from "@opentelemetry/api";
import { CutOffRuns } from "./cut-off-runs.ts";
import { isControlFlow, isStop, recordError } from "./failure.ts";
import { placeIn } from "./live-context.ts";
import { type OpenRun, OpenRuns } from "./open-runs.ts";

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
 * Opens and closes spans. A span's parent is given, so no context manager need be registered; where one
 * is, a call within the span that somebody began in a tool stands below that.
 */
export class Spans {
  readonly #tracer: Tracer;
  readonly #runs: OpenRuns;
  readonly #cutOff = new CutOffRuns();

  constructor(tracer: Tracer | undefined) {
    this.#tracer = tracer ?? trace.getTracer("@skein/middleware");
    this.#runs = new OpenRuns(tracer ?? trace.getTracerProvider());
  }

  begin(beginning: Beginning): void {
    const { runId, parentRunId, kind, spanName, spanKind, attributes, input, step } = beginning;
    if (this.#runs.get(runId) !== undefined) return;
    if (parentRunId !== undefined && this.#runs.isOfOthers(parentRunId)) return;
    const parent = parentRunId === undefined ? undefined : this.#runs.get(parentRunId);
    const active = context.active();
    const here = placeIn(active);
    const isWithinParent = here?.run !== undefined && here.run === parent;
    const above =
      parent !== undefined && step !== undefined
        ? this.#stepOf(parent, step)
        : (parent?.span ?? this.#cutOff.get(parentRunId));
    const span = this.#start(spanName, isWithinParent ? undefined : above, attributes, spanKind);
    const place = here !== undefined && here.run === undefined && here.kind === kind ? here : undefined;
    const run: OpenRun = {
      id: runId,
      kind,
      span,
      parent,
      place,
      children: new Set(),
      passed: new Set(),
      thrown: new Map(),
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
    if (parent === undefined) return;
    this.#runs.set(runId, parent);
    parent.passed.add(runId);
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
      run.passed.delete(runId);
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
    if (error !== undefined) this.#fail(run, error);
    this.#close(run);
    run.parent?.children.delete(run);
  }

  /** What a child threw passed nothing beside it; any other error, and each stop, ended what is open within. */
  #fail(run: OpenRun, error: unknown): void {
    recordError(run.span, error);
    const isFromWithin = run.thrown.has(error);
    const isStopped = run.thrown.get(error) === true || isStop(error, run.kind === "graph" && !isFromWithin);
    const above = run.parent?.thrown;
    above?.set(error, isStopped || above.get(error) === true);
    if (isControlFlow(error)) return;
    const cutOff = isFromWithin && !isStopped ? [] : [...run.children];
    if (run.step !== undefined && (isFromWithin || cutOff.length > 0)) recordError(run.step.span, error);
    for (const child of cutOff) this.#fail(child, error);
  }

  /** With whatever is open within: a run that was stopped does not hear of the end of its tasks. */
  #close(run: OpenRun): void {
    for (const child of run.children) {
      this.#close(child);
      this.#cutOff.add([child.id, ...child.passed], child.span);
    }
    run.step?.span.end();
    run.span.end();
    if (run.place !== undefined) run.place.run = undefined;
    for (const id of [run.id, ...run.passed]) this.#runs.delete(id);
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
