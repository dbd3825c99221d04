import { GraphError } from "@skein/errors";
import { UnreachableNodeError } from "../errors/errors.ts";
import { END, START } from "../ids/names.ts";
import type { Branch } from "../program/program.ts";

/** A graph as it was built, before it is compiled. */
export interface Drawn {
  readonly nodes: ReadonlyMap<
    string,
    { readonly ends: readonly string[] | undefined; readonly isErrorHandler: boolean }
  >;
  readonly edges: readonly (readonly [starts: readonly string[], end: string, join: boolean])[];
  readonly branches: ReadonlyMap<string, readonly Branch[]>;
}

/**
 * @param handled - failures of all nodes lead to a handler
 * @throws GraphError when the graph cannot work (A8)
 */
export function validateGraph(graph: Drawn, breakpoints: readonly string[], handled: boolean): void {
  for (const [starts] of graph.edges) {
    for (const start of starts) if (start !== START) assertNode(graph, start, "An edge starts at");
  }
  for (const start of graph.branches.keys()) {
    if (start !== START) assertNode(graph, start, "An edge branches from");
  }
  assertEntry(graph);
  const lost = handled ? undefined : unreachable(graph);
  for (const [what, end] of ends(graph)) if (end !== END) assertNode(graph, end, what, lost);
  if (lost !== undefined) {
    throw new UnreachableNodeError(
      `Node "${lost}" is not reachable: nothing leads to it. Add an edge to it; if nodes go to it by returning Commands, name it in their option {ends: ["${lost}"]}.`,
      { details: { node: lost } },
    );
  }
  for (const name of breakpoints) {
    if (graph.nodes.has(name)) continue;
    throw new GraphError(
      "UNKNOWN_NODE",
      `interruptBefore or interruptAfter names "${name}", which is no node.`,
      { details: { node: name } },
    );
  }
}

/** Where edges, path maps and nodes' own `ends` lead, each with the words to say so. */
function* ends(graph: Drawn): Generator<readonly [what: string, end: string]> {
  for (const [, end] of graph.edges) yield ["An edge leads to", end];
  for (const branches of graph.branches.values()) {
    for (const branch of branches) {
      for (const end of branch.ends?.values() ?? [])
        yield [`An edge of branch "${branch.name}" leads to`, end];
    }
  }
  for (const [name, node] of graph.nodes) {
    for (const end of node.ends ?? []) yield [`An edge of node "${name}" leads to`, end];
  }
}

/** @param lost - a node that nothing leads to: probably what the unknown name was to be */
function assertNode(graph: Drawn, name: string, what: string, lost?: string): void {
  if (graph.nodes.has(name)) return;
  const known = [...graph.nodes.keys()].join(", ") || "none";
  const message = `${what} "${name}", which is no node. Add it with addNode("${name}", ...). Nodes: ${known}.`;
  const details = { node: name };
  if (lost === undefined) throw new GraphError("UNKNOWN_NODE", message, { details });
  throw new UnreachableNodeError(`${message} Nothing leads to "${lost}".`, { code: "UNKNOWN_NODE", details });
}

function assertEntry(graph: Drawn): void {
  if (graph.branches.has(START) || graph.edges.some(([starts]) => starts.includes(START))) return;
  throw new UnreachableNodeError("The graph has no entry. Add one with addEdge(START, node).", {
    code: "NO_ENTRY_POINT",
  });
}

/**
 * A node that nothing leads to. Whether START leads to the others cannot be known: a node may go
 * anywhere by returning a Command.
 */
function unreachable(graph: Drawn): string | undefined {
  const targets = new Set<string>();
  for (const [, end] of ends(graph)) targets.add(end);
  for (const [start, branches] of graph.branches) {
    // without a path map a branch may choose any other node
    if (branches.every((branch) => branch.ends !== undefined)) continue;
    for (const name of graph.nodes.keys()) if (name !== start) targets.add(name);
  }
  // an error handler is led to by failures, and may lead anywhere
  if ([...graph.nodes.values()].some(({ isErrorHandler }) => isErrorHandler)) return undefined;
  return [...graph.nodes.keys()].find((name) => !targets.has(name));
}
