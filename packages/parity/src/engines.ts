import * as langgraph from "@langchain/langgraph";
import * as skein from "@skein/graph";

/** The module a program is written against. Programs are typed against the original. */
export type LangGraph = typeof langgraph;

export interface Engine {
  readonly name: "langgraph" | "skein";
  readonly lg: LangGraph;
}

export const oracle: Engine = { name: "langgraph", lg: langgraph };

/** The cast is the claim that this package puts to the test. */
export const ours: Engine = { name: "skein", lg: skein as unknown as LangGraph };
