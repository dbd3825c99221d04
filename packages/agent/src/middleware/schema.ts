/** Anything with types as the Standard Schema convention writes them: zod 4, valibot, arktype. */
interface StandardTypes {
  readonly "~standard": {
    readonly types?: { readonly input: unknown; readonly output: unknown } | undefined;
  };
}

/** `StateSchema` and `Annotation.Root` carry what a node reads and writes as two type properties. */
interface StateTypes {
  readonly State: unknown;
  readonly Update: unknown;
}

/** A `StateSchema`, an `Annotation.Root`, or a zod object. */
export type StateSchemaLike = StateTypes | StandardTypes;

/** What a node reads of a schema. */
export type SchemaState<S> = S extends StateTypes
  ? S["State"]
  : S extends StandardTypes
    ? NonNullable<S["~standard"]["types"]>["output"]
    : unknown;

/** What a node writes to a schema. */
export type SchemaUpdate<S> = S extends StateTypes
  ? S["Update"]
  : S extends StandardTypes
    ? NonNullable<S["~standard"]["types"]>["input"]
    : unknown;

/** What a caller's `context` is after its schema: defaults filled in. */
export type SchemaContext<S> = S extends StandardTypes
  ? NonNullable<S["~standard"]["types"]>["output"]
  : unknown;
