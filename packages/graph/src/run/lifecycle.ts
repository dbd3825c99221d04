import { thrownText } from "@skein/errors";
import { segments } from "../ids/namespace.ts";
import { GraphCallbackHandler, type GraphResumeEvent } from "../task/graph-callbacks.ts";
import type { Run } from "./run.ts";

/** Tells handlers that the run goes on. Undefined when nobody listens. */
export function tellResumed(run: Run): Promise<void> | undefined {
  const handlers = handlersOf(run);
  if (handlers === undefined) return undefined;
  const event = eventOf(run);
  return tellAll(handlers, "handleResume", (handler) => handler.handleResume?.(event));
}

/** Tells handlers that the run waits; a graph that a task called tells its caller instead. */
export function tellInterrupted(run: Run): Promise<void> | undefined {
  const handlers = run.options.parent === undefined ? handlersOf(run) : undefined;
  if (handlers === undefined) return undefined;
  const event = { ...eventOf(run), interrupts: [...(run.question?.interrupts ?? [])] };
  return tellAll(handlers, "handleInterrupt", (handler) => handler.handleInterrupt?.(event));
}

function handlersOf(run: Run): GraphCallbackHandler[] | undefined {
  const handlers = run.options.callbacks?.handlers.filter((handler) =>
    GraphCallbackHandler.isInstance(handler),
  );
  return handlers === undefined || handlers.length === 0 ? undefined : handlers;
}

function eventOf({ options, snapshot, stoppedAt }: Run): GraphResumeEvent {
  return {
    runId: options.callbacks?.runId,
    status: stoppedAt ?? "pending",
    checkpointId: snapshot.checkpointId,
    checkpointNs: segments(options.namespace),
  };
}

async function tellAll(
  handlers: readonly GraphCallbackHandler[],
  method: string,
  tell: (handler: GraphCallbackHandler) => void | Promise<void>,
): Promise<void> {
  for (const handler of handlers) {
    try {
      await tell(handler);
    } catch (error) {
      const report = handler.raiseError ? console.error : console.warn;
      report(`Error in handler ${handler.constructor.name}, ${method}: ${thrownText(error)}`);
      if (handler.raiseError) throw error;
    }
  }
}
