import { GraphError } from "@skein/errors";
import { interopSafeParse, isInteropZodObject, isInteropZodSchema } from "@langchain/core/utils/types";
import {
  AnnotationRoot,
  EphemeralValue,
  LastValue,
  ReducedValue,
  StateSchema,
  type StateSchemaField,
  type StateSchemaFields,
} from "@skein/graph";
import { dualTrackMessages } from "../messages/dual-track.ts";
import type { AnyAgentMiddleware } from "../middleware/types.ts";
import type { JumpToTarget } from "../runtime.ts";
import { withInitial, zodKeys } from "./zod-keys.ts";

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
 * middleware. The first one that declares a key decides what it is; where that one says nothing of what the
 * key begins with, the next one that does. `messages`, `full_messages` and `jumpTo` are the agent's own
 * whatever a schema says of them.
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
  const own: StateSchemaFields = { ...dualTrackMessages({ now }), jumpTo, ...extra };
  const fields: Record<string, StateSchemaField> = { ...own };
  const schemas = [
    { schema: stateSchema, of: "createAgent" },
    ...middleware.map((one) => ({ schema: one.stateSchema, of: `middleware "${one.name}"` })),
  ];
  for (const { schema, of } of schemas) {
    if (schema === undefined) continue;
    for (const [key, field] of Object.entries(fieldsOf(schema, of))) {
      if (!Object.hasOwn(own, key)) fields[key] = beginningWith(fields[key], field);
    }
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

/**
 * A key that was declared before, with what another declaration begins with if it has no beginning of its own:
 * who reads a limit's count and declares it for that must not take the zero from it.
 */
function beginningWith(first: StateSchemaField | undefined, other: StateSchemaField): StateSchemaField {
  if (first === undefined) return other;
  const initial = (): unknown => initialOf(other);
  if (initial() === undefined) return first;
  if (first instanceof LastValue && !first.isAvailable()) return new LastValue(initial);
  if (!isInteropZodSchema(first) || initialOf(first) !== undefined) return first;
  return withInitial(first, initial);
}

/** What a schema makes of a value that is not there; undefined where it says nothing of one. */
function initialOf(field: StateSchemaField): unknown {
  const schema: unknown = ReducedValue.isInstance(field) ? field.valueSchema : field;
  if (!isInteropZodSchema(schema)) return undefined;
  try {
    const { success, data } = interopSafeParse(schema, undefined) as { success: boolean; data?: unknown };
    return success ? data : undefined;
  } catch {
    // it would have to be waited for
    return undefined;
  }
}

function fieldsOf(schema: unknown, of: string): StateSchemaFields {
  if (StateSchema.isInstance(schema)) return schema.fields;
  if (AnnotationRoot.isInstance(schema)) return annotated(schema);
  if (isInteropZodObject(schema)) return zodKeys(schema);
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
