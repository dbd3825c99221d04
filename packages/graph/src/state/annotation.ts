import type { RunnableConfig, RunnableInterface } from "@langchain/core/runnables";
import type { Awaitable } from "@skein/checkpointer";
import { GraphError, shown } from "@skein/errors";
import type { BaseChannel, ChannelSpec } from "../channels/base.ts";
import type { BinaryOperator } from "../channels/binop.ts";
import type { ChannelField } from "../channels/field.ts";
import { LastValue } from "../channels/last-value.ts";
import type { Overwrite } from "../channels/overwrite.ts";
import { KnownOptions } from "../errors/known-options.ts";
import { mergeState } from "./merge.ts";
import { reducerChannel } from "./reducer-channel.ts";

/** How a key merges what is written to it; without a reducer the last value stays. */
export type SingleReducer<Value, Update = Value> =
  | { reducer: BinaryOperator<Value, Update>; default?: () => Value }
  | { value: BinaryOperator<Value, Update>; default?: () => Value }
  | null;

/** Keys of a state and their channels. */
export interface StateDefinition {
  [key: string]: ChannelSpec | ChannelField;
}

// what is no channel is the value itself: programs of the form `new StateGraph<State>({channels})` name it
type ValueOf<C> = C extends { ValueType: infer V } ? V : C extends () => { ValueType: infer V } ? V : C;
type UpdateOf<C> = C extends { UpdateType: infer U } ? U : C extends () => { UpdateType: infer U } ? U : C;

/** The state that a definition describes. */
export type StateType<SD> = { [K in keyof SD]: ValueOf<SD[K]> };
/** What may be written to it. */
export type UpdateType<SD> = { [K in keyof SD]?: UpdateOf<SD[K]> };

/** A node over a state. */
export type NodeType<SD> = NodeOver<StateType<SD>, UpdateType<SD>>;

/** A node that reads and writes these; its config is that of any Runnable, so that it fits every graph. */
export type NodeOver<State, Update> =
  | ((state: State, config: RunnableConfig) => Awaitable<Update>)
  | RunnableInterface<State, Update>;

interface AnnotationFunction {
  <Value, Update = Value>(
    annotation: SingleReducer<Value, Update>,
  ): BaseChannel<Value, Overwrite<Value> | Update, unknown>;
  <Value>(): LastValue<Value>;
  Root: <SD extends StateDefinition>(definition: SD) => AnnotationRoot<SD>;
}

/** A state: its keys, and how each merges what is written to it. */
export class AnnotationRoot<SD extends StateDefinition = StateDefinition> {
  readonly lc_graph_name = "AnnotationRoot";
  /** `typeof State.State`: the state's type. */
  declare State: StateType<SD>;
  /** `typeof State.Update`: the type of what nodes return. */
  declare Update: UpdateType<SD>;
  /** `typeof State.Node`: the type of a node over this state. */
  declare Node: NodeType<SD>;
  readonly spec: SD;

  constructor(spec: SD) {
    if (typeof spec !== "object" || (spec as SD | null) === null) {
      throw new GraphError(
        "INVALID_STATE_SCHEMA",
        `Annotation.Root() takes the keys of a state, as in {topic: Annotation<string>}, not ${shown(spec)}.`,
      );
    }
    this.spec = spec;
  }
  /**
   * Merges a partial state by hand, with the reducers of the keys: without a graph, a thread or a
   * checkpointer. Neither argument is changed.
   */
  merge(state: Partial<StateType<SD>>, update: UpdateType<SD>): StateType<SD> {
    return mergeState(this.spec, state, update) as StateType<SD>;
  }
  static isInstance(value: unknown): value is AnnotationRoot {
    return (
      typeof value === "object" &&
      value !== null &&
      (value as { lc_graph_name?: unknown }).lc_graph_name === "AnnotationRoot"
    );
  }
}

const FIELD = new KnownOptions("Annotation()", "reducer value default");

export function annotate(annotation?: SingleReducer<unknown, unknown>): BaseChannel {
  if (annotation === undefined || annotation === null) return new LastValue();
  // a function is `Annotation(Annotation)`, a key without a reducer, as in LangGraph
  if (typeof annotation !== "object" && typeof annotation !== "function") {
    throw new GraphError(
      "INVALID_STATE_SCHEMA",
      `Annotation() takes {reducer, default}, or nothing, not ${shown(annotation)}.`,
    );
  }
  FIELD.warn(annotation);
  const initial = annotation.default ?? undefined;
  if (initial !== undefined && typeof initial !== "function") {
    throw new GraphError(
      "INVALID_STATE_SCHEMA",
      `The default of a key is a function that makes it, as in {default: () => []}, not ${shown(initial)}.`,
    );
  }
  const reducer = "reducer" in annotation ? annotation.reducer : annotation.value;
  if (reducer === undefined || reducer === null) return new LastValue(initial);
  return reducerChannel(reducer, initial);
}

/**
 * Declares the keys of a state. `Annotation<T>` keeps the last value; `Annotation<T>({reducer,
 * default})` merges.
 *
 * @example
 * const State = Annotation.Root({
 *   topic: Annotation<string>,
 *   notes: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
 * });
 */
export const Annotation: AnnotationFunction = Object.assign(annotate, {
  Root: <SD extends StateDefinition>(definition: SD) => new AnnotationRoot(definition),
}) as never;
