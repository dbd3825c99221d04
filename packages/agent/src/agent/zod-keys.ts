import { getInteropZodObjectShape, type InteropZodObject } from "@langchain/core/utils/types";
import {
  type BaseChannel,
  BinaryOperatorAggregate,
  END,
  LastValue,
  messagesStateReducer,
  ReducedValue,
  START,
  StateGraph,
  type StateSchemaField,
  type StateSchemaFields,
} from "@skein/graph";

type Schema = StateSchemaField & StandardSchema & { readonly lg_reducer_schema?: StandardSchema };

interface StandardSchema {
  readonly "~standard": { validate(value: unknown): Result | Promise<Result> };
}
type Result = { readonly issues?: readonly unknown[] | undefined; readonly value?: unknown };

/**
 * The keys of a zod object, with the reducers and beginnings that `withLangGraph` and `.register()` gave
 * them. Only the engine knows of these: it is asked for the channels of a graph over that state.
 */
export function zodKeys(schema: InteropZodObject): StateSchemaFields {
  const shape = getInteropZodObjectShape(schema) as Record<string, Schema>;
  const channels = channelsOf(schema, Math.max(0, ...Object.keys(shape).map(({ length }) => length)));
  const keys = Object.entries(shape).map(([key, field]): [string, StateSchemaField] => {
    const channel = channels?.get(key);
    return [key, channel === undefined ? field : asDeclared(field, channel)];
  });
  return Object.fromEntries(keys);
}

/** @param longest - key, in characters: a node must have a name that no key has */
function channelsOf(schema: InteropZodObject, longest: number): ReadonlyMap<string, BaseChannel> | undefined {
  const node = "n".repeat(longest + 1);
  try {
    const graph = new StateGraph(schema as never) as unknown as StateGraph<object>;
    return graph
      .addNode(node, () => ({}))
      .addEdge(START, node)
      .addEdge(node, END)
      .compile().program.channels;
  } catch {
    // no state by itself, as one with refinements; of its keys an agent's may be made all the same
    return undefined;
  }
}

function asDeclared(field: Schema, channel: BaseChannel): StateSchemaField {
  if (channel instanceof LastValue) return withInitial(field, channel.initialValueFactory);
  const isAny = channel instanceof BinaryOperatorAggregate;
  const reducer = isAny ? (channel.operator as never) : messagesStateReducer;
  const { initialValueFactory } = channel as { readonly initialValueFactory?: () => unknown };
  return new ReducedValue(withInitial(field, initialValueFactory) as never, {
    reducer: reducer as never,
    inputSchema: (field.lg_reducer_schema ?? orWritten(field)) as never,
  });
}

/** `.register()` does not say what one write is: what the key's own schema refuses may be one. */
function orWritten(field: Schema): StandardSchema {
  const validate = (value: unknown): Result | Promise<Result> => {
    const result = field["~standard"].validate(value);
    return result instanceof Promise
      ? result.then((late) => unlessRefused(late, value))
      : unlessRefused(result, value);
  };
  return { "~standard": { ...field["~standard"], validate } };
}

const unlessRefused = (result: Result, value: unknown): Result =>
  result.issues === undefined ? result : { value };

/** A schema that makes something of a value that is not there; itself where it can not be told to, as in zod mini. */
export function withInitial(field: StateSchemaField, initial: (() => unknown) | undefined): StateSchemaField {
  const { default: withDefault } = field as { default?: (make: () => unknown) => StateSchemaField };
  return initial === undefined || withDefault === undefined ? field : withDefault.call(field, initial);
}
