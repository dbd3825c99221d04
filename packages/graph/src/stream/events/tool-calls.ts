/** How a call of a tool stands. */
export type ToolCallStatus = "running" | "finished" | "error";

/** A call of a tool while it runs. */
export interface ToolCallStream<Name extends string = string, Input = unknown, Output = unknown> {
  readonly name: Name;
  /** Of the call that the model made. */
  readonly callId: string;
  readonly input: Input;
  /** What the tool returned; rejects when it failed. Undefined when the run ended before it. */
  readonly output: Promise<Output>;
  /** How it ended. */
  readonly status: Promise<ToolCallStatus>;
  /** Why it failed; undefined when it did not. */
  readonly error: Promise<string | undefined>;
}
