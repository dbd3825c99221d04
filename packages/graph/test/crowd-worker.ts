import { writeSync } from "node:fs";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { Annotation, END, START, StateGraph } from "../src/index.ts";

/**
 * Runs many threads at once on a SQLite file, and prints which node begins before it does anything:
 * `crowd-worker.ts FILE THREADS STEPS`. Begins threads, or goes on with those that have begun.
 */
const [path, threads, steps] = process.argv.slice(2) as [string, string, string];

const State = Annotation.Root({
  id: Annotation<string>(),
  count: Annotation<number>({ reducer: (left, right) => left + right, default: () => 0 }),
});
const node = ({ id, count }: typeof State.State): { count: number } => {
  writeSync(1, `${id} ${count}\n`);
  return { count: 1 };
};
const next = (name: string) => (state: typeof State.State) => (state.count < Number(steps) ? name : END);
const saver = SqliteSaver.fromConnString(path);
const graph = new StateGraph(State)
  .addNode("ping", node)
  .addNode("pong", node)
  .addEdge(START, "ping")
  .addConditionalEdges("ping", next("pong"), ["pong", END])
  .addConditionalEdges("pong", next("ping"), ["ping", END])
  .compile({ checkpointer: saver });

async function work(): Promise<void> {
  await Promise.all(
    Array.from({ length: Number(threads) }, async (_, i) => {
      const config = {
        configurable: { thread_id: `t${i}` },
        durability: "sync",
        recursionLimit: 200,
      } as const;
      const found = await saver.getTuple(config);
      const { count } = await graph.invoke(found === undefined ? { id: `t${i}` } : null, config);
      if (count !== Number(steps)) throw new Error(`t${i} counted ${count}`);
    }),
  );
  await saver.close();
}

void work();
