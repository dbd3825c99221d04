import type { AnnotationRoot } from "@skein/graph";

/** Anything with types as the Standard Schema convention writes them. */
interface StandardTypes<Input = unknown> {
  readonly "~standard": {
    readonly types?: { readonly input: Input; readonly output: unknown } | undefined;
  };
}

/** `StateSchema` and `Annotation.Root` carry what a node reads and writes as two type properties. */
interface StateTypes {
  readonly State: unknown;
  readonly Update: unknown;
}

/** Any `Annotation.Root`. As an agent's context schema: there is none. */
// oxlint-disable-next-line typescript/no-explicit-any -- of any keys
export type AnyAnnotationRoot = AnnotationRoot<any>;

/** A `StateSchema`, an `Annotation.Root`, or a zod object, which is known by its shape. */
export type StateSchemaLike = StateTypes | (StandardTypes & { readonly shape: unknown });

/** A zod schema that takes an object, or an `Annotation.Root`. */
export type ContextSchemaLike = StateTypes | StandardTypes<object | undefined>;

export type IsAny<T> = 0 extends 1 & T ? true : false;
type Types<S extends StandardTypes> = NonNullable<S["~standard"]["types"]>;

/** What a node reads of a schema. */
export type SchemaState<S> =
  IsAny<S> extends true
    ? unknown
    : S extends StateTypes
      ? S["State"]
      : S extends StandardTypes
        ? Types<S>["output"]
        : unknown;

/** What a node writes to a schema. */
export type SchemaUpdate<S> =
  IsAny<S> extends true
    ? unknown
    : S extends StateTypes
      ? S["Update"]
      : S extends StandardTypes
        ? Types<S>["input"]
        : unknown;

/** What a caller's `context` is after its schema: defaults filled in. */
export type SchemaContext<S> = S extends StandardTypes
  ? Types<S>["output"]
  : S extends StateTypes
    ? S["State"]
    : unknown;

/** What a caller passes as `context`: keys with defaults may be missing. */
export type SchemaContextInput<S> =
  IsAny<S> extends true
    ? unknown
    : S extends StandardTypes
      ? GivenOrNot<Types<S>["input"]>
      : S extends StateTypes
        ? S["State"]
        : unknown;

/** Of a context that may be left out, all keys may. */
type GivenOrNot<Input> = undefined extends Input ? Partial<NonNullable<Input>> : Input;

/** Without private keys, which begin with `_`, and without those that are the agent's own. */
export type PublicKeys<S> = unknown extends S
  ? unknown
  : { [K in keyof S as K extends `_${string}` | "messages" | "full_messages" ? never : K]: S[K] };

// oxlint-disable typescript/no-empty-object-type -- no keys are known, as `keyof` has to see
/**
 * The state that a schema declares, as nodes read it: of a zod object, a `StateSchema` or an `Annotation.Root`.
 *
 * @example
 * const State = z.object({ visits: z.number().default(0) });
 * type Value = InferSchemaValue<typeof State>; // { visits: number }
 */
export type InferSchemaValue<S extends StateSchemaLike | undefined> = [S] extends [undefined]
  ? {}
  : SchemaState<S>;

/**
 * What is written to the state that a schema declares; keys with defaults may be missing.
 *
 * @example
 * type Input = InferSchemaInput<typeof State>; // { visits?: number | undefined }
 */
export type InferSchemaInput<S extends StateSchemaLike | undefined> = [S] extends [undefined]
  ? {}
  : SchemaUpdate<S>;
// oxlint-enable typescript/no-empty-object-type

/** What a schema's keys take: of a zod object its input, of an `Annotation.Root` its state. */
export type InferChannelType<S extends StateSchemaLike> = S extends StateTypes ? S["State"] : SchemaUpdate<S>;

/**
 * What the callers of an agent with this `contextSchema` pass.
 *
 * @example
 * const Caller = z.object({ user: z.string(), tone: z.string().default("kind") });
 * type Context = InferContextInput<typeof Caller>; // { user: string; tone?: string | undefined }
 */
export type InferContextInput<S extends ContextSchemaLike> = SchemaContextInput<S>;
