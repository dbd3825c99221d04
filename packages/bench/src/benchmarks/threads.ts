import { rmSync } from "node:fs";
import { join } from "node:path";
import { PostgresServer } from "../../../checkpointer/test/support/postgres-server.ts";
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
  readonly begun: number;
  readonly all: number;
}

/** Where threads are kept, and what a turn of them may cost. */
interface Store {
  readonly saver: "sqlite" | "postgres";
  /** Before the names of rows. */
  readonly prefix: string;
  /** The path of a database that does not exist yet. */
  readonly path: (name: string) => string;
  readonly figures: readonly FigureOf[];
}

/** Turns: the design's rows are of the last two. What a database takes that has no threads is spread over them. */
const LENGTHS: readonly number[] = [100, 2_000, 10_000];

/** Threads of growing length on SQLite. */
export const threads: Benchmark = {
  name: "threads",
  about: "chat threads of 2 x 400 characters a turn on a SQLite file: time, bytes, cold resume",
  run(context) {
    const { quick, folder } = context.scale;
    const path = (name: string): string => join(folder, `${name}.db`);
    const store: Store = { saver: "sqlite", prefix: "", path, figures: SQLITE };
    return grown(context, store, quick ? [100, 1_000] : LENGTHS);
  },
};

/** The same threads on a PostgreSQL server. */
export const postgresThreads: Benchmark = {
  name: "postgres-threads",
  about: "the same threads on PostgreSQL",
  async run(context) {
    const { quick } = context.scale;
    // its disk is that of the machine: what it acknowledged survives a power cut
    await using server = await PostgresServer.start({ durable: true });
    const path = (name: string): string => new URL(`/${name}`, server.url).href;
    const store: Store = { saver: "postgres", prefix: "PostgreSQL, ", path, figures: POSTGRES };
    return await grown(context, store, quick ? [100] : LENGTHS);
  },
};

async function grown(context: Context, store: Store, lengths: readonly number[]): Promise<Row[]> {
  const rows: Row[] = [];
  const found = new Map<string, Thread>();
  for (const turns of lengths) {
    for (const program of PROGRAMS) {
      if (program.side === "langgraph" && turns > PEER_TURNS && !context.scale.full) continue;
      found.set(`${program.side} ${program.variant} ${turns}`, await thread(context, store, program, turns));
    }
  }
  const peer = PROGRAMS.find(({ side }) => side === "langgraph");
  if (!context.scale.full && peer !== undefined) {
    found.set(`langgraph plain ${PEER_TURNS}`, await thread(context, store, peer, PEER_TURNS));
  }
  for (const turns of [...lengths, PEER_TURNS].sort((a, b) => a - b))
    rows.push(...rowsOf(store, found, turns));
  return lengths.length === 1 ? rows : [...rows, ...growth(store, found, lengths)];
}

async function thread(
  context: Context,
  store: Store,
  { side, variant }: Program,
  turns: number,
): Promise<Thread> {
  const path = store.path(`${side}-${variant}-${turns}`);
  const params: Params = {
    saver: store.saver,
    path,
    variant,
    turns,
    tail: turns >= 2_000 ? 1_000 : turns >= 1_000 ? 300 : 50,
    warmUp: side === "langgraph" ? 50 : 300,
  };
  const figures = await context.one({
    measure: "chat",
    side,
    params,
  });
  // processes that have just started differ by a half
  const rounds = context.scale.quick ? 5 : 15;
  const resumed = async (until: string): Promise<number> => {
    const took = await context.several({ measure: "resume", side, params: { ...params, until } }, rounds);
    return median(took.map((figures) => figures[until] ?? Number.NaN));
  };
  const all = await resumed("all");
  const ready = await resumed("ready");
  // the last: each of these adds a turn to the thread
  const begun = await resumed("begun");
  // a database of a server goes when the server does
  if (store.saver === "sqlite") for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
  const { perTurn = Number.NaN, meanPerTurn = Number.NaN, bytesPerTurn = Number.NaN } = figures;
  return { perTurn, meanPerTurn, bytesPerTurn, ready, begun, all };
}

type Limits = Pick<Row, "budget" | "aim" | "note">;

interface FigureOf {
  readonly figure: keyof Thread;
  readonly label: string;
  readonly unit: string;
  readonly budget?: number;
  readonly aim?: number;
  /** Whether both come on top of the floor. */
  readonly besideFloor?: true;
}

const BYTES: FigureOf = {
  figure: "bytesPerTurn",
  label: "stored per turn",
  unit: "B",
  budget: 3_072,
  aim: 2_048,
};
const READY: FigureOf = { figure: "ready", label: "cold resume, ready", unit: "ms", budget: 15, aim: 6 };
/** See docs/decisions/2026-11-26-ready-for-the-next-turn.md. */
const BEGUN: FigureOf = {
  figure: "begun",
  label: "cold resume, the next turn's model is called",
  unit: "ms",
};
const ALL = { figure: "all", label: "cold resume, all messages", unit: "ms" } as const;

const SQLITE: readonly FigureOf[] = [
  { figure: "perTurn", label: "turn at its end, median", unit: "ms", budget: 1, aim: 0.5 },
  { figure: "meanPerTurn", label: "turn at its end, mean", unit: "ms", budget: 1, aim: 0.5 },
  BYTES,
  READY,
  BEGUN,
  { ...ALL, budget: 120, aim: 60 },
];

/** See the page named above. */
const BESIDE_FLOOR_NOTE =
  "opening a server's database is the floor of the design's row, so its 15 ms (aim 6) come on top of what the floor takes in this run";

const POSTGRES: readonly FigureOf[] = [
  { figure: "perTurn", label: "turn at its end, median", unit: "ms" },
  { figure: "meanPerTurn", label: "turn at its end, mean", unit: "ms" },
  BYTES,
  { ...READY, besideFloor: true },
  BEGUN,
  { ...ALL, budget: 240, aim: 120 },
];

function rowsOf({ prefix, figures }: Store, found: ReadonlyMap<string, Thread>, turns: number): Row[] {
  const rows: Row[] = [];
  const at = `${prefix}${turns.toLocaleString("en")} turns`;
  for (const judged of figures) {
    const { figure, label, unit } = judged;
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
      const readsAll = (figure === "ready" || figure === "begun") && variant === "plain";
      rows.push({
        name: `${at}, ${label} (${program})`,
        unit,
        ...(skein === undefined ? {} : { skein }),
        ...peers,
        ...(readsAll
          ? { ...limitsOf(figures, "all"), note: READS_ALL_NOTE }
          : limitFor(judged, turns, floor)),
      });
    }
  }
  return rows;
}

/** The design's row is of 2,000 and 10,000 turns: a process is not warm before. */
const SHORTEST_JUDGED = 2_000;

const isTime = (figure: keyof Thread): boolean => figure === "perTurn" || figure === "meanPerTurn";

const SPREAD_NOTE = "the tables and indexes of an empty database are spread over its turns";

const READS_ALL_NOTE =
  "its node is handed every message of the thread, so all of them are read before it begins";

function limitsOf(figures: readonly FigureOf[], wanted: keyof Thread): Limits {
  const found = figures.find(({ figure }) => figure === wanted);
  return found === undefined ? {} : limitFor(found, SHORTEST_JUDGED);
}

/** What a figure may be in a thread of so many turns. */
function limitFor({ figure, budget, aim, besideFloor }: FigureOf, turns: number, floor?: number): Limits {
  if (turns < SHORTEST_JUDGED && isTime(figure)) return {};
  if (budget === undefined || aim === undefined) return {};
  const isSpread = turns < SHORTEST_JUDGED && figure === "bytesPerTurn";
  if (besideFloor !== true) return { budget, aim, ...(isSpread && { note: SPREAD_NOTE }) };
  return floor === undefined ? {} : { budget: floor + budget, aim: floor + aim, note: BESIDE_FLOOR_NOTE };
}

/** "Flat": at most this much more at the longest thread than at the shortest. */
const FLAT = { perTurn: 1.5, bytesPerTurn: 1.1, ready: 1.25 } as const;

const GREW = {
  perTurn: "time per turn",
  bytesPerTurn: "bytes per turn",
  ready: "cold resume, ready",
} as const;

/** From turn 100, as issue 2 has it, and of time from the first length of which the process is warm. */
function growth(store: Store, found: ReadonlyMap<string, Thread>, lengths: readonly number[]): Row[] {
  const [shortest, longest] = [lengths[0] as number, lengths.at(-1) as number];
  const warm = lengths.find((turns) => turns >= SHORTEST_JUDGED && turns < longest);
  const rows: Row[] = [];
  for (const program of PROGRAMS.filter(({ side }) => side === "skein")) {
    const grew = (figure: keyof typeof FLAT, from: number): void => {
      const [before, after] = [from, longest].map((turns) => found.get(`skein ${program.variant} ${turns}`));
      if (before === undefined || after === undefined) return;
      const name = `${store.prefix}${GREW[figure]}, growth from ${from.toLocaleString("en")} to ${longest.toLocaleString("en")} turns (${program.label})`;
      const [skein, limit] = [after[figure] / before[figure], FLAT[figure]];
      const handsAll = figure === "perTurn" && from !== shortest && program.variant === "plain";
      const judged = handsAll
        ? { note: HANDS_ALL_NOTE }
        : { must: { text: `at most ${limit}`, holds: skein <= limit } };
      rows.push({ name, unit: "ratio", skein, ...judged });
    };
    grew("perTurn", shortest);
    if (warm !== undefined) grew("perTurn", warm);
    grew("bytesPerTurn", shortest);
    if (warm !== undefined) grew("bytesPerTurn", warm);
    if (program.variant === "dual") grew("ready", shortest);
  }
  return rows;
}

const HANDS_ALL_NOTE =
  "its node is handed an array of every message, which is copied twice a turn: the floor grows as well where it does that";
