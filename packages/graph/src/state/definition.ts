import { type InteropZodObject, interopZodObjectPartial } from "@langchain/core/utils/types";
import type { Awaitable } from "@skein/checkpointer";
import type { BaseChannel } from "../channels/base.ts";
import { isChannel } from "../channels/base.ts";
import { isChannelField } from "../channels/field.ts";
import { StateGraphInputError } from "../errors/errors.ts";
import { SIGNALS } from "../ids/names.ts";
import { Overwrite } from "../channels/overwrite.ts";
import { AnnotationRoot, type StateDefinition, type StateType, type UpdateType } from "./annotation.ts";
import { toChannel } from "./merge.ts";
import { type AnyStateSchema, StateSchema } from "./schema.ts";
import { defaultOf, isStandardSchema, parseField, type StandardSchema } from "./standard.ts";
import { parseOverwrite } from "./parse-overwrite.ts";
import { schemaMetaRegistry } from "./zod/registry.ts";
import type { ZodOutput, ZodUpdate } from "./zod/types.ts";

/** A state, whatever it was written in. */
export interface Definition {
  readonly channels: ReadonlyMap<string, BaseChannel>;
  /** What an input that lacks a key is taken to say, undefined for nothing. */
  readonly absent: Absent;
  /** Validates one write; undefined when the definition has no schemas. */
  readonly parse: ((key: string, value: unknown) => Awaitable<unknown>) | undefined;
}

/** A zod 4 object: what a state may be besides our own forms. */
export interface ObjectSchema extends StandardSchema {
  readonly shape: Readonly<Record<string, Field>>;
  readonly _zod?: {
    readonly def: {
      readonly catchall?: StandardSchema | undefined;
      /** Of the whole object: its refinements. */
      readonly checks?: readonly unknown[] | undefined;
    };
  };
}

/** Schemas of zod mini do not have the method. */
interface Field extends StandardSchema {
  readonly optional?: () => StandardSchema;
}

/** Each is asked anew for every input. One of a required key throws. */
type Makers = ReadonlyMap<string, () => Awaitable<unknown>>;

export interface Absent {
  /** When the state is the input: every key may be left out; zod 4 fills in its defaults. */
  readonly fromState: Makers;
  /** When the definition is an input of its own: what it requires is required. */
  readonly fromInput: Makers;
}

// oxlint-disable-next-line typescript/no-explicit-any -- of any keys, as AnyStateSchema: its `Node` takes a state
type AnyAnnotationRoot = AnnotationRoot<any>;

export type StateDefinitionInit =
  | AnyAnnotationRoot
  | AnyStateSchema
  | ObjectSchema
  | InteropZodObject
  | StateDefinition;

// oxlint-disable typescript/no-explicit-any -- of a definition that a type does not name, as in `CompiledStateGraph<any, any>`
/** The state's type, whatever it was written in. */
export type StateOf<S> = unknown extends S ? any : KnownState<S>;
type KnownState<S> = S extends { State: infer T }
  ? T
  : S extends { shape: infer Shape }
    ? { [K in keyof Shape]: ZodOutput<Shape[K]> }
    : StateType<S>;
/** The type of what may be written to it. */
export type UpdateOf<S> = unknown extends S ? any : KnownUpdate<S>;
// oxlint-enable typescript/no-explicit-any
type KnownUpdate<S> = S extends { Update: infer T }
  ? T
  : S extends { shape: infer Shape }
    ? { [K in keyof Shape]?: ZodUpdate<Shape[K]> }
    : UpdateType<S>;

/** @throws StateGraphInputError when it is no state definition */
export function define(init: unknown): Definition {
  if (StateSchema.isInstance(init)) {
    const parse = (key: string, value: unknown): Awaitable<unknown> => init.parse(key, value);
    return { channels: entries(init.getChannels()), parse, absent: NONE };
  }
  if (AnnotationRoot.isInstance(init)) return { channels: specs(init.spec), parse: undefined, absent: NONE };
  if (isObjectSchema(init)) return fromObjectSchema(init);
  if (isStateDefinition(init)) return { channels: specs(init), parse: undefined, absent: NONE };
  throw new StateGraphInputError();
}

const NONE: Absent = { fromState: new Map(), fromInput: new Map() };

export function isStateDefinitionInit(value: unknown): value is StateDefinitionInit {
  return (
    StateSchema.isInstance(value) ||
    AnnotationRoot.isInstance(value) ||
    isObjectSchema(value) ||
    isStateDefinition(value)
  );
}

/** @throws StateGraphInputError for a zod object with checks of the whole: inputs and updates are parts of it */
export function refuseRefined(init: unknown): void {
  if (!isObjectSchema(init) || (init._zod?.def.checks ?? []).length === 0) return;
  throw new StateGraphInputError(
    "A state or an input cannot be a zod object with refinements. Refine its keys.",
  );
}

export function isObjectSchema(value: unknown): value is ObjectSchema {
  return isStandardSchema(value) && typeof (value as { shape?: unknown }).shape === "object";
}

function isStateDefinition(value: unknown): value is StateDefinition {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const fields = Object.values(value);
  return (
    fields.length > 0 &&
    fields.every((field) => isChannel(field) || isChannelField(field) || typeof field === "function")
  );
}

function specs(definition: StateDefinition): Map<string, BaseChannel> {
  return new Map(Object.entries(definition).map(([key, spec]) => [checked(key), toChannel(key, spec)]));
}

function entries(channels: Record<string, BaseChannel>): Map<string, BaseChannel> {
  return new Map(Object.entries(channels).map(([key, channel]) => [checked(key), channel]));
}

/** A zod object: what it cannot say of its keys stands in the registry. */
function fromObjectSchema(schema: ObjectSchema): Definition {
  const shape = new Map(Object.entries(schema.shape));
  const channels = entries(schemaMetaRegistry.getChannelsForSchema(schema as never));
  const written = (key: string): Field | undefined => {
    const field = shape.get(key);
    const meta = schemaMetaRegistry.get(field as never);
    return (meta?.reducer?.schema as Field | undefined) ?? field;
  };
  let optional: Readonly<Record<string, StandardSchema>> | undefined;
  const fromState = new Map<string, () => unknown>();
  const fromInput = new Map<string, () => Awaitable<unknown>>();
  for (const key of shape.keys()) {
    const field = written(key) as Field;
    // an optional key of zod 3 skips its default, one of zod 4 what its `catch` makes of nothing
    const initial = defaultOf(field.optional?.() ?? (optional ??= optionalKeys(schema))[key] ?? field);
    if (initial !== undefined) fromState.set(key, initial);
    fromInput.set(key, () => parseField(field, key, undefined));
  }
  const parse = (key: string, value: unknown): Awaitable<unknown> => {
    // what an object of zod 4 says of keys that it does not name
    const field = written(key) ?? schema._zod?.def.catchall;
    if (value === undefined && shape.has(key)) return fromState.get(key)?.();
    if (field === undefined) return value;
    if (!Overwrite.isInstance(value)) return parseField(field, key, value);
    return parseOverwrite(shape.get(key) ?? field, key, value);
  };
  return { channels, absent: { fromState, fromInput }, parse };
}

/** Its keys made optional, for fields that have no method for it, as those of zod mini. */
function optionalKeys(schema: ObjectSchema): Readonly<Record<string, StandardSchema>> {
  try {
    return (interopZodObjectPartial(schema as never) as unknown as ObjectSchema).shape;
  } catch {
    // zod makes no other object of one with a refinement, which an output may have
    return {};
  }
}

const TAKEN = /^(__(start|root|proto)__$|__pregel_|branch:to:|join:)/;

/** What the engine writes under these names is no state, and objects with "__proto__" are not what they seem. */
function checked(key: string): string {
  if (!SIGNALS.has(key) && !TAKEN.test(key)) return key;
  throw new StateGraphInputError(`"${key}" cannot be a key of a state.`, {
    details: { key },
  });
}
