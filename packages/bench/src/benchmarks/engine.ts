import { join } from "node:path";
import { PostgresServer } from "../../../checkpointer/test/support/postgres-server.ts";
import { type Benchmark, figureOf, type Row } from "../benchmark.ts";
import { LABELS, type SaverKind } from "../sides.ts";

const BUDGETS = {
  none: { budget: 10, aim: 5 },
  memory: { budget: 20, aim: 8 },
  sqlite: { budget: 60, aim: 25 },
  postgres: { budget: 500, aim: 300 },
} as const satisfies Record<SaverKind, { budget: number; aim: number }>;

export const supersteps: Benchmark = {
  name: "supersteps",
  about: "two nodes that hand to each other; microseconds a superstep, warm",
  async run({ scale, sides }) {
    const rows: Row[] = [];
    // its disk is that of the machine: what it acknowledged survives a power cut
    await using server = await PostgresServer.start({ durable: true });
    for (const saver of ["none", "memory", "sqlite", "postgres"] as const) {
      const path = saver === "postgres" ? server.url : join(scale.folder, "supersteps.db");
      const params = { steps: 100, runs: scale.quick ? 12 : 40, saver, path };
      const row = figureOf(await sides("supersteps", params), "perStep");
      const { skein, langgraph } = row;
      const must =
        saver === "none" && skein !== undefined && langgraph !== undefined
          ? { must: { text: "at most 1/20 of LangGraph's", holds: skein <= langgraph / 20 } }
          : {};
      rows.push({ name: LABELS[saver], unit: "us", ...row, ...BUDGETS[saver], ...must });
    }
    const params = {
      steps: 100,
      runs: scale.quick ? 12 : 40,
      saver: "postgres",
      durability: "async",
      path: server.url,
    };
    const row = figureOf(await sides("supersteps", params), "perStep");
    rows.push({ name: "superstep, PostgreSQL, durability async", unit: "us", ...row, budget: 500, aim: 50 });
    return rows;
  },
};

export const cold: Benchmark = {
  name: "cold",
  about: "first ten supersteps of a process, import not counted",
  async run({ sides, scale }) {
    const row = figureOf(await sides("coldStart", {}, { rounds: scale.quick ? 3 : 7 }), "cold");
    return [{ name: "first 10 supersteps of a cold process", unit: "ms", ...row, budget: 6, aim: 3 }];
  },
};

const IN_FLIGHT = {
  none: { budget: 20_000, aim: 40_000 },
  memory: { budget: 10_000, aim: 20_000 },
  sqlite: { budget: 4_000, aim: 8_000 },
} as const;

export const inFlight: Benchmark = {
  name: "in-flight",
  about: "runs of four supersteps a second, many at once",
  async run({ scale, sides }) {
    const rows: Row[] = [];
    for (const saver of ["none", "memory", "sqlite"] as const) {
      const width = scale.quick ? 100 : 1_000;
      const params = { width, batches: 3, saver, path: join(scale.folder, "in-flight.db") };
      const row = figureOf(await sides("inFlight", params, { rounds: 1 }), "perSecond");
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
      const params = {
        width,
        runs: width >= 1_000 ? (scale.quick ? 3 : 5) : 20,
        warmUp: width >= 1_000 ? 1 : 10,
      };
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
    return [...rows, ...exponent(rows)];
  },
};

const grew = (from: number | undefined, to: number | undefined): number | undefined =>
  from === undefined || to === undefined ? undefined : Math.log10(to / from);

/** How a run's time grows from 1,000 Sends to 10,000: 1 is linear, 2 quadratic. */
function exponent(rows: readonly Row[]): Row[] {
  const [thousand, tenThousand] = [rows[2], rows[3]];
  if (thousand?.skein === undefined || tenThousand?.skein === undefined) return [];
  const peer = grew(thousand.langgraph, tenThousand.langgraph);
  return [
    {
      name: "Sends, growth from 1,000 to 10,000",
      unit: "exponent",
      skein: grew(thousand.skein, tenThousand.skein) ?? Number.NaN,
      ...(peer === undefined ? {} : { langgraph: peer }),
      budget: 1.1,
      aim: 1.05,
    },
  ];
}
