import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { isInteropZodSchema } from "@langchain/core/utils/types";
import { isStandardSchema } from "./standard.ts";

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";

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
  try {
    if (isSerializableSchema(schema)) return schema["~standard"].jsonSchema.input({ target: "draft-07" });
    // zod 3 and zod mini cannot say it themselves
    if (!isInteropZodSchema(schema)) return undefined;
    return { ...toJsonSchema(schema, { io: "input", target: "draft-7" }), $schema: DRAFT_07 };
  } catch {
    return undefined;
  }
}
