import type { JSONSchema } from "@langchain/core/utils/json_schema";
import type { SchemaMetaRegistry } from "./state/zod/registry.ts";
import { schemaMetaRegistry } from "./state/zod/registry.ts";
import { type GraphSchemas, isSchemed } from "./graph/schemas.ts";
import { stateJsonSchema } from "./state/zod/state-json-schema.ts";

/**
 * The JSON schema of a compiled graph's state: what nodes read.
 *
 * @param registry - what is known of the state's zod schemas; default: what `withLangGraph` notes
 * @returns undefined for what is no compiled graph, and for a state without schemas (`Annotation.Root`)
 * @example
 * const State = z.object({ topic: z.string() });
 * const graph = new StateGraph(State).addNode("n", () => ({})).addEdge(START, "n").compile();
 * getStateTypeSchema(graph)?.properties; // { topic: { type: "string" } }
 */
export function getStateTypeSchema(
  graph: unknown,
  registry: SchemaMetaRegistry = schemaMetaRegistry,
): JSONSchema | undefined {
  return schemaOf(graph, ({ state }) => stateJsonSchema(state, "read", registry));
}

/** The JSON schema of what nodes may return: every key optional, reduced keys as they are written. See {@link getStateTypeSchema}. */
export function getUpdateTypeSchema(
  graph: unknown,
  registry: SchemaMetaRegistry = schemaMetaRegistry,
): JSONSchema | undefined {
  return schemaOf(graph, ({ state }) => stateJsonSchema(state, "written", registry));
}

/** The JSON schema of a graph's input: as of an update, by default of the state. See {@link getStateTypeSchema}. */
export function getInputTypeSchema(
  graph: unknown,
  registry: SchemaMetaRegistry = schemaMetaRegistry,
): JSONSchema | undefined {
  return schemaOf(graph, ({ state, input }) => stateJsonSchema(input ?? state, "written", registry));
}

/** The JSON schema of what a call returns, by default of the state. See {@link getStateTypeSchema}. */
export function getOutputTypeSchema(
  graph: unknown,
  registry: SchemaMetaRegistry = schemaMetaRegistry,
): JSONSchema | undefined {
  return schemaOf(graph, ({ state, output }) => stateJsonSchema(output ?? state, "read", registry));
}

/** The JSON schema of a call's `context`; undefined without a context schema. See {@link getStateTypeSchema}. */
export function getConfigTypeSchema(
  graph: unknown,
  registry: SchemaMetaRegistry = schemaMetaRegistry,
): JSONSchema | undefined {
  return schemaOf(graph, ({ context }) => stateJsonSchema(context, "read", registry));
}

function schemaOf(
  graph: unknown,
  choose: (schemas: GraphSchemas) => JSONSchema | undefined,
): JSONSchema | undefined {
  const { builder } = (graph ?? {}) as { builder?: unknown };
  return isSchemed(builder) ? choose(builder.schemas) : undefined;
}
