import type { InteropZodObject } from "@langchain/core/utils/types";
import { GraphError } from "@skein/errors";
import { StateGraphInputError } from "../errors/errors.ts";
import { annotate, type SingleReducer } from "../state/annotation.ts";
import { isStateDefinitionInit, type StateOf } from "../state/definition.ts";
import { isStandardSchema } from "../state/standard.ts";

/** A graph's schemas in one object. */
export interface GraphInit<SD, I, O, C> {
  state?: SD;
  stateSchema?: SD;
  /** What a call may write. Default: the state. */
  input?: I;
  /** What a call returns. Default: the state. */
  output?: O;
  /** What a call may pass as `context`. */
  context?: C;
}

/** The type of `context` for a context schema. */
export type ContextOf<C> = unknown extends C
  ? Record<string, unknown>
  : StateOf<C> extends Record<string, unknown>
    ? StateOf<C>
    : Record<string, unknown>;

interface Parts {
  readonly state: unknown;
  readonly input: unknown;
  readonly output: unknown;
  readonly context: unknown;
}

/** @throws StateGraphInputError when there is no state in it */
export function normalizeInit(init: unknown, options: unknown): Parts {
  const isContext = isStandardSchema(options) || isStateDefinitionInit(options);
  const more = (isContext ? { context: options } : (options ?? {})) as Partial<Parts>;
  if (isStateDefinitionInit(init)) {
    return { state: init, input: more.input, output: more.output, context: more.context };
  }
  if (typeof init !== "object" || init === null) throw new StateGraphInputError();
  const given = init as Partial<Parts> & { stateSchema?: unknown; channels?: unknown };
  if (typeof given.channels === "object" && given.channels !== null) {
    const fields = Object.entries(given.channels as Record<string, SingleReducer<unknown>>);
    const state = Object.fromEntries(fields.map(([key, field]) => [key, annotate(field)]));
    return { state, input: more.input, output: more.output, context: more.context };
  }
  const state = given.state ?? given.stateSchema ?? given.input;
  if (!isStateDefinitionInit(state)) throw new StateGraphInputError();
  return {
    state,
    input: given.input ?? more.input,
    output: given.output ?? more.output,
    context: given.context ?? more.context,
  };
}

/** Checks a call's `context` against the schema, and fills in its defaults. */
export function contextParser(schema: unknown): ((context: unknown) => unknown) | undefined {
  if (!isStandardSchema(schema)) return undefined;
  return (context) => {
    if (context === undefined) return undefined;
    const result = schema["~standard"].validate(context);
    if (result instanceof Promise) {
      throw new GraphError("INVALID_CONFIGURATION", "A context schema must validate synchronously.");
    }
    if (result.issues === undefined) return result.value;
    throw new GraphError(
      "INVALID_INPUT",
      `The context does not fit its schema: ${JSON.stringify(result.issues)}`,
    );
  };
}

export type { InteropZodObject };
