import { context, createContextKey, trace, type Context, type Span } from "@opentelemetry/api";

const PLACE = createContextKey("@skein/middleware: the call that is made");

/** A call of a model or tool that is being made, and its span while it has one. */
export interface Place {
  readonly kind: "model" | "tool";
  run: { readonly span: Span } | undefined;
}

/** The call that is made here; undefined outside of calls, and where nobody registered a context manager. */
export function placeIn(active: Context): Place | undefined {
  return active.getValue(PLACE) as Place | undefined;
}

/**
 * Makes a call in a context whose span is that of the call. The callbacks that begin the span come
 * within the call, when its context stands already: so the context looks the span up when it is asked.
 */
export function withCallActive<Result>(kind: Place["kind"], call: () => Promise<Result>): Promise<Result> {
  return context.with(new LiveContext(context.active(), { kind, run: undefined }), call);
}

class LiveContext implements Context {
  readonly #outer: Context;
  readonly #place: Place;

  constructor(outer: Context, place: Place) {
    this.#outer = outer.setValue(PLACE, place);
    this.#place = place;
  }
  get #now(): Context {
    const { run } = this.#place;
    return run === undefined ? this.#outer : trace.setSpan(this.#outer, run.span);
  }
  getValue(key: symbol): unknown {
    return this.#now.getValue(key);
  }
  setValue(key: symbol, value: unknown): Context {
    return this.#now.setValue(key, value);
  }
  deleteValue(key: symbol): Context {
    return this.#now.deleteValue(key);
  }
}
