import { type JSONSchema, toJsonSchema } from "@langchain/core/utils/json_schema";
import { isInteropZodObject } from "@langchain/core/utils/types";
import { StateSchema } from "../schema.ts";
import { META_EXTRAS_DESCRIPTION_PREFIX, type SchemaMetaRegistry } from "./registry.ts";
import type { ZodObjectSchema } from "./types.ts";

/**
 * The JSON schema of a state, or undefined if it has no schemas.
 *
 * @param side - "written": every key optional, and a reduced one as it is written, not as it is kept
 */
export function stateJsonSchema(
  definition: unknown,
  side: "read" | "written",
  registry: SchemaMetaRegistry,
): JSONSchema | undefined {
  const isWritten = side === "written";
  if (StateSchema.isInstance(definition)) {
    return (isWritten ? definition.getInputJsonSchema() : definition.getJsonSchema()) as JSONSchema;
  }
  if (!isInteropZodObject(definition)) return undefined;
  const extended = registry.getExtendedChannelSchemas(definition as unknown as ZodObjectSchema, {
    withReducerSchema: isWritten,
    withJsonSchemaExtrasAsDescription: true,
    asPartial: isWritten,
  });
  return withExtras(toJsonSchema(extended as never)) as JSONSchema;
}

/** Extras travel through zod as the text of a description; here they become fields of the JSON schema. */
function withExtras(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withExtras);
  if (typeof schema !== "object" || schema === null) return schema;
  const fields = Object.fromEntries(Object.entries(schema).map(([key, field]) => [key, withExtras(field)]));
  const { description, ...rest } = fields;
  if (typeof description !== "string" || !description.startsWith(META_EXTRAS_DESCRIPTION_PREFIX))
    return fields;
  return { ...rest, ...JSON.parse(description.slice(META_EXTRAS_DESCRIPTION_PREFIX.length)) };
}
