import { SpanStatusCode, type Span } from "@opentelemetry/api";
import { GraphError, thrownMessage } from "@skein/errors";
import { isGraphBubbleUp } from "@skein/graph";

/** An interrupt, or a command to the parent, is control flow and no error, in LangGraph as well. */
export function isControlFlow(error: unknown): boolean {
  return isGraphBubbleUp(error) || (error as { is_bubble_up?: unknown } | null)?.is_bubble_up === true;
}

/**
 * Whether somebody's signal, or a limit of time, ended it: then it ended all that was open. A call has
 * limits of its own, as of its `fetch`, whose errors look like those of a signal: what began in one is its error.
 *
 * @param ofGraph - it began in a graph
 */
export function isStop(error: unknown, ofGraph: boolean): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === "AbortError") return true;
  return error.name === "TimeoutError" && (ofGraph || GraphError.is(error, "TIMEOUT"));
}

export function recordError(span: Span, error: unknown): void {
  if (isControlFlow(error)) {
    span.addEvent("interrupted");
    return;
  }
  const known = error instanceof Error ? error : new Error(thrownMessage(error));
  span.setAttribute("error.type", typeOf(known));
  span.recordException(known);
  span.setStatus({ code: SpanStatusCode.ERROR, message: known.message });
}

/** The code of a DOMException is a number that names nothing. */
function typeOf(error: Error): string {
  const { code } = error as { code?: unknown };
  const isNameless = code === undefined || code === null || error instanceof DOMException;
  return isNameless ? error.name : String(code);
}
