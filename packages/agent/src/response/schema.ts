import { toJsonSchema, Validator } from "@langchain/core/utils/json_schema";
import { isSerializableSchema, type SerializableSchema } from "@langchain/core/utils/standard_schema";
import { interopSafeParseAsync, isInteropZodSchema, type InteropZodType } from "@langchain/core/utils/types";
import { GraphError, shown } from "@skein/errors";

/** A JSON Schema. */
export type JsonSchemaFormat = { readonly type: string } & Readonly<Record<string, unknown>>;

/** What a structured response may be described by: zod, Standard Schema (valibot, arktype), JSON Schema. */
// oxlint-disable-next-line typescript/no-explicit-any -- of any output
export type ResponseSchema<T = any> = InteropZodType<T> | SerializableSchema | JsonSchemaFormat;

/** What a schema makes of a value; for a JSON Schema, `unknown` things by name. */
export type SchemaOutput<S> = S extends { readonly "~standard": { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly output: infer O }
    ? O
    : Record<string, unknown>
  : S extends InteropZodType<infer O>
    ? O
    : Record<string, unknown>;

/** What one of several schemas makes of a value. */
export type ExtractZodArrayTypes<L extends readonly InteropZodType[]> = SchemaOutput<L[number]>;

/** A response that fits, or what is wrong with it. */
export type Checked = { readonly value: unknown } | { readonly errors: readonly string[] };

/** A schema that was looked at once. */
export interface ReadSchema {
  readonly json: Readonly<Record<string, unknown>>;
  /** The schema's own defaults, transforms and refinements apply. */
  readonly check: (value: unknown) => Promise<Checked>;
}

export function readSchema(schema: unknown): ReadSchema {
  if (isInteropZodSchema(schema)) {
    return { json: asJson(schema), check: (value) => checkZod(schema, value) };
  }
  if (isSerializableSchema(schema)) {
    return { json: asJson(schema), check: (value) => checkStandard(schema, value) };
  }
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) throw notASchema(schema);
  const json = schema as Readonly<Record<string, unknown>>;
  let validator: Validator | undefined;
  return {
    json,
    check: async (value) => {
      validator ??= new Validator(json);
      const { valid, errors } = validator.validate(value);
      return valid ? { value } : { errors: errors.map(({ error }) => error) };
    },
  };
}

function asJson(schema: InteropZodType | SerializableSchema): Readonly<Record<string, unknown>> {
  return toJsonSchema(schema as InteropZodType) as Readonly<Record<string, unknown>>;
}

async function checkZod(schema: InteropZodType, value: unknown): Promise<Checked> {
  const result = await interopSafeParseAsync(schema, value);
  if (result.success) return { value: result.data };
  const { issues = [] } = result.error as { issues?: readonly Issue[] };
  return { errors: issues.map(inOneLine) };
}

async function checkStandard(schema: SerializableSchema, value: unknown): Promise<Checked> {
  const result = await schema["~standard"].validate(value);
  return result.issues === undefined ? { value: result.value } : { errors: result.issues.map(inOneLine) };
}

interface Issue {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
}

function inOneLine({ message, path = [] }: Issue): string {
  if (path.length === 0) return message;
  const keys = path.map((key) =>
    String(typeof key === "object" && key !== null && "key" in key ? key.key : key),
  );
  return `${keys.join(".")}: ${message}`;
}

function notASchema(schema: unknown): GraphError {
  return new GraphError(
    "INVALID_CONFIGURATION",
    `responseFormat: ${shown(schema)} is no schema. Pass a zod schema, a Standard Schema, a JSON Schema, or what toolStrategy() or providerStrategy() returns.`,
  );
}
