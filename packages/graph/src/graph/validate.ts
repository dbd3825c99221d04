import { GraphError } from "@skein/errors";
import { UnreachableNodeError } from "../errors/errors.ts";
import { END, START } from "../ids/names.ts";
import type { Branch } from "../program/program.ts";

/** A graph as it was built, before it is compiled. */
export interface Drawn {
  readonly nodes: ReadonlyMap<string, { readonly ends: readonly string[] | undefined }>;
  readonly edges: readonly (readonly [starts: readonly string[], end: string, join: boolean])[];
  readonly branches: ReadonlyMap<string, readonly Branch[]>;
}

/** @throws GraphError when the graph cannot work (A8) */
export function validateGraph(graph: Drawn, breakpoints: readonly string[]): void {
  for (const [starts, end] of graph.edges) {
    for (const start of starts) assertKnown(graph, start, "starts at", START);
    assertKnown(graph, end, "leads to", END);
  }
  for (const [start, branches] of graph.branches) {
    assertKnown(graph, start, "branches from", START);
    for (const branch of branches) {
      for (const end of branch.ends?.values() ?? [])
        assertKnown(graph, end, `of branch "${branch.name}" leads to`, END);
    }
  }
  for (const [name, node] of graph.nodes) {
    for (const end of node.ends ?? []) assertKnown(graph, end, `of node "${name}" leads to`, END);
  }
  assertReachable(graph);
  for (const name of breakpoints) {
    if (graph.nodes.has(name)) continue;
    throw new GraphError(
      "UNKNOWN_NODE",
      `interruptBefore or interruptAfter names "${name}", which is no node.`,
      {
        details: { node: name },
      },
    );
  }
}

function assertKnown(graph: Drawn, name: string, what: string, also: string): void {
  if (name === also || graph.nodes.has(name)) return;
  throw new GraphError(
    "UNKNOWN_NODE",
    `An edge ${what} "${name}", which is no node. Add it with addNode("${name}", ...). Nodes: ${[...graph.nodes.keys()].join(", ") || "none"}.`,
    { details: { node: name } },
  );
}

/**
 * Something must lead to each node. Whether START leads there cannot be known: a node may go
 * anywhere by returning a Command.
 */
function assertReachable(graph: Drawn): void {
  const sources = new Set(graph.edges.flatMap(([starts]) => starts));
  if (!sources.has(START) && !graph.branches.has(START)) {
    throw new GraphError("NO_ENTRY_POINT", "The graph has no entry. Add one with addEdge(START, node).");
  }
  const targets = new Set(graph.edges.map(([, end]) => end));
  for (const [start, branches] of graph.branches) {
    for (const branch of branches) {
      // without a path map a branch may choose any other node
      const ends = branch.ends?.values() ?? [...graph.nodes.keys()].filter((name) => name !== start);
      for (const end of ends) targets.add(end);
    }
  }
  for (const node of graph.nodes.values()) for (const end of node.ends ?? []) targets.add(end);
  for (const name of graph.nodes.keys()) {
    if (targets.has(name)) continue;
    throw new UnreachableNodeError(
      `Node "${name}" is not reachable: nothing leads to it. Add an edge to it; if nodes go to it by returning Commands, name it in their option {ends: ["${name}"]}.`,
      { details: { node: name } },
    );
  }
}
