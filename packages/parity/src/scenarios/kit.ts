import { z } from "zod";
import type { LangGraph } from "../engines.ts";

/** The state most scenarios use: an appended list, a sum, and a key without reducer. */
export function trailState(lg: LangGraph) {
  return lg.Annotation.Root({
    trail: lg.Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
    total: lg.Annotation<number>({ reducer: (left, right) => left + right, default: () => 0 }),
    last: lg.Annotation<string>(),
  });
}

/** A log kept as deltas, stored as a whole after `every` updates, and a plain key. */
export function deltaState(lg: LangGraph, every?: number) {
  return new lg.StateSchema({
    log: new lg.DeltaValue(
      z.array(z.string()).default(() => []),
      {
        inputSchema: z.string(),
        reducer: (log: string[], lines: string[]) => [...log, ...lines],
        ...(every === undefined ? {} : { snapshotFrequency: every }),
      },
    ),
    last: z.string().default(""),
  });
}

export type Trail = ReturnType<typeof trailState>["State"];

/** A node that leaves its name. */
export const leaves = (name: string) => (): Partial<Trail> => ({ trail: [name], total: 1 });

/** A graph of one node, called "real". */
export const oneNode = (lg: LangGraph) =>
  new lg.StateGraph(trailState(lg)).addNode("real", leaves("real")).addEdge(lg.START, "real");

/** A graph of one node, which sets `last`. */
export function lastIn(lg: LangGraph) {
  return new lg.StateGraph(lg.Annotation.Root({ last: lg.Annotation<string>() }))
    .addNode("in", () => ({ last: "in" }))
    .addEdge(lg.START, "in")
    .compile();
}

export const thread = (id: string, more: object = {}): { configurable: { thread_id: string } } => ({
  configurable: { thread_id: id, ...more },
});

/** Lets other tasks of the step go first; the order they finish in must not be seen. */
export const late = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
