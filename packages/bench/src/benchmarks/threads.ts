import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Benchmark, Context, Row } from "../benchmark.ts";
import type { Figures, Params } from "../protocol.ts";
import type { Side } from "../sides.ts";
import { median } from "../stats.ts";

/** LangGraph writes the whole state every step: 2,000 turns are 7.4 GB. */
const PEER_TURNS = 300;
const PEER_NOTE =
  "the longest thread that LangGraph is given by default (2,000 turns write 7.4 GB); --full goes on";

interface Program {
  readonly label: string;
  readonly side: Side;
  readonly variant: "plain" | "dual";
}

const PROGRAMS: readonly Program[] = [
  { label: "MessagesAnnotation", side: "skein", variant: "plain" },
  { label: "dual track, summarized", side: "skein", variant: "dual" },
  { label: "LangGraph", side: "langgraph", variant: "plain" },
  { label: "floor", side: "floor", variant: "plain" },
];

interface Thread extends Figures {
  readonly perTurn: number;
  /** With the compactions, which a median does not show. */
  readonly meanPerTurn: number;
  readonly bytesPerTurn: number;
  readonly ready: number;
  readonly all: number;
}

/** Threads of growing length on SQLite. */
export const threads: Benchmark = {
  name: "threads",
  about: "chat threads of 2 x 400 characters a turn on a SQLite file: time, bytes, cold resume",
  async run(context) {
    const lengths = context.scale.quick ? [100, 1_000] : [100, 1_000, 10_000];
    const rows: Row[] = [];
    const found = new Map<string, Thread>();
    for (const turns of lengths) {
      for (const program of PROGRAMS) {
        if (program.side === "langgraph" && turns > PEER_TURNS && !context.scale.full) continue;
        found.set(`${program.side} ${program.variant} ${turns}`, await thread(context, program, turns));
      }
    }
    const peer = PROGRAMS.find(({ side }) => side === "langgraph");
    if (!context.scale.full && peer !== undefined) {
      found.set(`langgraph plain ${PEER_TURNS}`, await thread(context, peer, PEER_TURNS));
    }
    for (const turns of [...lengths, PEER_TURNS].sort((a, b) => a - b)) rows.push(...rowsOf(found, turns));
    return [...rows, ...growth(found, lengths)];
  },
};

async function thread(context: Context, { side, variant }: Program, turns: number): Promise<Thread> {
  const path = join(context.scale.folder, `${side}-${variant}-${turns}.db`);
  const params: Params = {
    path,
    variant,
    turns,
    tail: turns >= 1_000 ? 100 : 30,
    warmUp: side === "langgraph" ? 50 : 300,
  };
  const figures = await context.one({
    measure: "chat",
    side,
    params,
  });
  const rounds = context.scale.quick ? 1 : 3;
  const all: number[] = [];
  const ready: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const answer = await context.one({ measure: "resume", side, params: { ...params, until: "all" } });
    all.push(answer["all"] ?? Number.NaN);
  }
  // after `all`: each of these adds a turn to the thread
  for (let round = 0; round < rounds; round += 1) {
    const answer = await context.one({ measure: "resume", side, params: { ...params, until: "ready" } });
    ready.push(answer["ready"] ?? Number.NaN);
  }
  for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
  const { perTurn = Number.NaN, meanPerTurn = Number.NaN, bytesPerTurn = Number.NaN } = figures;
  return { perTurn, meanPerTurn, bytesPerTurn, ready: median(ready), all: median(all) };
}

const FIGURES = [
  { figure: "perTurn", label: "turn at its end, median", unit: "ms", budget: 1, aim: 0.5 },
  { figure: "meanPerTurn", label: "turn at its end, mean", unit: "ms", budget: 1, aim: 0.5 },
  { figure: "bytesPerTurn", label: "stored per turn", unit: "B", budget: 3_072, aim: 2_048 },
  { figure: "ready", label: "cold resume, ready", unit: "ms", budget: 15, aim: 6 },
  { figure: "all", label: "cold resume, all messages", unit: "ms", budget: 120, aim: 60 },
] as const;

function rowsOf(found: ReadonlyMap<string, Thread>, turns: number): Row[] {
  const rows: Row[] = [];
  const at = `${turns.toLocaleString("en")} turns`;
  for (const { figure, label, unit, budget, aim } of FIGURES) {
    const side = (key: string) => found.get(`${key} ${turns}`)?.[figure];
    const [langgraph, floor] = [side("langgraph plain"), side("floor plain")];
    const ours = PROGRAMS.filter((program) => program.side === "skein");
    const measuredOurs = ours.filter(({ variant }) => side(`skein ${variant}`) !== undefined);
    const peers = {
      ...(langgraph === undefined ? {} : { langgraph }),
      ...(floor === undefined ? {} : { floor }),
    };
    if (measuredOurs.length === 0 && langgraph !== undefined) {
      rows.push({
        name: `${at}, ${label}`,
        unit,
        ...peers,
        note: PEER_NOTE,
      });
    }
    for (const { label: program, variant } of measuredOurs) {
      const skein = side(`skein ${variant}`);
      rows.push({
        name: `${at}, ${label} (${program})`,
        unit,
        ...(skein === undefined ? {} : { skein }),
        ...peers,
        budget,
        aim,
      });
    }
  }
  return rows;
}

/** "Flat": at most this much more at the longest thread than at the shortest. */
const FLAT = { perTurn: 1.5, bytesPerTurn: 1.1 } as const;

function growth(found: ReadonlyMap<string, Thread>, lengths: readonly number[]): Row[] {
  const [shortest, longest] = [lengths[0], lengths.at(-1)];
  const rows: Row[] = [];
  for (const { label, side, variant } of PROGRAMS) {
    if (side !== "skein") continue;
    const from = found.get(`${side} ${variant} ${shortest}`);
    const to = found.get(`${side} ${variant} ${longest}`);
    if (from === undefined || to === undefined) continue;
    for (const figure of ["perTurn", "bytesPerTurn"] as const) {
      const skein = to[figure] / from[figure];
      const limit = FLAT[figure];
      const what = figure === "perTurn" ? "time per turn" : "bytes per turn";
      const name = `${what}, growth from ${shortest} to ${longest?.toLocaleString("en")} turns (${label})`;
      rows.push({ name, unit: "ratio", skein, must: { text: `at most ${limit}`, holds: skein <= limit } });
    }
  }
  return rows;
}
