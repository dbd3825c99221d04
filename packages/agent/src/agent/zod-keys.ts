import { getInteropZodObjectShape, type InteropZodObject } from "@langchain/core/utils/types";
import {
  ReducedValue,
  schemaMetaRegistry,
  type StateSchemaField,
  type StateSchemaFields,
} from "@skein/graph";

type Schema = StateSchemaField & StandardSchema & { readonly lg_reducer_schema?: StandardSchema };

interface StandardSchema {
  readonly "~standard": { validate(value: unknown): Result | Promise<Result> };
}
type Result = { readonly issues?: readonly unknown[] | undefined; readonly value?: unknown };

/** The keys of a zod object, with the reducers and beginnings that `withLangGraph` and `.register()` gave them. */
export function zodKeys(schema: InteropZodObject): StateSchemaFields {
  const shape = getInteropZodObjectShape(schema) as Record<string, Schema>;
  return Object.fromEntries(Object.entries(shape).map(([key, field]) => [key, asDeclared(field)]));
}

function asDeclared(field: Schema): StateSchemaField {
  const { reducer, default: initial } = schemaMetaRegistry.get(field as never) ?? {};
  const value = withInitial(field, initial);
  if (reducer === undefined) return value;
  const inputSchema = field.lg_reducer_schema ?? orWritten(field);
  return new ReducedValue(value as never, {
    reducer: reducer.fn as never,
    inputSchema: inputSchema as never,
  });
}

/** `.register()` does not say what one write is: what the key's own schema refuses may be one. */
function orWritten(field: Schema): StandardSchema {
  const validate = (value: unknown): Result | Promise<Result> => {
    const result = field["~standard"].validate(value);
    return result instanceof Promise
      ? result.then((late) => unlessRefused(late, value))
      : unlessRefused(result, value);
  };
  return { "~standard": { ...field["~standard"], validate } };
}

const unlessRefused = (result: Result, value: unknown): Result =>
  result.issues === undefined ? result : { value };

/** A schema that makes something of a value that is not there; itself where it can not be told to, as in zod mini. */
export function withInitial(field: StateSchemaField, initial: (() => unknown) | undefined): StateSchemaField {
  const { default: withDefault } = field as { default?: (make: () => unknown) => StateSchemaField };
  return initial === undefined || withDefault === undefined ? field : withDefault.call(field, initial);
}
