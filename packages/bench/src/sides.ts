/** The program texts are typed against the original; that ours fits is what `parity` shows. */
export type LangGraph = typeof import("@langchain/langgraph");
export type Saver = import("@langchain/langgraph-checkpoint").BaseCheckpointSaver;

export const SIDES = ["skein", "langgraph", "floor"] as const;
export type Side = (typeof SIDES)[number];
export type EngineSide = Exclude<Side, "floor">;

/** Each engine is loaded in a process of its own: what one installs globally slows the other. */
export async function loadEngine(side: EngineSide): Promise<LangGraph> {
  return side === "skein"
    ? ((await import("@skein/graph")) as unknown as LangGraph)
    : await import("@langchain/langgraph");
}

/** The engine that a job runs on, where that is not the side's own: savers are compared on one engine. */
export function engineOf(side: EngineSide, params: Readonly<Record<string, unknown>>): EngineSide {
  const engine = params["engine"] ?? side;
  if (engine !== "skein" && engine !== "langgraph")
    throw new TypeError(`there is no engine "${String(engine)}"`);
  return engine;
}

export type SaverKind = "none" | "memory" | "sqlite" | "postgres";

export const LABELS: Record<SaverKind, string> = {
  none: "superstep, no saver",
  memory: "superstep, memory saver",
  sqlite: "superstep, SQLite file, durability sync",
  postgres: "superstep, PostgreSQL, durability sync",
};

export interface OpenedSaver {
  readonly saver: Saver | undefined;
  /** Closes the database; a write-ahead log is folded into its file. */
  close(): void | Promise<void>;
}

/** Each engine with its own savers, as its users would open them. @param path - a file, or the URL of a server */
export async function openSaver(side: EngineSide, kind: SaverKind, path: string): Promise<OpenedSaver> {
  if (kind === "none") return { saver: undefined, close: () => {} };
  if (kind === "memory") return { saver: await memorySaver(side), close: () => {} };
  return kind === "postgres" ? await postgresSaver(side, path) : await sqliteSaver(side, path);
}

/** Imports what `openSaver` will need. */
export async function preload(side: EngineSide, kind: SaverKind): Promise<void> {
  await memorySaver(side);
  if (kind === "sqlite") await Promise.all([import("libsql"), sqliteModule(side)]);
  if (kind === "postgres") await Promise.all([import("pg"), postgresModule(side)]);
}

const sqliteModule = (side: EngineSide) =>
  side === "skein" ? import("@skein/checkpointer/sqlite") : import("@langchain/langgraph-checkpoint-sqlite");

const postgresModule = (side: EngineSide) =>
  side === "skein"
    ? import("@skein/checkpointer/postgres")
    : import("@langchain/langgraph-checkpoint-postgres");

async function memorySaver(side: EngineSide): Promise<Saver> {
  const { MemorySaver } =
    side === "skein" ? await import("@skein/checkpointer") : await import("@langchain/langgraph-checkpoint");
  return new MemorySaver();
}

async function sqliteSaver(side: EngineSide, path: string): Promise<OpenedSaver> {
  const { default: Database } = await import("libsql");
  const database = new Database(path);
  const { SqliteSaver } = await sqliteModule(side);
  return {
    saver: new SqliteSaver(database as never),
    close: () => {
      database.pragma("wal_checkpoint(TRUNCATE)");
      database.close();
    },
  };
}

async function postgresSaver(side: EngineSide, url: string): Promise<OpenedSaver> {
  const { Pool } = (await import("pg")).default;
  const pool = new Pool({ connectionString: url });
  const { PostgresSaver } = await postgresModule(side);
  const saver = new PostgresSaver(pool);
  await saver.setup();
  return { saver, close: () => pool.end() };
}
