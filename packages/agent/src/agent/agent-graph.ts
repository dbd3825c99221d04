import type { CompiledStateGraph, StateDefinition } from "@skein/graph";

/** The compiled graph of an agent whose callers get this state. */
export type AgentGraph<TState = unknown> = CompiledStateGraph<
  TState,
  unknown,
  string,
  StateDefinition,
  { State: TState }
>;
