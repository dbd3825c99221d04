import { Graph } from "@langchain/core/runnables/graph";

type Edge = Graph["edges"][number];

/** A graph to be drawn: as Mermaid, by LangChain's own class, as DOT or as plain text. */
export class DrawableGraph extends Graph {
  /**
   * The graph in the language of Graphviz. Conditional edges are dashed.
   *
   * @example
   * writeFileSync("graph.dot", (await graph.getGraphAsync({ xray: true })).drawDot());
   */
  drawDot(): string {
    const first = this.firstNode()?.id;
    const last = this.lastNode()?.id;
    const nodes = Object.values(this.nodes).map(({ id, name }) => {
      const shape = id === first || id === last ? ", shape=oval" : "";
      return `  ${quoted(id)} [label=${quoted(name)}${shape}];`;
    });
    const edges = this.edges.map(
      (edge) => `  ${quoted(edge.source)} -> ${quoted(edge.target)}${dotAttributes(edge)};`,
    );
    return ["digraph {", "  node [shape=box];", ...nodes, ...edges, "}", ""].join("\n");
  }

  /**
   * The graph as text: every node with what comes after it, `-->` always, `..>` on a condition.
   *
   * @example
   * console.log(graph.getGraph().drawText());
   */
  drawText(): string {
    const lines: string[] = [];
    for (const { id } of Object.values(this.nodes)) {
      lines.push(id);
      for (const edge of this.edges) {
        if (edge.source !== id) continue;
        const label = edge.data === undefined ? "" : ` (${edge.data})`;
        lines.push(`  ${edge.conditional === true ? "..>" : "-->"} ${edge.target}${label}`);
      }
    }
    return `${lines.join("\n")}\n`;
  }
}

function dotAttributes({ data, conditional }: Edge): string {
  const attributes = [
    ...(data === undefined ? [] : [`label=${quoted(data)}`]),
    ...(conditional === true ? ["style=dashed"] : []),
  ];
  return attributes.length === 0 ? "" : ` [${attributes.join(", ")}]`;
}

/** A string of DOT: its only escapes are those of quotes and backslashes. */
function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}
