import * as langgraph from "@langchain/langgraph";
import * as langgraphPrebuilt from "@langchain/langgraph/prebuilt";
import * as skein from "@skein/graph";
import * as skeinPrebuilt from "@skein/graph/prebuilt";

/** The module a program is written against. Programs are typed against the original. */
export type LangGraph = typeof langgraph;

export interface Engine {
  readonly name: "langgraph" | "skein";
  readonly lg: LangGraph;
}

export const oracle: Engine = { name: "langgraph", lg: langgraph };

/** The cast is the claim that this package puts to the test. */
export const ours: Engine = { name: "skein", lg: skein as unknown as LangGraph };

/** The module `./prebuilt` of the engine whose main module is given. */
export function prebuiltOf(lg: LangGraph): typeof langgraphPrebuilt {
  return lg === oracle.lg ? langgraphPrebuilt : (skeinPrebuilt as unknown as typeof langgraphPrebuilt);
}
