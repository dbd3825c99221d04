import { join } from "node:path";
import { type Benchmark, type Context, figureOf, type Measured, type Row } from "../benchmark.ts";
import { versionOf } from "../bundle.ts";
import { PEERS } from "../measure/agent-peers.ts";

const BUDGETS = {
  none: { label: "no saver", budget: 200, aim: 100, langgraphThen: 1_451 },
  memory: { label: "memory saver, a new thread", budget: 300, aim: 150, langgraphThen: 5_453 },
} as const;

/** A late turn may take this much longer than an early one: the index of the file grows by a level. */
const FLAT = 1.3;

/**
 * Samples before the first that counts, 10,000 turns: V8 optimises a function that a turn calls once only
 * after thousands of turns, and what a server runs is optimised. Every side gets so many turns, or so long.
 */
const WARM_UP = 200;
const LONGEST_WARM_UP_MS = 15_000;

/** Both columns are what is left when the same calls of model and tool in a bare loop are taken off. */
export const agents: Benchmark = {
  name: "agent",
  about:
    "a turn of createAgent, model + tool + model, less the same calls in a bare loop; langchain's, ai's and @openai/agents' beside ours",
  async run(context) {
    const { sides, scale } = context;
    const rows: Row[] = [];
    const sizes = scale.quick
      ? { turns: 50, samples: 8, warmUp: 5, longest: LONGEST_WARM_UP_MS }
      : { turns: 50, samples: 30, warmUp: WARM_UP, longest: LONGEST_WARM_UP_MS };
    for (const saver of ["none", "memory"] as const) {
      const measured = await sides("agentTurn", { saver, ...sizes });
      const { skein, langgraph, floor } = figureOf(measured, "perTurn");
      if (skein === undefined || langgraph === undefined || floor === undefined) continue;
      const { label, ...budgets } = BUDGETS[saver];
      rows.push({
        name: `agent turn with a tool, ${label}`,
        unit: "us",
        skein: skein - floor,
        langgraph: langgraph - floor,
        ...budgets,
        note: `model and tool alone take ${floor.toFixed(0)} us; the peer is langchain's createAgent${scale.quick ? "" : earlier(measured)}`,
      });
      if (saver === "none") rows.push(...(await besidePeers(context, sizes, skein - floor)));
    }
    rows.push(await longThread(context));
    return rows;
  },
};

/** What the same took when the process was young. */
function earlier(measured: Measured): string {
  const { skein = Number.NaN, langgraph = Number.NaN, floor = Number.NaN } = figureOf(measured, "early");
  const [ours, theirs] = [skein - floor, langgraph - floor].map((time) => time.toFixed(0));
  return `; after ${((WARM_UP / 5) * 50).toLocaleString("en")} turns of the process, or ${LONGEST_WARM_UP_MS / 5_000} s, ours took ${ours}, the peer's ${theirs}`;
}

async function besidePeers(
  { sides }: Context,
  sizes: Readonly<Record<"turns" | "samples" | "warmUp" | "longest", number>>,
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
