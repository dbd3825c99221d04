import type { LangGraph } from "../engines.ts";
import { type Pace, rankOf } from "./pace.ts";
import type { Inner } from "./program.ts";

interface State {
  readonly item?: number;
  readonly steps?: readonly string[];
}

const STORES = { inherited: undefined, own: true, none: false } as const;

/** A chain of nodes with keys of its own, of which `note` is the parent's as well. */
export function buildInner(lg: LangGraph, name: string, rank: number, spec: Inner, pace: Pace): unknown {
  const builder = new lg.StateGraph(
    lg.Annotation.Root({
      note: lg.Annotation<string>(),
      item: lg.Annotation<number>(),
      steps: lg.Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
    }),
  ) as unknown as {
    addNode(name: string, body: (state: State) => Promise<unknown>, options: object): unknown;
    addEdge(from: string, to: string): unknown;
    compile(options: object): unknown;
  };
  for (let index = 0; index < spec.steps; index += 1) {
    const who = `${name}_${index}`;
    const asks = spec.asks === index && spec.store !== "none";
    const { failures, retries } = index === spec.steps - 1 ? spec.trouble : { failures: 0, retries: false };
    const body = async (state: State): Promise<unknown> => {
      // after all of the parent's own
      await pace.trouble(who, 100 + rankOf(rank, state.item), failures);
      return await pace.work(async () => {
        const answer = asks ? `(${String(lg.interrupt(`${who}?`))})` : "";
        await new Promise(setImmediate);
        return {
          note: `${who}${state.item === undefined ? "" : `.${state.item}`}${answer} after ${state.steps?.length}`,
          steps: [who],
        };
      });
    };
    builder.addNode(who, body, policy(retries));
    builder.addEdge(index === 0 ? lg.START : `${name}_${index - 1}`, who);
  }
  return builder.compile({ checkpointer: STORES[spec.store] });
}

/** One more attempt, at once and without a word. */
export function policy(retries: boolean): object {
  return retries
    ? { retryPolicy: { maxAttempts: 2, initialInterval: 0, jitter: false, logWarning: false } }
    : {};
}
