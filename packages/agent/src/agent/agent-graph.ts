import type { CompiledStateGraph } from "@skein/graph";

/** The compiled graph of an agent. */
export type AgentGraph = CompiledStateGraph<unknown, unknown, string>;
