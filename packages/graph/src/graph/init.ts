import { GraphError } from "@skein/errors";
import { isChannel, type BaseChannel } from "../channels/base.ts";
import type { CompiledSettings } from "../compiled/prepare.ts";
import { StateGraphInputError } from "../errors/errors.ts";
import {
  annotate,
  type AnnotationRoot,
  type SingleReducer,
  type StateDefinition,
} from "../state/annotation.ts";
import { isObjectSchema, isStateDefinitionInit, type StateOf } from "../state/definition.ts";
import { isStandardSchema, validated } from "../state/standard.ts";

/** A graph's schemas in one object. */
export interface GraphInit<
  SD = unknown,
  I = unknown,
  O = unknown,
  C = unknown,
  N extends string = string,
  Interrupt = unknown,
  Writer = unknown,
> {
  state?: SD;
  stateSchema?: SD;
  /** What a call may write. Default: the state. */
  input?: I;
  /** What a call returns. Default: the state. */
  output?: O;
  /** What a call may pass as `context`. */
  context?: C;
  /**
   * What nodes find as `config.interrupt`: `interrupt` with the types of question and answer, or
   * several such by name. Default: `interrupt`.
   *
   * @example
   * new StateGraph({ state: State, interrupt: { approve: interrupt<string, boolean> } });
   */
  interrupt?: Interrupt;
  /** The type of what nodes write to the stream mode "custom": `writer<T>`. Default: anything. */
  writer?: Writer;
  /** Names of the nodes to come, for edges that are added before them. */
  nodes?: N[];
}

/** A graph's schemas beside its state. */
export type StateGraphOptions<
  I = unknown,
  O = unknown,
  C = unknown,
  N extends string = string,
  Interrupt = unknown,
  Writer = unknown,
> = Omit<GraphInit<unknown, I, O, C, N, Interrupt, Writer>, "state" | "stateSchema">;

/** An Annotation.Root, by its definition: that of a type parameter may be anything. */
export interface RootOf<SD> {
  readonly spec: SD;
  readonly lc_graph_name: "AnnotationRoot";
}

/** A state in the form of LangGraph's first versions. New programs say `Annotation.Root`. */
export interface StateGraphArgs<S> {
  // oxlint-disable-next-line typescript/no-explicit-any -- what is written may differ from what is kept
  channels: { [K in keyof S]: SingleReducer<S[K], any> | BaseChannel<any, any, any> };
}
/** Schemas by name. */
export interface StateGraphArgsWithStateSchema<
  SD extends StateDefinition,
  I extends StateDefinition,
  O extends StateDefinition,
> {
  stateSchema: AnnotationRoot<SD>;
  input?: AnnotationRoot<I>;
  output?: AnnotationRoot<O>;
}
/** Schemas by name, of which the input is the state as well. */
export interface StateGraphArgsWithInputOutputSchemas<
  SD extends StateDefinition,
  O extends StateDefinition = SD,
> {
  input: AnnotationRoot<SD>;
  output: AnnotationRoot<O>;
}

/** What may stand in the place of the options: a context's schema, of any library, or its definition. */
export type KnownContext<C> = C extends
  | { readonly "~standard": unknown }
  | { readonly spec: object }
  | { readonly fields: object }
  | StateDefinition
  ? C
  : never;

/** The type of `context` for a context schema. */
export type ContextOf<C> = unknown extends C
  ? Record<string, unknown>
  : SchemaOutput<C> extends infer Context extends Record<string, unknown>
    ? Context
    : Record<string, unknown>;
// a caller may leave out what the schema does not require
type SchemaOutput<C> = C extends { _zod: { output: infer Context } } | { _output: infer Context }
  ? Context
  : StateOf<C>;

interface Parts {
  readonly state: unknown;
  readonly input: unknown;
  readonly output: unknown;
  readonly context: unknown;
  readonly interrupt: unknown;
}

/** @throws StateGraphInputError when there is no state in it */
export function normalizeInit(init: unknown, options: unknown): Parts {
  const isContext = isStandardSchema(options) || isStateDefinitionInit(options);
  const more = (isContext ? { context: options } : (options ?? {})) as Partial<Parts>;
  const { input, output, context, interrupt } = more;
  const state = stateOf(init);
  if (state !== undefined) return { state, input, output, context, interrupt };
  if (typeof init !== "object" || init === null) throw new StateGraphInputError();
  const given = init as Partial<Parts> & { stateSchema?: unknown };
  const named = given.state ?? given.stateSchema ?? given.input;
  if (!isStateDefinitionInit(named)) throw new StateGraphInputError();
  return {
    state: named,
    input: given.input ?? input,
    output: given.output ?? output,
    context: given.context ?? context,
    interrupt: given.interrupt ?? interrupt,
  };
}

/** A state that is the whole argument: a definition, or the old form `{channels}`. */
function stateOf(init: unknown): unknown {
  if (isStateDefinitionInit(init)) return init;
  const { channels } = (init ?? {}) as { channels?: unknown };
  if (typeof channels !== "object" || channels === null) return undefined;
  const fields = Object.entries(channels as Record<string, SingleReducer<unknown>>);
  return Object.fromEntries(fields.map(([key, field]) => [key, isChannel(field) ? field : annotate(field)]));
}

/**
 * Checks a call's `context` against the schema, and fills in its defaults. What the schema does not know
 * stays: it may be for graphs that nodes call, or for an agent's middleware. A call without a context
 * may have in `configurable` what the schema asks for, as in older programs.
 */
export function contextParser(schema: unknown): CompiledSettings["parseContext"] {
  if (!isStandardSchema(schema)) return undefined;
  return (context, configurable) => {
    const isGiven = context !== undefined;
    if (!isGiven && !isObjectSchema(schema)) return undefined;
    const result = validated(schema, isGiven ? context : configurable, "The call's {context: {...}}");
    if (result.issues === undefined) return isGiven ? withUnknown(context, result.value) : undefined;
    throw new GraphError(
      "INVALID_INPUT",
      `The call's {context: {...}} does not fit its schema: ${JSON.stringify(result.issues)}`,
      { details: { issues: result.issues } },
    );
  };
}

function withUnknown(given: unknown, parsed: unknown): unknown {
  if (typeof given !== "object" || given === null || typeof parsed !== "object") return parsed;
  const known = Object.entries(parsed ?? {});
  if (known.every(([key, value]) => Object.is((given as Record<string, unknown>)[key], value))) return given;
  // an object of a class stays one
  const copy: object = Object.create(
    Object.getPrototypeOf(given) as object | null,
    Object.getOwnPropertyDescriptors(given),
  );
  for (const [key, value] of known)
    Object.defineProperty(copy, key, { value, writable: true, enumerable: true, configurable: true });
  return copy;
}
