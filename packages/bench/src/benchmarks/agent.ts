import { join } from "node:path";
import { type Benchmark, type Context, figureOf, type Row } from "../benchmark.ts";
import { versionOf } from "../bundle.ts";
import { PEERS } from "../measure/agent-peers.ts";

const BUDGETS = {
  none: { label: "no saver", budget: 200, aim: 100, langgraphThen: 1_451 },
  memory: { label: "memory saver, a new thread", budget: 300, aim: 150, langgraphThen: 5_453 },
} as const;

/** A late turn may take this much longer than an early one: the index of the file grows by a level. */
const FLAT = 1.3;

/** Samples before the first that counts, 2,000 turns: a server's code is compiled, and takes that long to be. */
const WARM_UP = 40;

/** Both columns are what is left when the same calls of model and tool in a bare loop are taken off. */
export const agents: Benchmark = {
  name: "agent",
  about:
    "a turn of createAgent, model + tool + model, less the same calls in a bare loop; langchain's, ai's and @openai/agents' beside ours",
  async run(context) {
    const { sides, scale } = context;
    const rows: Row[] = [];
    const sizes = scale.quick
      ? { turns: 50, samples: 8, warmUp: 5 }
      : { turns: 50, samples: 30, warmUp: WARM_UP };
    for (const saver of ["none", "memory"] as const) {
      const { skein, langgraph, floor } = figureOf(await sides("agentTurn", { saver, ...sizes }), "perTurn");
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
      if (saver === "none") rows.push(...(await besidePeers(context, sizes, skein - floor)));
    }
    rows.push(await longThread(context));
    return rows;
  },
};

async function besidePeers(
  { sides }: Context,
  sizes: { readonly turns: number; readonly samples: number; readonly warmUp: number },
  skein: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const peer of PEERS) {
    const measured = await sides("agentPeerTurn", { peer, ...sizes }, { sides: ["langgraph"] });
    rows.push({
      name: `agent turn with a tool, no saver, beside ${peer}`,
      unit: "us",
      skein,
      ...figureOf(measured, "perTurn"),
      note: `the peer, in LangGraph's column, is ${peer} ${versionOf(peer)}, whose model and tool cost nothing here`,
    });
  }
  return rows;
}

async function longThread({ one, scale }: Context): Promise<Row> {
  const turns = scale.quick ? 1_000 : 10_000;
  const path = join(scale.folder, "agent-thread.db");
  const { early = Number.NaN, late = Number.NaN } = await one({
    measure: "agentThread",
    side: "skein",
    params: { turns, path },
  });
  return {
    name: `agent turn with a tool, SQLite file, at turn ${turns.toLocaleString("en")} as a multiple of turn 300`,
    unit: "x",
    skein: late / early,
    budget: FLAT,
    aim: 1,
    note: `four messages a turn, summarised to at most 40; processor time ${early.toFixed(2)} ms, then ${late.toFixed(2)} ms`,
  };
}
