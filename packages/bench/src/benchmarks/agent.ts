import { type Benchmark, figureOf, type Row } from "../benchmark.ts";

const BUDGETS = {
  none: { label: "no saver", budget: 200, aim: 100 },
  memory: { label: "memory saver, a new thread", budget: 300, aim: 150 },
} as const;

/** Both columns are what is left when the same calls of model and tool in a bare loop are taken off. */
export const agents: Benchmark = {
  name: "agent",
  about:
    "a turn of createAgent, model + tool + model, less the same calls in a bare loop; langchain's beside ours",
  async run({ sides, scale }) {
    const rows: Row[] = [];
    for (const saver of ["none", "memory"] as const) {
      const params = { saver, turns: 50, samples: scale.quick ? 8 : 30 };
      const { skein, langgraph, floor } = figureOf(await sides("agentTurn", params), "perTurn");
      if (skein === undefined || langgraph === undefined || floor === undefined) continue;
      const { label, ...budgets } = BUDGETS[saver];
      rows.push({
        name: `agent turn with a tool, ${label}`,
        unit: "us",
        skein: skein - floor,
        langgraph: langgraph - floor,
        ...budgets,
        note: `model and tool alone take ${floor.toFixed(0)} us; the peer is langchain's createAgent`,
      });
    }
    return rows;
  },
};
