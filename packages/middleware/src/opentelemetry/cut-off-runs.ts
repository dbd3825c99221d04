import { type Span, type SpanContext, trace } from "@opentelemetry/api";

/** Runs that are remembered at most: what a stopped task still begins, it begins soon. */
const MOST = 1_000;

/** Where spans of runs stand that were ended while something in them still ran. */
export class CutOffRuns {
  readonly #places = new Map<string, SpanContext>();

  add(ids: Iterable<string>, span: Span): void {
    for (const id of ids) this.#places.set(id, span.spanContext());
    for (const oldest of this.#places.keys()) {
      if (this.#places.size <= MOST) return;
      this.#places.delete(oldest);
    }
  }
  /** Stands for the span of a run that was stopped and goes on all the same, to begin others below it. */
  get(id: string | undefined): Span | undefined {
    const place = id === undefined ? undefined : this.#places.get(id);
    return place === undefined ? undefined : trace.wrapSpanContext(place);
  }
}
