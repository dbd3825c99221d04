import type { Awaitable } from "@skein/checkpointer";
import type { BaseChannel } from "../channels/base.ts";
import { isChannel } from "../channels/base.ts";
import { isChannelField } from "../channels/field.ts";
import { LastValue } from "../channels/last-value.ts";
import { StateGraphInputError } from "../errors/errors.ts";
import { AnnotationRoot, type StateDefinition, type StateType, type UpdateType } from "./annotation.ts";
import { toChannel } from "./merge.ts";
import { StateSchema } from "./schema.ts";
import { defaultOf, isStandardSchema, parseField, type StandardSchema } from "./standard.ts";

/** A state, whatever it was written in. */
export interface Definition {
  readonly channels: ReadonlyMap<string, BaseChannel>;
  /** What an input that lacks a key is taken to say; a plain zod object fills in its defaults. */
  readonly inputDefaults: ReadonlyMap<string, () => unknown>;
  /** Validates one write; undefined when the definition has no schemas. */
  readonly parse: ((key: string, value: unknown) => Awaitable<unknown>) | undefined;
}

/** A zod 4 object: what a state may be besides our own forms. */
export interface ObjectSchema extends StandardSchema {
  readonly shape: Readonly<Record<string, StandardSchema>>;
}

export type StateDefinitionInit = AnnotationRoot | StateSchema | ObjectSchema | StateDefinition;

/** The state's type, whatever it was written in. */
export type StateOf<S> = S extends { State: infer T }
  ? T
  : S extends { _zod: { output: infer O } }
    ? O
    : StateType<S>;
/** The type of what may be written to it. */
export type UpdateOf<S> = S extends { Update: infer T }
  ? T
  : S extends { _zod: { input: infer I } }
    ? Partial<I>
    : UpdateType<S>;

/** @throws StateGraphInputError when it is no state definition */
export function define(init: unknown): Definition {
  if (StateSchema.isInstance(init)) {
    const parse = (key: string, value: unknown): Awaitable<unknown> => init.parse(key, value);
    return { channels: entries(init.getChannels()), parse, inputDefaults: NONE };
  }
  if (AnnotationRoot.isInstance(init))
    return { channels: specs(init.spec), parse: undefined, inputDefaults: NONE };
  if (isObjectSchema(init)) return fromObjectSchema(init);
  if (isStateDefinition(init)) return { channels: specs(init), parse: undefined, inputDefaults: NONE };
  throw new StateGraphInputError();
}

const NONE: ReadonlyMap<string, () => unknown> = new Map();

export function isStateDefinitionInit(value: unknown): value is StateDefinitionInit {
  return (
    StateSchema.isInstance(value) ||
    AnnotationRoot.isInstance(value) ||
    isObjectSchema(value) ||
    isStateDefinition(value)
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

function fromObjectSchema(schema: ObjectSchema): Definition {
  const channels = new Map<string, BaseChannel>();
  const inputDefaults = new Map<string, () => unknown>();
  for (const [key, field] of Object.entries(schema.shape)) {
    const initial = defaultOf(field);
    channels.set(checked(key), new LastValue(initial));
    if (initial !== undefined) inputDefaults.set(key, initial);
  }
  return {
    channels,
    inputDefaults,
    parse: (key, value) => {
      const field = Object.hasOwn(schema.shape, key) ? schema.shape[key] : undefined;
      return field === undefined ? value : parseField(field, key, value);
    },
  };
}

/** Objects with this key are not what they seem. */
function checked(key: string): string {
  if (key !== "__proto__") return key;
  throw new StateGraphInputError('"__proto__" cannot be a key of a state.', { details: { key } });
}
