import { BaseLangGraphError, type LangGraphErrorFields } from "./base.ts";

/** Where a signal says which one it is, to any copy of this package. */
export const BUBBLE_UP: unique symbol = Symbol.for("skein.bubbleUp") as never;
export type SignalKind = "interrupt" | "parent-command" | "drained" | "other";

/** What a node waits for: the value given to `interrupt` and the id to answer it by. */
// oxlint-disable-next-line typescript/no-explicit-any -- LangGraph's default: programs read what their own nodes ask
export interface Interrupt<Value = any> {
  /** Hash of the task's namespace; a key of `Command({resume: {[id]: value}})`. */
  id?: string;
  value?: Value;
  /** JSON Schema of the answer, for an interrupt with a `responseSchema`. */
  response_schema?: Record<string, unknown>;
}

/** Thrown through a node to stop it without failing it. User code should let it pass. */
export class GraphBubbleUp extends BaseLangGraphError {
  readonly [BUBBLE_UP]: SignalKind = "other";

  constructor(message = "", fields: LangGraphErrorFields = {}) {
    super("OUTSIDE_RUN", message, fields);
    this.name = "GraphBubbleUp";
  }
  get is_bubble_up(): true {
    return true;
  }
}

/** Stops a node until the run is resumed. `interrupt()` throws it. */
export class GraphInterrupt extends GraphBubbleUp {
  override readonly [BUBBLE_UP]: SignalKind = "interrupt";
  readonly interrupts: Interrupt[];

  constructor(interrupts: Interrupt[] = [], fields: LangGraphErrorFields = {}) {
    super(describe(interrupts), fields);
    this.name = "GraphInterrupt";
    this.interrupts = interrupts;
  }
  static get unminifiable_name(): string {
    return "GraphInterrupt";
  }
}

/** One signal for the questions of both: of one alone, that very object, which its catchers know. */
export function withInterrupts(earlier: GraphInterrupt | undefined, signal: GraphInterrupt): GraphInterrupt {
  return earlier === undefined ? signal : new GraphInterrupt([...earlier.interrupts, ...signal.interrupts]);
}

/** Thrown by a node to interrupt itself with a message. Prefer `interrupt()`. */
export class NodeInterrupt extends GraphInterrupt {
  constructor(message: unknown, fields: LangGraphErrorFields = {}) {
    super([{ value: message }], fields);
    this.name = "NodeInterrupt";
  }
  static override get unminifiable_name(): string {
    return "NodeInterrupt";
  }
}

/** The run stopped between two steps because its {@link RunControl} was told to drain. It can go on. */
export class GraphDrained extends GraphBubbleUp {
  override readonly [BUBBLE_UP]: SignalKind = "drained";
  /** What `requestDrain` was given. */
  readonly reason: string;

  constructor(reason = "shutdown", fields: LangGraphErrorFields = {}) {
    super(`The run was drained: ${reason}`, { code: "DRAINED", ...fields });
    this.name = "GraphDrained";
    this.reason = reason;
  }
  static get unminifiable_name(): "GraphDrained" {
    return "GraphDrained";
  }
}

/** Whether an error says that the run was drained, of any copy of this package. */
export function isGraphDrained(error?: unknown): error is GraphDrained {
  return kindOf(error) === "drained";
}

/**
 * Whether an error is a signal of the engine, which whoever catches it has to throw on: an interrupt, a
 * command for the parent, a drain.
 *
 * @example
 * try {
 *   return await search(state.topic);
 * } catch (error) {
 *   if (isGraphBubbleUp(error)) throw error;
 *   return { found: [] };
 * }
 */
export function isGraphBubbleUp(error?: unknown): error is GraphBubbleUp {
  return kindOf(error) !== undefined;
}

/** Whether an error is what `interrupt()` throws, of any copy of this package. */
export function isGraphInterrupt(error?: unknown): error is GraphInterrupt {
  return kindOf(error) === "interrupt";
}

/** Undefined for what is no signal. */
export function kindOf(error: unknown): SignalKind | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  return (error as { [BUBBLE_UP]?: SignalKind })[BUBBLE_UP];
}

/** An interrupt's value may be anything, also what JSON cannot print. */
function describe(interrupts: readonly Interrupt[]): string {
  try {
    return JSON.stringify(interrupts, null, 2);
  } catch {
    return `${interrupts.length} interrupt(s)`;
  }
}
