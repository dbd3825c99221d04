import type { RunnableInterface } from "@langchain/core/runnables";
import { GraphError, shown } from "@skein/errors";
import { END, START } from "../ids/names.ts";
import type { Branch } from "../program/program.ts";
import { toAction } from "./action.ts";

/** What leads from one node to the next: one start, or several as a join. */
export type Edge = [starts: readonly string[], end: string, join: boolean];

/** @throws GraphError INVALID_EDGE when it starts or ends where no edge can (A8) */
export function toEdge(start: string | readonly string[], end: string): Edge {
  const join = Array.isArray(start);
  const starts = (join ? start : [start]) as readonly string[];
  const wrong = wrongEdge(starts, end, join);
  if (wrong !== undefined) throw new GraphError("INVALID_EDGE", wrong);
  return [starts, end, join];
}

function wrongEdge(starts: readonly string[], end: string, join: boolean): string | undefined {
  if (starts.length === 0 || [...starts, end].some((name: unknown) => typeof name !== "string")) {
    return "An edge leads from a node's name, or a list of some, to a node's name.";
  }
  if (starts.includes(END)) return "END cannot be the start of an edge.";
  if (join && starts.includes(START)) return "START cannot be part of a join.";
  if (end === START) return "START cannot be the end of an edge.";
  return join && end === END ? "END cannot be the end of a join." : undefined;
}

/** A condition of a node, under a name of its own. @throws GraphError when the node has one of that name */
export function toBranch(source: string, known: readonly Branch[], path: unknown, pathMap: unknown): Branch {
  const { action, runnable } = toAction("condition", path);
  const name = branchName(path, runnable);
  if (known.some((branch) => branch.name === name)) {
    throw new GraphError(
      "DUPLICATE_NODE",
      `Condition "${name}" already present for node "${source}". Name the functions differently.`,
      { details: { node: source, branch: name } },
    );
  }
  const choose = action as Branch["choose"];
  return { name, choose, runnable: runnable !== undefined, ends: endsOf(pathMap) };
}

function endsOf(pathMap: unknown): Map<string, string> | undefined {
  if (pathMap === undefined || pathMap === null) return undefined;
  if (typeof pathMap !== "object") {
    throw new GraphError(
      "INVALID_EDGE",
      `The map of a condition is a list of nodes' names, or an object of them, not ${shown(pathMap)}.`,
    );
  }
  if (Array.isArray(pathMap)) return new Map(pathMap.map((name: string) => [name, name]));
  return new Map<string, string>(Object.entries(pathMap as object));
}

function branchName(path: unknown, runnable: unknown): string {
  if (typeof path === "function") return path.name === "" || path.name === "path" ? "condition" : path.name;
  const name = (runnable as RunnableInterface & { getName(): string }).getName();
  return name === "RunnableLambda" ? "condition" : name;
}

/** Edges as LangGraph's builder shows them. */
export function singleEdges(edges: readonly Edge[]): Set<[string, string]> {
  return new Set(edges.flatMap(([[start], end, join]) => (join ? [] : [[start as string, end]])));
}

/** Conditions as LangGraph's builder shows them. */
export function byName(branches: ReadonlyMap<string, Branch[]>): Record<string, Record<string, Branch>> {
  const shown = [...branches].map(
    ([source, of]) => [source, Object.fromEntries(of.map((one) => [one.name, one]))] as const,
  );
  return Object.fromEntries(shown);
}
