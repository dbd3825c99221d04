import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import type { LangGraph } from "../engines.ts";
import type { Stateful } from "../recorder.ts";
import { buildInner, policy } from "./inner.ts";
import { type Pace, rankOf } from "./pace.ts";
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
  addNode(name: string, node: unknown, options: object): Builder;
  addEdge(from: string | string[], to: string): Builder;
  addConditionalEdges(from: string, choose: (state: State) => unknown, ends: string[]): Builder;
  compile(options: { checkpointer: BaseCheckpointSaver }): Stateful;
}

/** Names of the nodes at these distances from one; where none stands, none. */
type Reach = (offsets: readonly number[]) => string[];

/** @param pace - one for all graphs that share a thread */
export function build(
  lg: LangGraph,
  program: Program,
  checkpointer: BaseCheckpointSaver,
  pace: Pace,
): Stateful {
  const size = program.nodes.length;
  const name = (place: number): string => `n${place % size}`;
  const names = (places: readonly number[]): string[] => [...new Set(places.map(name))];
  const reach =
    (from: number): Reach =>
    (offsets) =>
      names(offsets.map((offset) => from + offset).filter((place) => place >= 0 && place < size));
  const everyone = program.nodes.map((_node, index) => name(index));
  const builder = new lg.StateGraph(stateOf(lg)) as unknown as Builder;
  // two tasks at once have no order in a state that the subgraph keeps
  const sends = program.nodes.some(({ route }) => route.kind === "sends" || route.kind === "command");
  for (const [index, node] of program.nodes.entries()) {
    const ends = node.route.kind === "command" && node.inner === undefined ? { ends: everyone } : {};
    const action =
      node.inner === undefined
        ? body(lg, name(index), index, node, reach(index), pace)
        : buildInner(
            lg,
            name(index),
            index,
            sends ? { ...node.inner, store: "inherited" } : node.inner,
            pace,
          );
    builder.addNode(name(index), action, {
      defer: node.defer,
      ...ends,
      ...policy(node.trouble.retries && node.inner === undefined),
    });
  }
  builder.addConditionalEdges(lg.START, () => names(program.entries), everyone);
  for (const [index, { route, inner }] of program.nodes.entries()) {
    // a graph returns no Commands
    const taken: Route =
      inner !== undefined && route.kind === "command" ? { kind: "edges", to: route.to } : route;
    addRoute(lg, builder, name(index), taken, reach(index), everyone);
  }
  for (const { from, to } of joinsOf(program, names)) builder.addEdge(from, name(to));
  return builder.compile({ checkpointer });
}

function stateOf(lg: LangGraph) {
  return lg.Annotation.Root({
    list: lg.Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
    sum: lg.Annotation<number>({ reducer: (left, right) => left + right, default: () => 0 }),
    last: lg.Annotation<string>(),
    note: lg.Annotation<string>({ reducer: (_left, right) => right, default: () => "" }),
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

function body(lg: LangGraph, name: string, rank: number, node: NodeSpec, reach: Reach, pace: Pace) {
  return async (state: State): Promise<unknown> => {
    const who = `${name}${state.item === undefined ? "" : `.${state.item}`}`;
    await pace.trouble(who, rankOf(rank, state.item), node.trouble.failures);
    return await pace.work(async () => {
      const answer = node.asks ? `(${String(lg.interrupt(`${who}?`))})` : "";
      for (let tick = 0; tick < node.waits; tick += 1) await new Promise(setImmediate);
      const update = updateOf(lg, node, state, `${who}${answer}`);
      if (node.route.kind !== "command") return update;
      const to = reach(node.route.to);
      const sends = sendsTo(lg, reach([node.route.sendTo])[0], node.route.sends);
      return new lg.Command({ update, goto: [...to, ...sends] as string[] });
    });
  };
}

function updateOf(lg: LangGraph, node: NodeSpec, state: State, who: string): Record<string, unknown> {
  const list = Array.from(
    { length: node.appends },
    (_, index) => `${who}:${index} saw ${state.list?.length}`,
  );
  return {
    ...(list.length > 0 ? { list: node.overwrites ? new lg.Overwrite(list) : list } : {}),
    ...(node.adds === undefined ? {} : { sum: node.adds }),
    ...(node.writesLast ? { last: who } : {}),
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
