import { rmSync } from "node:fs";
import { join } from "node:path";
import { PostgresServer } from "../../../checkpointer/test/support/postgres-server.ts";
import { type Benchmark, type Context, figureOf, type Row } from "../benchmark.ts";
import type { Params } from "../protocol.ts";
import { type EngineSide, LABELS } from "../sides.ts";

const NOTE = "both columns run on @langchain/langgraph; they differ in whose saver it is given";
const SIDES: readonly EngineSide[] = ["skein", "langgraph"];
const ENGINE = { engine: "langgraph" } as const;

/** What users of LangGraph gain by changing the saver and nothing else. */
export const savers: Benchmark = {
  name: "savers",
  about: "the same programs on @langchain/langgraph, with its own savers and with ours",
  async run(context) {
    const rows: Row[] = [];
    await using server = await PostgresServer.start({ durable: true });
    for (const saver of ["memory", "sqlite", "postgres"] as const) {
      const path = saver === "postgres" ? server.url : join(context.scale.folder, "savers.db");
      const params = { ...ENGINE, steps: 20, runs: context.scale.quick ? 12 : 40, saver, path };
      const row = figureOf(await context.sides("supersteps", params, { sides: SIDES }), "perStep");
      rows.push({ name: `on LangGraph, ${LABELS[saver]}`, unit: "us", ...row, note: NOTE });
    }
    return [...rows, ...(await chats(context))];
  },
};

const FIGURES = [
  { figure: "perTurn", label: "turn at its end, median", unit: "ms" },
  { figure: "bytesPerTurn", label: "stored per turn", unit: "B" },
] as const;

/** A chat thread on a SQLite file. */
async function chats({ scale, sides }: Context): Promise<Row[]> {
  const turns = scale.quick ? 100 : 300;
  const path = join(scale.folder, "savers-chat.db");
  const params: Params = { ...ENGINE, saver: "sqlite", path, variant: "plain", turns, tail: 30, warmUp: 50 };
  const rows: Row[] = [];
  const measured: { [side in EngineSide]?: Awaited<ReturnType<Context["sides"]>>[side] } = {};
  for (const side of SIDES) {
    Object.assign(measured, await sides("chat", params, { sides: [side], rounds: 1 }));
    for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
  }
  for (const { figure, label, unit } of FIGURES) {
    const name = `on LangGraph, SQLite, ${turns} turns, ${label}`;
    rows.push({ name, unit, ...figureOf(measured, figure), note: NOTE });
  }
  return rows;
}
