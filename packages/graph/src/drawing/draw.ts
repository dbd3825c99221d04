import { Runnable, RunnableLambda } from "@langchain/core/runnables";
import type { Graph } from "@langchain/core/runnables/graph";
import { GraphError } from "@skein/errors";
import { END, START } from "../ids/names.ts";
import type { Branch, NodeAction } from "../program/program.ts";
import { DrawableGraph } from "./drawable-graph.ts";

/** A graph as it was built. */
export interface Drawable {
  readonly nodes: ReadonlyMap<string, DrawableNode>;
  readonly edges: readonly (readonly [starts: readonly string[], end: string, join: boolean])[];
  readonly branches: ReadonlyMap<string, readonly Branch[]>;
  readonly interruptBefore: readonly string[] | "*" | undefined;
  readonly interruptAfter: readonly string[] | "*" | undefined;
}

interface DrawableNode {
  readonly action: NodeAction;
  readonly runnable: unknown;
  readonly subgraphs: readonly unknown[];
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly ends: readonly string[] | undefined;
  readonly isErrorHandler: boolean;
}

export interface DrawOptions {
  /** Draw what is inside of nodes: all of it, or so many levels. Default: false. */
  readonly xray?: boolean | number | undefined;
}

/** Drawings of what is inside of nodes, by the nodes' names. */
type Insides = ReadonlyMap<string, Graph | undefined>;

/** Draws a graph, and with `xray` the graphs in it. */
export function draw(source: Drawable, options: DrawOptions | null): DrawableGraph {
  const { xray = false } = options ?? {};
  const insides = new Map<string, Graph | undefined>();
  for (const [name, node] of source.nodes) insides.set(name, insideOf(node, xray)?.getGraph(inner(xray)));
  return drawWith(source, insides);
}

/** The same, with graphs in it of which it takes time to know what is inside. */
export async function drawSlowly(source: Drawable, options: DrawOptions | null): Promise<DrawableGraph> {
  const { xray = false } = options ?? {};
  const insides = new Map<string, Graph | undefined>();
  for (const [name, node] of source.nodes) {
    const inside = insideOf(node, xray);
    insides.set(name, await (inside?.getGraphAsync?.(inner(xray)) ?? inside?.getGraph(inner(xray))));
  }
  return drawWith(source, insides);
}

function drawWith(source: Drawable, insides: Insides): DrawableGraph {
  const drawing = new Drawing(source);
  for (const [name, node] of source.nodes) drawing.node(name, node, insides.get(name));
  for (const [start, end] of plainEdges(source)) drawing.edge(start, end);
  for (const [start, branches] of source.branches) {
    for (const branch of branches) {
      for (const [label, end] of branch.ends ?? anyEnd(source, start)) drawing.edge(start, end, label, true);
    }
  }
  for (const [name, node] of source.nodes) {
    for (const end of node.ends ?? []) drawing.edge(name, end, undefined, true);
  }
  drawing.close();
  return drawing.graph;
}

/** Edges without a condition, by start; joins as an edge from each start. */
function plainEdges({ edges }: Drawable): (readonly [start: string, end: string])[] {
  const single = edges.filter(([, , join]) => !join);
  const joins = edges.filter(([, , join]) => join);
  return [...single, ...joins]
    .flatMap(([starts, end]) => starts.map((start) => [start, end] as const))
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** Where a branch without a path map may lead: everywhere else. */
function anyEnd({ nodes }: Drawable, start: string): (readonly [label: string, end: string])[] {
  const names = [...nodes.keys()].filter((name) => name !== start);
  return [...names, END].map((name) => [shown(name), name] as const);
}

/** The name of a node as Mermaid takes it. */
function shown(name: string): string {
  return name === "subgraph" ? `"${name}"` : name;
}

type Drawn = Graph["nodes"][string];

class Drawing {
  readonly graph = new DrawableGraph();
  readonly #source: Drawable;
  /** Where edges from a node start, and where edges to it end: within an open subgraph they differ. */
  readonly #starts = new Map<string, Drawn>();
  readonly #ends = new Map<string, Drawn>();
  readonly #edges: { readonly start: string; readonly end: string; readonly conditional: boolean }[] = [];

  constructor(source: Drawable) {
    this.#source = source;
    this.#starts.set(START, this.graph.addNode(anything(), START));
  }

  node(name: string, node: DrawableNode, inside: Graph | undefined): void {
    if (inside !== undefined && this.#open(shown(name), inside)) return;
    const drawn = this.graph.addNode(
      toRunnable(name, node) as never,
      shown(name),
      this.#metadata(name, node),
    );
    this.#starts.set(name, drawn);
    this.#ends.set(name, drawn);
  }
  /** Draws the nodes of a subgraph in place of the node. Returns false if there is nothing to see. */
  #open(name: string, inside: Graph): boolean {
    inside.trimFirstNode();
    inside.trimLastNode();
    if (Object.keys(inside.nodes).length < 2) return false;
    const [entry, exit] = this.graph.extend(inside, name);
    if (entry === undefined) {
      throw new GraphError(
        "INVALID_CONFIGURATION",
        `Subgraph "${name}" cannot be drawn: it has no single entry.`,
        {
          details: { node: name },
        },
      );
    }
    const key = name.startsWith('"') ? name.slice(1, -1) : name;
    if (exit !== undefined) this.#starts.set(key, { ...exit, name: exit.id });
    this.#ends.set(key, { ...entry, name: entry.id });
    return true;
  }
  #metadata(name: string, { metadata }: DrawableNode): Record<string, unknown> {
    const { interruptBefore, interruptAfter } = this.#source;
    const marks = [
      ...(interruptBefore !== "*" && interruptBefore?.includes(name) === true ? ["before"] : []),
      ...(interruptAfter !== "*" && interruptAfter?.includes(name) === true ? ["after"] : []),
    ];
    return marks.length === 0 ? { ...metadata } : { ...metadata, __interrupt: marks.join(",") };
  }

  edge(start: string, end: string, label?: string, conditional = false): void {
    if (end === END && !this.#ends.has(END)) this.#ends.set(END, this.graph.addNode(anything(), END));
    const from = this.#starts.get(start);
    const to = this.#ends.get(end);
    if (from === undefined || to === undefined) return;
    this.#edges.push({ start, end, conditional });
    this.graph.addEdge(from, to, label === shown(end) ? undefined : label, conditional);
  }
  /** Nodes that edges lead to and nothing leads away from end the graph. */
  close(): void {
    const sources = new Set(this.#edges.map(({ start }) => start));
    const reached = this.#edges.filter(({ end, conditional }) => !conditional && end !== END);
    for (const end of [...new Set(reached.map((edge) => edge.end))].toSorted()) {
      if (!sources.has(end) && this.#source.nodes.get(end)?.isErrorHandler === false) this.edge(end, END);
    }
  }
}

/** The graph in a node, or the steps of its runnable, if these are to be drawn. */
function insideOf({ subgraphs, runnable }: DrawableNode, xray: boolean | number): Inner | undefined {
  if (xray === false || xray === 0) return undefined;
  return subgraphs.find((graph) => isDrawable(graph)) ?? (isDrawable(runnable) ? runnable : undefined);
}

/** Options for what is inside. */
function inner(xray: boolean | number): DrawOptions {
  return { xray: typeof xray === "number" ? xray - 1 : xray };
}

interface Inner {
  getGraph(options: DrawOptions): Graph;
  getGraphAsync?(options: DrawOptions): Promise<Graph>;
}

function isDrawable(value: unknown): value is Inner {
  return typeof value === "object" && value !== null && typeof (value as Inner).getGraph === "function";
}

function toRunnable(name: string, { runnable, action }: DrawableNode): unknown {
  if (Runnable.isRunnable(runnable)) return runnable;
  const lambda = new RunnableLambda({ func: action as (input: unknown) => unknown });
  lambda.name = name;
  // by it, what reads the drawing's JSON knows a node that is a function
  return Object.defineProperty(lambda, "lc_id", { value: ["langgraph", "RunnableCallable"] });
}

/** What zod's `any()` is as a JSON schema, without 5 KB of zod. */
function anything(): never {
  return { schema: { $schema: "https://json-schema.org/draft/2020-12/schema" } } as never;
}
