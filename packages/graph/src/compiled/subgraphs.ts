import type { Program } from "../program/program.ts";

/**
 * The graphs that nodes of a graph call, by the names of the nodes on the way, joined with "|".
 *
 * @param namespace - only the one at this place
 * @param recurse - also the graphs that those call
 */
export function* subgraphsOf<G extends { readonly program: Program }>(
  graph: G,
  namespace: string | undefined,
  recurse: boolean,
  isGraph: (value: unknown) => value is G,
): Generator<[string, G]> {
  for (const [name, { subgraphs }] of graph.program.nodes) {
    const subgraph = subgraphs.find(isGraph);
    if (subgraph === undefined) continue;
    if (namespace === undefined || namespace === name) yield [name, subgraph];
    if (!recurse || namespace === name) continue;
    if (namespace !== undefined && !namespace.startsWith(`${name}|`)) continue;
    const rest = namespace?.slice(name.length + 1);
    for (const [inner, found] of subgraphsOf(subgraph, rest, true, isGraph))
      yield [`${name}|${inner}`, found];
  }
}
