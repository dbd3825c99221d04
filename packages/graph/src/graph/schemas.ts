/** What a graph was made from, as it was given: zod objects, StateSchemas, Annotations. */
export interface GraphSchemas {
  readonly state: unknown;
  /** Undefined: the state. */
  readonly input: unknown;
  /** Undefined: the state. */
  readonly output: unknown;
  readonly context: unknown;
}

/** A builder that tells its schemas. */
export interface Schemed {
  readonly schemas: GraphSchemas;
}

export function isSchemed(builder: unknown): builder is Schemed {
  const { schemas } = (builder ?? {}) as { schemas?: unknown };
  return typeof schemas === "object" && schemas !== null && "state" in schemas;
}
