import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { LangGraph } from "../engines.ts";
import type { Stateful } from "../recorder.ts";
import type { NodeSpec, Program, Route } from "./program.ts";

interface State {
  readonly list?: string[];
  readonly sum?: number;
  readonly last?: string;
  /** Present when a Send started the task. */
  readonly item?: number;
}

/** What `build` needs of a StateGraph; the names of nodes are only known at run time. */
interface Builder {
  addNode(name: string, body: (state: State) => Promise<unknown>, options: object): Builder;
  addEdge(from: string | string[], to: string): Builder;
  addConditionalEdges(from: string, choose: (state: State) => unknown, ends: string[]): Builder;
  compile(options: { checkpointer: BaseCheckpointSaver }): Stateful;
}

/** Names of the nodes at these distances from one; where none stands, none. */
type Reach = (offsets: readonly number[]) => string[];

export function build(lg: LangGraph, program: Program, checkpointer: BaseCheckpointSaver): Stateful {
  const size = program.nodes.length;
  const name = (place: number): string => `n${place % size}`;
  const names = (places: readonly number[]): string[] => [...new Set(places.map(name))];
  const reach =
    (from: number): Reach =>
    (offsets) =>
      names(offsets.map((offset) => from + offset).filter((place) => place >= 0 && place < size));
  const everyone = program.nodes.map((_node, index) => name(index));
  const builder = new lg.StateGraph(stateOf(lg)) as unknown as Builder;
  for (const [index, node] of program.nodes.entries()) {
    const ends = node.route.kind === "command" ? { ends: everyone } : {};
    builder.addNode(name(index), body(lg, name(index), node, reach(index)), { defer: node.defer, ...ends });
  }
  builder.addConditionalEdges(lg.START, () => names(program.entries), everyone);
  for (const [index, { route }] of program.nodes.entries()) {
    addRoute(lg, builder, name(index), route, reach(index), everyone);
  }
  for (const { from, to } of joinsOf(program, names)) builder.addEdge(from, name(to));
  return builder.compile({ checkpointer });
}

function stateOf(lg: LangGraph) {
  return lg.Annotation.Root({
    list: lg.Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
    sum: lg.Annotation<number>({ reducer: (left, right) => left + right, default: () => 0 }),
    last: lg.Annotation<string>(),
  });
}

/** A join needs two different sources; two equal joins are one. */
function joinsOf(program: Program, names: (indices: readonly number[]) => string[]) {
  const seen = new Set<string>();
  return program.joins
    .map(({ from, to }) => ({ from: names(from), to }))
    .filter(({ from, to }) => {
      const key = `${[...from].sort().join()}>${to % program.nodes.length}`;
      if (from.length < 2 || seen.has(key)) return false;
      seen.add(key);
      return true;
    });
}

function body(lg: LangGraph, name: string, node: NodeSpec, reach: Reach) {
  return async (state: State): Promise<unknown> => {
    const answer = node.asks ? `(${String(lg.interrupt(`${name}?`))})` : "";
    for (let tick = 0; tick < node.waits; tick += 1) await new Promise(setImmediate);
    const who = `${name}${state.item === undefined ? "" : `.${state.item}`}${answer}`;
    const update = {
      ...(node.appends > 0
        ? {
            list: Array.from(
              { length: node.appends },
              (_, index) => `${who}:${index} saw ${state.list?.length}`,
            ),
          }
        : {}),
      ...(node.adds === undefined ? {} : { sum: node.adds }),
      ...(node.writesLast ? { last: who } : {}),
    };
    if (node.route.kind !== "command") return update;
    const to = reach(node.route.to);
    const sends = sendsTo(lg, reach([node.route.sendTo])[0], node.route.sends);
    return new lg.Command({ update, goto: [...to, ...sends] as string[] });
  };
}

function addRoute(
  lg: LangGraph,
  builder: Builder,
  from: string,
  route: Route,
  reach: Reach,
  everyone: string[],
): void {
  if (route.kind === "edges") for (const to of reach(route.to)) builder.addEdge(from, to);
  if (route.kind === "condition") {
    const choose = (state: State) => {
      const choice = route.choices[Math.abs(state.sum ?? 0) % route.choices.length] ?? [];
      const to = reach(choice);
      return to.length === 0 ? lg.END : to;
    };
    builder.addConditionalEdges(from, choose, [...everyone, lg.END]);
  }
  if (route.kind === "sends") {
    const [to] = reach([route.to]);
    builder.addConditionalEdges(
      from,
      () => [...sendsTo(lg, to, route.count), ...reach(route.also)],
      everyone,
    );
  }
}

function sendsTo(lg: LangGraph, to: string | undefined, count: number): unknown[] {
  if (to === undefined) return [];
  return Array.from({ length: count }, (_, item) => new lg.Send(to, { item }));
}
