import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { Interrupt } from "../errors/signals.ts";

const GRAPH_CALLBACKS = Symbol.for("langgraph.graph_callback_handler");

/** How a run stands when it pauses or goes on. */
export type GraphLifecycleStatus =
  | "pending"
  | "done"
  | "interrupt_before"
  | "interrupt_after"
  | "out_of_steps"
  | "draining";

/** A run goes on with what its thread has. */
export interface GraphResumeEvent {
  readonly runId: string | undefined;
  readonly status: GraphLifecycleStatus;
  readonly checkpointId: string;
  /** Segments of the namespace; none for the root graph. */
  readonly checkpointNs: readonly string[];
}

/** A run of a root graph waits. At a breakpoint nobody asks anything: `interrupts` is empty. */
export interface GraphInterruptEvent extends GraphResumeEvent {
  readonly interrupts: readonly Interrupt[];
}

export type GraphLifecycleEvent = GraphInterruptEvent | GraphResumeEvent;

/**
 * Hears when runs pause and go on. Extend it and pass an instance among `callbacks`. Its methods are
 * awaited; what they throw is reported on the console, or fails the run if `raiseError` is set.
 *
 * @example
 * class Watcher extends GraphCallbackHandler {
 *   override handleInterrupt({ interrupts }: GraphInterruptEvent) {
 *     console.log(interrupts);
 *   }
 * }
 * const watched = graph.withConfig({ callbacks: [new Watcher()] });
 */
export class GraphCallbackHandler extends BaseCallbackHandler {
  name = "GraphCallbackHandler";
  readonly [GRAPH_CALLBACKS] = true;

  static isInstance(value: unknown): value is GraphCallbackHandler {
    return (
      typeof value === "object" &&
      value !== null &&
      (value as { [GRAPH_CALLBACKS]?: unknown })[GRAPH_CALLBACKS] === true
    );
  }
  /** A run of the root graph waits. Called before the run's own end. */
  handleInterrupt?(event: GraphInterruptEvent): void | Promise<void>;
  /** A run, also of a graph that a node calls, is about to go on. */
  handleResume?(event: GraphResumeEvent): void | Promise<void>;
}
