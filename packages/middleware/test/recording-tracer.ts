import {
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Exception,
  type Span,
  type SpanContext,
  type SpanOptions,
  type SpanStatus,
  type Tracer,
} from "@opentelemetry/api";

/** A span as an exporter would get it. */
export class RecordedSpan implements Span {
  name: string;
  readonly attributes: Attributes;
  readonly events: string[] = [];
  status: SpanStatus = { code: SpanStatusCode.UNSET };
  ends = 0;
  readonly parent: RecordedSpan | undefined;
  readonly #id = crypto.randomUUID().replaceAll("-", "").slice(16);

  constructor(name: string, attributes: Attributes, parent: RecordedSpan | undefined) {
    this.name = name;
    this.attributes = { ...attributes };
    this.parent = parent;
  }
  spanContext(): SpanContext {
    return { traceId: "0".repeat(31) + "1", spanId: this.#id, traceFlags: 1 };
  }
  setAttribute(key: string, value: Attributes[string]): this {
    if (value !== undefined) this.attributes[key] = value;
    return this;
  }
  setAttributes(attributes: Attributes): this {
    Object.assign(this.attributes, attributes);
    return this;
  }
  addEvent(name: string): this {
    this.events.push(name);
    return this;
  }
  addLink(): this {
    return this;
  }
  addLinks(): this {
    return this;
  }
  setStatus(status: SpanStatus): this {
    this.status = status;
    return this;
  }
  updateName(name: string): this {
    this.name = name;
    return this;
  }
  end(): void {
    this.ends += 1;
  }
  isRecording(): boolean {
    return this.ends === 0;
  }
  recordException(exception: Exception): void {
    this.events.push(`exception: ${String(exception)}`);
  }
}

/** Stands for an SDK, which would be a second copy of the packages that it is a peer of. */
export class RecordingTracer implements Tracer {
  readonly spans: RecordedSpan[] = [];

  startSpan(name: string, { attributes = {} }: SpanOptions = {}, context?: Context): RecordedSpan {
    const parent = context === undefined ? undefined : trace.getSpan(context);
    const span = new RecordedSpan(name, attributes, parent as RecordedSpan | undefined);
    this.spans.push(span);
    return span;
  }
  startActiveSpan(): never {
    throw new Error("nobody calls this");
  }
  named(name: string): RecordedSpan {
    const span = this.spans.find((one) => one.name === name);
    if (span === undefined) throw new Error(`There is no span "${name}".`);
    return span;
  }
  /** Names in the order in which the spans began, each below its parent. */
  tree(parent?: RecordedSpan, depth = 0): string[] {
    return this.spans.flatMap((span) =>
      span.parent === parent ? [`${"  ".repeat(depth)}${span.name}`, ...this.tree(span, depth + 1)] : [],
    );
  }
}
