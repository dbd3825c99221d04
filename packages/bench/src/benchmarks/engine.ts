import { join } from "node:path";
import { PostgresServer } from "../../../checkpointer/test/support/postgres-server.ts";
import { type Benchmark, type Context, figureOf, type Row, type Scale } from "../benchmark.ts";
import { LABELS, type SaverKind } from "../sides.ts";

const BUDGETS = {
  none: { budget: 10, aim: 5, langgraphThen: 385 },
  memory: { budget: 20, aim: 8, langgraphThen: 476 },
  sqlite: { budget: 60, aim: 25, langgraphThen: 716 },
  postgres: { budget: 500, aim: 300, langgraphThen: 1_817 },
} as const satisfies Record<SaverKind, Pick<Row, "budget" | "aim" | "langgraphThen">>;

export const supersteps: Benchmark = {
  name: "supersteps",
  about: "two nodes that hand to each other; microseconds a superstep, warm",
  async run({ scale, sides }) {
    const rows: Row[] = [];
    for (const saver of ["none", "memory", "sqlite"] as const) {
      const path = join(scale.folder, "supersteps.db");
      const params = { steps: 100, runs: scale.quick ? 12 : 40, saver, path };
      const row = figureOf(await sides("supersteps", params), "perStep");
      const { skein, langgraph } = row;
      const must =
        saver === "none" && skein !== undefined && langgraph !== undefined
          ? { must: { text: "at most 1/20 of LangGraph's", holds: skein <= langgraph / 20 } }
          : {};
      rows.push({ name: LABELS[saver], unit: "us", ...row, ...BUDGETS[saver], ...must });
    }
    return [...rows, ...(await onPostgres(scale, sides))];
  },
};

/** Last, because a server beside them slows the others. */
async function onPostgres(scale: Scale, sides: Context["sides"]): Promise<Row[]> {
  // its disk is that of the machine: what it acknowledged survives a power cut
  await using server = await PostgresServer.start({ durable: true });
  const params = { steps: 100, runs: scale.quick ? 12 : 40, saver: "postgres", path: server.url };
  const sync = figureOf(await sides("supersteps", params), "perStep");
  const later = figureOf(await sides("supersteps", { ...params, durability: "async" }), "perStep");
  return [
    { name: LABELS.postgres, unit: "us", ...sync, ...BUDGETS.postgres },
    { name: "superstep, PostgreSQL, durability async", unit: "us", ...later, budget: 500, aim: 50 },
  ];
}

const SHAPES = [
  { name: "10 nodes, 10 keys", nodes: 10, keys: 10, listens: false },
  { name: "1,000 nodes", nodes: 1_000, keys: 10, listens: false },
  { name: "1,000 keys", nodes: 10, keys: 1_000, listens: false },
  { name: "a callback handler listens", nodes: 10, keys: 10, listens: true },
] as const;

/** A step costs what it touches (I7), and callbacks cost when somebody listens. */
export const wide: Benchmark = {
  name: "wide",
  about: "supersteps in graphs of 1,000 nodes or keys, and with somebody who listens; microseconds",
  async run({ scale, sides }) {
    const rows: Row[] = [];
    for (const { name, ...shape } of SHAPES) {
      const params = { steps: 1_000, runs: scale.quick ? 3 : 10, ...shape };
      const only = scale.full || shape.nodes + shape.keys < 1_000;
      const measured = await sides("wide", params, {
        sides: only ? ["skein", "langgraph"] : ["skein"],
        rounds: scale.quick ? 1 : 3,
      });
      const row = figureOf(measured, "perStep");
      const budget = shape.listens ? {} : BUDGETS.none;
      const rest = figureOf(measured, "rest").skein?.toFixed(0);
      const peer = only ? "" : "; LangGraph takes seconds a run here: --full measures it";
      const note = { note: `beside its steps, a run takes ${rest} us${peer}` };
      rows.push({ name: `superstep, ${name}`, unit: "us", ...row, ...note, ...budget });
    }
    return rows;
  },
};

export const cold: Benchmark = {
  name: "cold",
  about: "first ten supersteps of a process, import not counted",
  async run({ sides, scale }) {
    const row = figureOf(await sides("coldStart", {}, { rounds: scale.quick ? 3 : 7 }), "cold");
    const name = "first 10 supersteps of a cold process";
    return [{ name, unit: "ms", ...row, budget: 6, aim: 3, langgraphThen: 62 }];
  },
};

const IN_FLIGHT = {
  none: { budget: 20_000, aim: 40_000, langgraphThen: 443 },
  memory: { budget: 10_000, aim: 20_000, langgraphThen: 349 },
  sqlite: { budget: 4_000, aim: 8_000, langgraphThen: 229 },
} as const;

export const inFlight: Benchmark = {
  name: "in-flight",
  about: "runs of three nodes a second, many at once",
  async run({ scale, sides }) {
    const rows: Row[] = [];
    for (const saver of ["none", "memory", "sqlite"] as const) {
      const width = scale.quick ? 100 : 1_000;
      const params = { width, batches: 3, saver, path: join(scale.folder, "in-flight.db") };
      const row = figureOf(await sides("inFlight", params), "perSecond");
      const name = `runs with ${width.toLocaleString("en")} in flight, ${saver}`;
      rows.push({ name, unit: "runs/s", larger: true, ...row, ...IN_FLIGHT[saver] });
    }
    return rows;
  },
};

export const fanOut: Benchmark = {
  name: "fan-out",
  about: "one step of N Sends that are summed; milliseconds a run, peak memory",
  async run({ scale, sides }) {
    const rows: Row[] = [];
    for (const width of [10, 100, 1_000, 10_000]) {
      const peerRuns = scale.full || width <= 1_000;
      const fewRuns = { runs: scale.quick ? 3 : 5, warmUp: 1 };
      const params = { width, ...(width >= 1_000 ? fewRuns : { runs: 20, warmUp: 10 }) };
      const measured = await sides("sends", params, peerRuns ? {} : { sides: ["skein", "floor"] });
      const row = figureOf(measured, "total");
      const widest = width === 10_000;
      const note = peerRuns ? {} : { note: "LangGraph takes about 95 s here: --full measures it" };
      const must =
        widest && row.skein !== undefined
          ? { must: { text: "within 1,000 ms", holds: row.skein <= 1_000 } }
          : {};
      const budget = widest ? { budget: 150, aim: 50 } : {};
      rows.push({
        name: `${width.toLocaleString("en")} Sends`,
        unit: "ms",
        ...row,
        ...budget,
        ...note,
        ...must,
      });
      if (widest)
        rows.push({
          name: "10,000 Sends, peak memory",
          unit: "MB",
          ...figureOf(measured, "megabytes"),
          budget: 100,
          ...note,
        });
    }
    const rounds = scale.quick ? 15 : 40;
    const growth = await sides("sendsGrowth", { rounds, warmUp: 5 }, { sides: ["skein", "floor"] });
    return [...rows, { ...growthRow(rows), ...figureOf(growth, "exponent") }];
  },
};

/** How a run's time grows: LangGraph's is taken from its rows, where it was measured. */
function growthRow(rows: readonly Row[]): Row {
  const [from, to] = [rows[2]?.langgraph, rows[3]?.langgraph];
  const peer = from === undefined || to === undefined ? {} : { langgraph: Math.log10(to / from) };
  return {
    name: "Sends, growth from 1,000 to 10,000",
    unit: "exponent",
    ...peer,
    budget: 1.1,
    aim: 1.05,
    note: "ten runs of 1,000 and one of 10,000 in turn, in one process",
  };
}
