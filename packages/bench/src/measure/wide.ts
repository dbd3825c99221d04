import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { type Figures, numberOf, type Params } from "../protocol.ts";
import { type EngineSide, type LangGraph, loadEngine, type Side } from "../sides.ts";
import { median, sample } from "../stats.ts";

/** Hears of every node, and does nothing with it. */
class Listener extends BaseCallbackHandler {
  readonly name = "listener";
  heard = 0;

  override handleChainStart(): void {
    this.heard += 1;
  }
}

/** Two nodes that hand to each other, among `nodes` that could run and `keys` that nobody writes. */
function pingPongAmong(lg: LangGraph, steps: number, nodes: number, keys: number) {
  const idle = Array.from({ length: nodes }, (_, index) => `idle${index}`);
  const unused = Array.from(
    { length: keys },
    (_, index) => [`key${index}`, lg.Annotation<string>()] as const,
  );
  const State = lg.Annotation.Root({
    count: lg.Annotation<number>({ reducer: (left, right) => left + right, default: () => 0 }),
    ...(Object.fromEntries(unused) as Record<never, never>),
  });
  const graph = new lg.StateGraph(State)
    .addNode("ping", () => ({ count: 1 }))
    .addNode("pong", () => ({ count: 1 }))
    .addEdge("ping", "pong");
  for (const name of idle) graph.addNode(name, () => ({}));
  return graph
    .addConditionalEdges(lg.START, () => "ping", ["ping", ...idle] as "ping"[])
    .addConditionalEdges("pong", (state) => (state.count < steps ? "ping" : lg.END), ["ping", lg.END])
    .compile();
}

async function engine(side: EngineSide, steps: number, params: Params): Promise<() => Promise<void>> {
  const lg = await loadEngine(side);
  const graph = pingPongAmong(lg, steps, numberOf(params, "nodes"), numberOf(params, "keys"));
  const listener = params["listens"] === true ? new Listener() : undefined;
  const input = Object.fromEntries(
    Array.from({ length: numberOf(params, "keys") }, (_, index) => [`key${index}`, "value"]),
  );
  return async () => {
    const callbacks = listener === undefined ? {} : { callbacks: [listener] };
    const { count } = await graph.invoke({ count: 0, ...input }, { recursionLimit: steps + 5, ...callbacks });
    if (count !== steps) throw new Error(`${side} counted ${String(count)} of ${steps} supersteps`);
    if (listener !== undefined && listener.heard < steps)
      throw new Error("the listener did not hear of the nodes");
  };
}

/** Supersteps of the shortest run. */
const SHORTEST = 2;

/**
 * Microseconds a superstep of a graph with `nodes` and `keys` that the step does not touch, and of all
 * else that a run does: its input writes every key. Told apart by a second, shorter run.
 */
export async function wide(side: Side, params: Params): Promise<Figures> {
  if (side === "floor") throw new TypeError("there is no floor for wide graphs");
  const steps = numberOf(params, "steps");
  const runs = numberOf(params, "runs");
  const short = median(await sample(runs, Math.ceil(runs / 2), await engine(side, SHORTEST, params)));
  const long = median(await sample(runs, Math.ceil(runs / 2), await engine(side, steps, params)));
  const perStep = (long - short) / (steps - SHORTEST);
  return { perStep: perStep * 1000, rest: (short - SHORTEST * perStep) * 1000 };
}
