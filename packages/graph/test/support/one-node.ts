import { Annotation, MemorySaver, START, StateGraph } from "@skein/graph";

/** A graph of one node, to be called in ways that mean nothing. */
export const State = Annotation.Root({
  log: Annotation<string[], string>({ reducer: (left, right) => [...left, right], default: () => [] }),
});
export const builder = () => new StateGraph(State).addNode("n", () => ({ log: "n" })).addEdge(START, "n");
/** With threads of its own: test files share this module. */
export const graphOfOneNode = () => builder().compile({ checkpointer: new MemorySaver() });
export const thread = { configurable: { thread_id: "1" } };

/** As a program without types gives it. */
export const untyped = (value: unknown): never => value as never;
