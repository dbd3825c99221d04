import { GraphError, shown } from "@skein/errors";
import type { DeltaReducer } from "../channels/delta.ts";
import type { StandardSchema } from "./standard.ts";

const REDUCED = Symbol.for("langgraph.state.reduced_value");
const DELTA = Symbol.for("langgraph.state.delta_value");
const UNTRACKED = Symbol.for("langgraph.state.untracked_value");

export interface ReducedValueInit<Value = unknown, Input = Value> {
  /** Schema of what is written, where it differs from the value. */
  inputSchema?: StandardSchema<unknown, Input>;
  reducer: (current: Value, next: Input) => Value;
  jsonSchemaExtra?: Record<string, unknown>;
}

/**
 * A key that merges what is written to it.
 *
 * @example
 * const State = new StateSchema({
 *   notes: new ReducedValue(z.array(z.string()).default(() => []), {
 *     inputSchema: z.string(),
 *     reducer: (notes, note) => [...notes, note],
 *   }),
 * });
 */
export class ReducedValue<Value = unknown, Input = Value> {
  readonly [REDUCED] = true;
  declare ValueType: Value;
  declare InputType: Input;
  readonly valueSchema: StandardSchema<unknown, Value>;
  readonly inputSchema: StandardSchema<unknown, Input | Value>;
  readonly reducer: (current: Value, next: Input) => Value;
  readonly jsonSchemaExtra: Record<string, unknown> | undefined;

  constructor(
    valueSchema: StandardSchema<unknown, Value>,
    init: ReducedValueInit<Value, Input> & { inputSchema: StandardSchema<unknown, Input> },
  );
  constructor(
    valueSchema: StandardSchema<Input, Value>,
    init: { reducer: (current: Value, next: Value) => Value; jsonSchemaExtra?: Record<string, unknown> },
  );
  constructor(
    valueSchema: unknown,
    init: {
      inputSchema?: unknown;
      reducer: (current: Value, next: never) => Value;
      jsonSchemaExtra?: Record<string, unknown>;
    },
  ) {
    requireReducer("ReducedValue", init);
    this.valueSchema = valueSchema as StandardSchema<unknown, Value>;
    this.inputSchema = (init.inputSchema ?? valueSchema) as StandardSchema<unknown, Input | Value>;
    this.reducer = init.reducer as (current: Value, next: Input) => Value;
    this.jsonSchemaExtra = init.jsonSchemaExtra;
  }
  static isInstance(value: unknown): value is ReducedValue {
    return typeof value === "object" && value !== null && REDUCED in value;
  }
}

export interface DeltaValueInit<Value = unknown, Input = Value> {
  /** Schema of one write, where it differs from the value. */
  inputSchema?: StandardSchema<unknown, Input>;
  /** Folds all writes of a step; it must not matter how writes are grouped. */
  reducer: DeltaReducer<Value, Input>;
  /** Updates after which savers of whole checkpoints get the value as a whole. Default: 1,000. */
  snapshotFrequency?: number;
  jsonSchemaExtra?: Record<string, unknown>;
}

/**
 * A key that merges what is written to it, and that LangGraph's savers get as its writes instead of
 * as a whole. Under a saver of ours an ordinary `ReducedValue` costs the same.
 *
 * @example
 * const State = new StateSchema({
 *   log: new DeltaValue(z.array(z.string()).default(() => []), {
 *     inputSchema: z.string(),
 *     reducer: (log, lines) => [...log, ...lines],
 *   }),
 * });
 */
export class DeltaValue<Value = unknown, Input = Value> {
  readonly [DELTA] = true;
  declare ValueType: Value;
  declare InputType: Input;
  readonly valueSchema: StandardSchema<unknown, Value>;
  readonly inputSchema: StandardSchema<unknown, Input | Value>;
  readonly reducer: DeltaReducer<Value, Input>;
  readonly snapshotFrequency: number | undefined;
  readonly jsonSchemaExtra: Record<string, unknown> | undefined;

  constructor(
    valueSchema: StandardSchema<unknown, Value>,
    init: DeltaValueInit<Value, Input> & { inputSchema: StandardSchema<unknown, Input> },
  );
  constructor(
    valueSchema: StandardSchema<Input, Value>,
    init: Omit<DeltaValueInit<Value, Value>, "inputSchema">,
  );
  constructor(
    valueSchema: unknown,
    init: Omit<DeltaValueInit<Value, never>, "inputSchema"> & { inputSchema?: unknown },
  ) {
    requireReducer("DeltaValue", init);
    this.valueSchema = valueSchema as StandardSchema<unknown, Value>;
    this.inputSchema = (init.inputSchema ?? valueSchema) as StandardSchema<unknown, Input | Value>;
    this.reducer = init.reducer as DeltaReducer<Value, Input>;
    this.snapshotFrequency = init.snapshotFrequency;
    this.jsonSchemaExtra = init.jsonSchemaExtra;
  }
  static isInstance(value: unknown): value is DeltaValue {
    return typeof value === "object" && value !== null && DELTA in value;
  }
}

export interface UntrackedValueInit {
  /** Refuse a second value in one step. Default: true. */
  guard?: boolean;
}

/**
 * A key whose value lasts for one run and never reaches a checkpoint.
 *
 * @example
 * const State = new StateSchema({ topic: z.string(), connection: new UntrackedValue<Connection>() });
 */
export class UntrackedValue<Value = unknown> {
  readonly [UNTRACKED] = true;
  declare ValueType: Value;
  readonly schema: StandardSchema<unknown, Value> | undefined;
  /** Refuse a second value in one step. Default: true. */
  readonly guard: boolean;

  constructor(schema?: StandardSchema<unknown, Value>, init: UntrackedValueInit = {}) {
    this.schema = schema;
    this.guard = (init as UntrackedValueInit | null)?.guard ?? true;
  }
  static isInstance(value: unknown): value is UntrackedValue {
    return typeof value === "object" && value !== null && UNTRACKED in value;
  }
}

/** What the reducer itself is, is looked at where the state is used. */
function requireReducer(of: string, init: unknown): void {
  if (typeof init === "object" && init !== null) return;
  throw new GraphError(
    "INVALID_STATE_SCHEMA",
    `new ${of}() takes a schema and {reducer}; its second argument was ${shown(init)}.`,
  );
}
