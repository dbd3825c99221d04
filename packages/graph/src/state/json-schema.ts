import { isStandardSchema } from "./standard.ts";

/** A JSON schema, as data. */
export type JsonSchema = Record<string, unknown>;

interface SelfDescribing {
  readonly "~standard": { readonly jsonSchema: { input(options: { target: "draft-07" }): JsonSchema } };
}

/** Whether a Standard Schema can also give its JSON schema, as those of zod 4 can. */
export function isSerializableSchema(value: unknown): value is SelfDescribing {
  return isStandardSchema(value) && "jsonSchema" in value["~standard"];
}

/** The JSON schema of a schema, or undefined if it has none: of a custom check, for example. */
export function jsonSchemaOf(schema: unknown): JsonSchema | undefined {
  if (!isSerializableSchema(schema)) return undefined;
  try {
    return schema["~standard"].jsonSchema.input({ target: "draft-07" });
  } catch {
    return undefined;
  }
}
