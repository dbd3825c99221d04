import type { Awaitable } from "@skein/checkpointer";
import { GraphError, shown } from "@skein/errors";
import { BaseChannel, isChannel } from "../channels/base.ts";
import { DeltaChannel } from "../channels/delta.ts";
import { CHANNEL_FIELD, type ChannelField, isChannelField } from "../channels/field.ts";
import { LastValue } from "../channels/last-value.ts";
import { Overwrite } from "../channels/overwrite.ts";
import { UntrackedValueChannel } from "../channels/untracked.ts";
import { StateGraphInputError } from "../errors/errors.ts";
import { adopted } from "./adopted.ts";
import type { NodeOver } from "./annotation.ts";
import { type JsonSchema, jsonSchemaOf } from "./json-schema.ts";
import { mergeState } from "./merge.ts";
import { parseOverwrite } from "./parse-overwrite.ts";
import { reducerChannel } from "./reducer-channel.ts";
import {
  absentOf,
  defaultOf,
  type InputOf,
  isStandardSchema,
  type OutputOf,
  parseField,
  type StandardSchema,
} from "./standard.ts";
import { DeltaValue, ReducedValue, UntrackedValue } from "./values.ts";

const STATE_SCHEMA = Symbol.for("langgraph.state.state_schema");

/** What a key of a StateSchema may be. */
export type StateSchemaField =
  | { readonly valueSchema: unknown; ValueType: unknown; InputType: unknown }
  | { readonly guard: boolean; ValueType: unknown }
  | ChannelField
  | BaseChannel
  | StandardSchema;
export interface StateSchemaFields {
  [key: string]: StateSchemaField;
}

type FieldValue<F> = F extends { ValueType: infer V } ? V : OutputOf<F>;
type FieldUpdate<F> = F extends { ValueType: infer V; InputType: infer I }
  ? Overwrite<V> | I
  : F extends { UpdateType: infer U }
    ? U
    : F extends { ValueType: infer V }
      ? V
      : InputOf<F>;

/** The channel of a key. */
export type StateSchemaFieldToChannel<F> = BaseChannel<FieldValue<F>, FieldUpdate<F>>;
/** The channels of all keys. */
export type StateSchemaFieldsToStateDefinition<F> = { [K in keyof F]: StateSchemaFieldToChannel<F[K]> };
// oxlint-disable-next-line typescript/no-explicit-any -- a schema of any fields
export type AnyStateSchema = StateSchema<any>;

/** The state that a StateSchema describes. */
export type StateSchemaState<F> = { [K in keyof F]: FieldValue<F[K]> };
/** What may be written to it. */
export type StateSchemaUpdate<F> = { [K in keyof F]?: FieldUpdate<F[K]> };

/**
 * A state from schemas: any Standard Schema (zod 4 and others) for keys that keep the last value,
 * `ReducedValue` for keys that merge, `UntrackedValue` for keys that are not stored, and fields
 * that bring a channel of their own. What is written is validated.
 *
 * @example
 * const State = new StateSchema({ messages: MessagesValue, count: z.number().default(0) });
 */
export class StateSchema<Fields extends StateSchemaFields = StateSchemaFields> {
  readonly [STATE_SCHEMA] = true;
  /** `typeof State.State`: the state's type. */
  declare State: StateSchemaState<Fields>;
  /** `typeof State.Update`: the type of what nodes return. */
  declare Update: StateSchemaUpdate<Fields>;
  /** `typeof State.Node`: the type of a node over this state. */
  declare Node: NodeOver<StateSchemaState<Fields>, StateSchemaUpdate<Fields>>;
  readonly fields: Fields;

  constructor(fields: Fields) {
    if (typeof fields !== "object" || (fields as Fields | null) === null) {
      throw new GraphError(
        "INVALID_STATE_SCHEMA",
        `new StateSchema() takes the keys of a state, as in {topic: z.string()}, not ${shown(fields)}.`,
      );
    }
    this.fields = fields;
  }
  /** The channels of the keys; new ones at every call. */
  getChannels(): Record<string, BaseChannel> {
    const channels: Record<string, BaseChannel> = {};
    for (const [key, field] of Object.entries(this.fields)) channels[key] = channelOf(key, field);
    return channels;
  }
  getChannelKeys(): string[] {
    return Object.keys(this.fields);
  }
  getAllKeys(): string[] {
    return Object.keys(this.fields);
  }
  /** JSON schema of the state. Keys whose schema can say nothing of itself are left out. */
  getJsonSchema(): JsonSchema {
    const properties = this.#properties((field) => field.valueSchema);
    const required = Object.keys(properties).filter(
      (key) => absentOf(valueSchemaOf(this.fields[key])) === undefined,
    );
    return { type: "object", properties, required: required.length > 0 ? required : undefined };
  }
  /** JSON schema of an update: every key may be absent. */
  getInputJsonSchema(): JsonSchema {
    return { type: "object", properties: this.#properties((field) => field.inputSchema) };
  }
  #properties(side: (field: ReducedValue | DeltaValue) => StandardSchema): Record<string, JsonSchema> {
    const properties: [string, JsonSchema][] = [];
    for (const [key, field] of Object.entries(this.fields)) {
      const found = jsonSchemaOf(merges(field) ? side(field) : schemaOf(field));
      const extra = merges(field) ? field.jsonSchemaExtra : undefined;
      if (found !== undefined || extra !== undefined) properties.push([key, { ...found, ...extra }]);
    }
    return Object.fromEntries(properties);
  }
  /** Validates one write. Unknown keys pass. */
  parse(key: string, value: unknown): Awaitable<unknown> {
    const field = Object.hasOwn(this.fields, key) ? this.fields[key] : undefined;
    if (merges(field)) {
      return Overwrite.isInstance(value)
        ? parseOverwrite(field.valueSchema, key, value)
        : parseField(field.inputSchema, key, value);
    }
    const schema = schemaOf(field);
    return schema === undefined ? value : parseField(schema, key, value);
  }
  /** Validates an input or update; keys that the schema does not know stay as they are. */
  async validateInput<T>(data: T): Promise<T> {
    if (typeof data !== "object" || data === null) return data;
    const entries = Object.entries(data).map(async ([key, value]) => [key, await this.parse(key, value)]);
    return Object.fromEntries(await Promise.all(entries)) as T;
  }
  /** Merges a partial state by hand, with the keys' reducers. Neither argument is changed. */
  merge(
    state: Partial<StateSchemaState<Fields>>,
    update: StateSchemaUpdate<Fields>,
  ): StateSchemaState<Fields> {
    return mergeState(this.getChannels(), state, update) as StateSchemaState<Fields>;
  }
  static isInstance(value: unknown): value is StateSchema {
    return typeof value === "object" && value !== null && STATE_SCHEMA in value;
  }
}

function channelOf(key: string, field: unknown): BaseChannel {
  if (isChannelField(field)) return field[CHANNEL_FIELD].channel();
  if (isChannel(field)) return adopted(key, field);
  if (DeltaValue.isInstance(field)) {
    return new DeltaChannel(field.reducer, {
      snapshotFrequency: field.snapshotFrequency,
      initialValueFactory: defaultOf(field.valueSchema),
    });
  }
  if (ReducedValue.isInstance(field)) return reducerChannel(field.reducer, defaultOf(field.valueSchema));
  if (UntrackedValue.isInstance(field)) {
    return new UntrackedValueChannel({ guard: field.guard, initialValueFactory: defaultOf(field.schema) });
  }
  if (isStandardSchema(field)) return new LastValue(defaultOf(field));
  throw new StateGraphInputError(
    `Key "${key}" of the state is no schema, ReducedValue, DeltaValue, UntrackedValue or channel field.`,
    { details: { key } },
  );
}

/** Whether a key merges what is written to it, with a schema for each side. */
function merges(field: unknown): field is ReducedValue | DeltaValue {
  return ReducedValue.isInstance(field) || DeltaValue.isInstance(field);
}

/** The schema of a key that does not merge. */
function schemaOf(field: unknown): StandardSchema | undefined {
  if (UntrackedValue.isInstance(field)) return field.schema;
  return !isChannelField(field) && !isChannel(field) && isStandardSchema(field) ? field : undefined;
}

function valueSchemaOf(field: unknown): StandardSchema | undefined {
  return merges(field) ? field.valueSchema : schemaOf(field);
}
