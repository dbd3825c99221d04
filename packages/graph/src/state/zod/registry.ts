import {
  extendInteropZodObject,
  getInteropZodDefaultGetter,
  getInteropZodObjectShape,
  getSchemaDescription,
  interopZodObjectPartial,
  isZodSchemaV3,
} from "@langchain/core/utils/types";
import type { BaseChannel } from "../../channels/base.ts";
import { LastValue } from "../../channels/last-value.ts";
import { reducerChannel } from "../reducer-channel.ts";
import type { ZodObjectSchema, ZodSchema } from "./types.ts";

/** A description that begins with this holds JSON to be merged into the JSON schema. */
export const META_EXTRAS_DESCRIPTION_PREFIX = "lg:";

/** What a zod schema cannot say about a key of a state. */
// oxlint-disable-next-line typescript/no-explicit-any -- any key of any state, as the name's users expect
export interface SchemaMeta<Value = any, Update = Value> {
  jsonSchemaExtra?: {
    langgraph_nodes?: string[];
    langgraph_type?: "prompt" | "messages";
    [key: string]: unknown;
  };
  reducer?: {
    /** Schema of one write. Default: that of the key. */
    schema?: ZodSchema<Update> | undefined;
    fn: (left: Value, right: Update) => Value;
  };
  default?: (() => Value) | undefined;
}

/** A schema with a reducer, for the type checker. */
export type ReducedZodChannel<Schema extends ZodSchema, ReducerSchema extends ZodSchema> = Schema & {
  lg_reducer_schema: ReducerSchema;
};

/** How `getExtendedChannelSchemas` changes a state's schema. */
export interface SchemaEffects {
  /** Each key as what is written to it. */
  withReducerSchema?: boolean;
  /** With the extras of the JSON schema in the keys' descriptions. */
  withJsonSchemaExtrasAsDescription?: boolean;
  /** Every key may be absent. */
  asPartial?: boolean;
}

/** Remembers what was said about zod schemas: reducers, defaults, extras for the JSON schema. */
export class SchemaMetaRegistry {
  readonly _map = new Map<ZodSchema, SchemaMeta>();
  readonly #extended = new Map<string, WeakMap<ZodObjectSchema, ZodObjectSchema>>();

  get<Value, Update = Value>(schema: ZodSchema<Value>): SchemaMeta<Value, Update> | undefined {
    return this._map.get(schema);
  }
  /** Sets what is known of a schema to what `make` makes of it. */
  extend<Value, Update>(
    schema: ZodSchema<Value>,
    make: (meta: SchemaMeta<Value, Update> | undefined) => SchemaMeta<Value, Update>,
  ): void {
    this._map.set(schema, make(this.get(schema)));
  }
  remove(schema: ZodSchema): this {
    this._map.delete(schema);
    return this;
  }
  has(schema: ZodSchema): boolean {
    return this._map.has(schema);
  }
  /** A channel for each key of an object schema. */
  getChannelsForSchema(schema: ZodObjectSchema): Record<string, BaseChannel> {
    const channels: [string, BaseChannel][] = [];
    for (const [key, field] of Object.entries(shapeOf(schema))) {
      const meta = this.get(field);
      channels.push([
        key,
        meta?.reducer ? reducerChannel(meta.reducer.fn as never, meta.default) : new LastValue(meta?.default),
      ]);
    }
    return Object.fromEntries(channels);
  }
  /** An object schema as it is for a state's input, output or update. The same answer each time. */
  getExtendedChannelSchemas(schema: ZodObjectSchema, effects: SchemaEffects): ZodObjectSchema {
    const wanted = [effects.withReducerSchema, effects.withJsonSchemaExtrasAsDescription, effects.asPartial];
    if (!wanted.includes(true)) return schema;
    const key = wanted.map((effect) => effect === true).join();
    let cache = this.#extended.get(key);
    if (cache === undefined) this.#extended.set(key, (cache = new WeakMap()));
    let extended = cache.get(schema);
    if (extended === undefined) cache.set(schema, (extended = this.#extend(schema, effects)));
    return extended;
  }
  #extend(schema: ZodObjectSchema, effects: SchemaEffects): ZodObjectSchema {
    let extended = schema;
    if (effects.withReducerSchema === true || effects.withJsonSchemaExtrasAsDescription === true) {
      const shape = Object.entries(shapeOf(schema)).map(([key, field]) => [key, this.#field(field, effects)]);
      extended = extendInteropZodObject(schema as never, Object.fromEntries(shape)) as ZodObjectSchema;
      if (isZodSchemaV3(extended as never))
        ((extended as { _def: unknown })._def as { unknownKeys?: string }).unknownKeys = "strip";
    }
    if (effects.asPartial !== true) return extended;
    return interopZodObjectPartial(extended as never) as ZodObjectSchema;
  }
  #field(field: ZodSchema, effects: SchemaEffects): ZodSchema {
    const meta = this.get(field);
    const schema = (effects.withReducerSchema === true ? meta?.reducer?.schema : undefined) ?? field;
    // a schema of zod mini cannot be described: it goes without extras
    if (!effects.withJsonSchemaExtrasAsDescription || !meta?.jsonSchemaExtra || !("describe" in schema))
      return schema;
    const description = getSchemaDescription(schema as never) ?? getSchemaDescription(field as never);
    const extras = JSON.stringify({ ...meta.jsonSchemaExtra, description });
    return (schema as Describable).describe(`${META_EXTRAS_DESCRIPTION_PREFIX}${extras}`);
  }
}

function shapeOf(schema: ZodObjectSchema): Record<string, ZodSchema> {
  return getInteropZodObjectShape(schema as never) as Record<string, ZodSchema>;
}

type Describable = ZodSchema & { describe(text: string): ZodSchema };

/**
 * What was said about zod schemas, in this process. States are made of it when they are defined; no
 * run looks at it (I9).
 */
export const schemaMetaRegistry: SchemaMetaRegistry = new SchemaMetaRegistry();

/**
 * Says of a zod schema how a key of a state merges what is written to it, what it starts with, or
 * what its JSON schema adds. Works with zod 3, 4 and 4 mini. A zod default counts as `default`.
 *
 * @example
 * const State = z.object({
 *   notes: withLangGraph(z.array(z.string()), {
 *     reducer: { schema: z.string(), fn: (notes, note) => [...notes, note] },
 *     default: () => [],
 *   }),
 * });
 */
export function withLangGraph<Value, Update, Schema extends ZodSchema<Value>>(
  schema: Schema,
  meta: SchemaMeta<Value, Update> & { reducer?: undefined },
): Schema;
export function withLangGraph<Value, Update, Schema extends ZodSchema<Value>>(
  schema: Schema,
  meta: SchemaMeta<Value, Update>,
): ReducedZodChannel<Schema, ZodSchema<Update>>;
export function withLangGraph(schema: ZodSchema, meta: SchemaMeta): unknown {
  if (!meta.reducer) {
    schemaMetaRegistry.extend(schema, () => meta);
    return schema;
  }
  const initial = meta.default ? undefined : getInteropZodDefaultGetter(schema as never);
  if (initial !== undefined) meta.default = initial;
  const reduced = Object.assign(schema, { lg_reducer_schema: meta.reducer.schema ?? schema });
  schemaMetaRegistry.extend(reduced, () => meta);
  return reduced;
}
