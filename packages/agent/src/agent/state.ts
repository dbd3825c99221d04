import { GraphError } from "@skein/errors";
import { getInteropZodObjectShape, isInteropZodObject } from "@langchain/core/utils/types";
import {
  AnnotationRoot,
  EphemeralValue,
  StateSchema,
  type StateSchemaField,
  type StateSchemaFields,
} from "@skein/graph";
import { dualTrackMessages } from "../messages/dual-track.ts";
import type { AnyAgentMiddleware } from "../middleware/types.ts";
import type { JumpToTarget } from "../runtime.ts";

/** Where the structured response stands. */
export const RESPONSE_KEY = "structuredResponse";

/** The state of an agent: all keys, and those that its callers pass and get. */
export interface AgentSchemas {
  readonly state: StateSchema;
  /** Without private keys, which begin with `_`, and without the agent's `jumpTo`. */
  readonly input: StateSchema;
  /** The same, and without the history, which is not loaded unless somebody asks for it. */
  readonly output: StateSchema;
}

/**
 * Puts an agent's state together: both tracks, the keys of its own schema, the keys of its
 * middleware. The first one that declares a key decides what it is. `messages`, `full_messages` and
 * `jumpTo` are the agent's own whatever a schema says of them.
 *
 * @param extra - keys that the agent needs for options it was given
 * @param now - the clock of its messages
 */
export function agentSchemas(
  stateSchema: unknown,
  middleware: readonly AnyAgentMiddleware[],
  extra: StateSchemaFields = {},
  now: () => number = Date.now,
): AgentSchemas {
  // for one step only: a jump that was taken is over
  const jumpTo = new EphemeralValue<JumpToTarget>(false);
  const fields: Record<string, StateSchemaField> = { ...dualTrackMessages({ now }), jumpTo, ...extra };
  const schemas = [
    { schema: stateSchema, of: "createAgent" },
    ...middleware.map((one) => ({ schema: one.stateSchema, of: `middleware "${one.name}"` })),
  ];
  for (const { schema, of } of schemas) {
    if (schema === undefined) continue;
    for (const [key, field] of Object.entries(fieldsOf(schema, of))) fields[key] ??= field;
  }
  const visible = Object.entries(fields).filter(([key]) => !key.startsWith("_") && key !== "jumpTo");
  const shown = visible.filter(([key]) => key !== "full_messages");
  const given = visible.filter(([key]) => key !== RESPONSE_KEY);
  return {
    state: new StateSchema(fields),
    input: new StateSchema(Object.fromEntries(given)),
    output: new StateSchema(Object.fromEntries(shown)),
  };
}

function fieldsOf(schema: unknown, of: string): StateSchemaFields {
  if (StateSchema.isInstance(schema)) return schema.fields;
  if (AnnotationRoot.isInstance(schema)) return annotated(schema);
  if (isInteropZodObject(schema)) return { ...(getInteropZodObjectShape(schema) as StateSchemaFields) };
  throw new GraphError(
    "INVALID_STATE_SCHEMA",
    `The stateSchema of ${of} is no state. Pass a zod object, a StateSchema or an Annotation.Root.`,
  );
}

/** Keys of an Annotation.Root: channels, fields that bring one, or functions that make one. */
function annotated(root: AnnotationRoot): StateSchemaFields {
  const entries = Object.entries(root.spec).map(([key, spec]): [string, StateSchemaField] => [
    key,
    typeof spec === "function" ? spec() : spec,
  ]);
  return Object.fromEntries(entries);
}
