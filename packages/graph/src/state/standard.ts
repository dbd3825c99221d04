import type { Awaitable } from "@skein/checkpointer";
import { GraphError, thrownMessage } from "@skein/errors";
import { InvalidUpdateError } from "../errors/errors.ts";
import { andThen } from "../channels/and-then.ts";

/** What we use of the Standard Schema interface; zod, valibot, arktype and others have it. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Awaitable<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] };

export type InputOf<S> = S extends { "~standard": { types?: { input: infer I } | undefined } } ? I : never;
export type OutputOf<S> = S extends { "~standard": { types?: { output: infer O } | undefined } } ? O : never;

/** Whether a value is a schema by the Standard Schema specification, version 1 (zod, valibot, arktype ...). */
export function isStandardSchema(value: unknown): value is StandardSchema {
  const type = typeof value;
  if ((type !== "object" && type !== "function") || value === null) return false;
  const standard = (value as { "~standard"?: unknown })["~standard"];
  return typeof standard === "object" && standard !== null && "validate" in standard;
}

/**
 * What a schema says of a value, at once.
 *
 * @param of - what the value is: "The call's {context: {...}}"
 * @throws GraphError INVALID_INPUT where the schema's own code throws, INVALID_CONFIGURATION for a schema
 *   that validates asynchronously
 */
export function validated<T>(
  schema: StandardSchema<unknown, T>,
  value: unknown,
  of: string,
): StandardResult<T> {
  let result: Awaitable<StandardResult<T>>;
  try {
    result = schema["~standard"].validate(value);
  } catch (cause) {
    throw unfit(of, cause);
  }
  if (!(result instanceof Promise)) return result;
  // zod tries once more, asynchronously, what has thrown: nobody waits for that
  result.catch(() => {});
  const cause = thrownBy(schema, value);
  if (cause instanceof Error && !/encountered/i.test(cause.message)) throw unfit(of, cause);
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `${of} is needed at once: its schema must validate synchronously.`,
  );
}

function unfit(of: string, cause: unknown): GraphError {
  const message = thrownMessage(cause);
  return new GraphError("INVALID_INPUT", `${of} does not fit its schema, which threw: ${message}`, { cause });
}

/** What a zod schema throws: an error of its own code, or that it would have to wait ("encountered a promise"). */
function thrownBy(schema: unknown, value: unknown): unknown {
  const { safeParse } = schema as { safeParse?: (value: unknown) => unknown };
  try {
    safeParse?.call(schema, value);
    return undefined;
  } catch (error) {
    return error;
  }
}

/**
 * What the schema makes of an absent value, if it makes something: the default. Asked anew each
 * time, so that no two runs share one object (I9).
 */
export function defaultOf(schema: unknown): (() => unknown) | undefined {
  const make = absentOf(schema);
  return make?.() === undefined ? undefined : make;
}

/** What the schema makes of an absent value, undefined included; undefined if it refuses it. */
export function absentOf(schema: unknown): (() => unknown) | undefined {
  if (!isStandardSchema(schema)) return undefined;
  const ask = (): StandardResult<unknown> | undefined => {
    try {
      const result = schema["~standard"].validate(undefined);
      if (!(result instanceof Promise)) return result;
      result.catch(() => {});
      return undefined;
    } catch {
      return undefined;
    }
  };
  const first = ask();
  if (first === undefined || first.issues !== undefined) return undefined;
  return () => (ask() as { value: unknown }).value;
}

/** @throws InvalidUpdateError with the schema's complaints */
export function parseField(schema: StandardSchema, key: string, value: unknown): Awaitable<unknown> {
  const result = schema["~standard"].validate(value);
  const accept = (answer: StandardResult<unknown>): unknown => {
    if (answer.issues === undefined) return answer.value;
    throw new InvalidUpdateError(`Validation failed for field "${key}": ${JSON.stringify(answer.issues)}`, {
      details: { field: key, issues: answer.issues },
      cause: ownError(schema, value),
    });
  };
  return andThen(result, accept);
}

/** The error that a zod schema throws by itself, for those who look for it. */
export function ownError(schema: unknown, value: unknown): unknown {
  const { safeParse } = schema as { safeParse?: (value: unknown) => { error?: unknown } };
  try {
    return safeParse?.call(schema, value).error;
  } catch {
    // a schema that validates asynchronously
    return undefined;
  }
}
