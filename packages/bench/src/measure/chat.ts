import type { Figures, Params } from "../protocol.ts";
import { numberOf, textOf } from "../protocol.ts";
import {
  type EngineSide,
  engineOf,
  type LangGraph,
  loadEngine,
  openSaver,
  preload,
  type Saver,
  type Side,
} from "../sides.ts";
import { type Last, lastOf, meanOf, median } from "../stats.ts";
import { bytesOf, type ChatDatabase, create, databaseOf, drop, warmUpOf } from "./chat-database.ts";
import type { ChatGraph, Model } from "./chat-graph.ts";
import { floorChat, floorResume } from "./chat-floor.ts";
import { answer, question } from "./conversation.ts";

/** What runs, and whose savers keep it. */
interface Program {
  readonly engine: EngineSide;
  readonly saver: EngineSide;
  readonly variant: "plain" | "dual";
}

const programOf = (side: EngineSide, params: Params): Program => ({
  engine: engineOf(side, params),
  saver: side,
  variant: textOf(params, "variant") as Program["variant"],
});

const config = { durability: "sync", configurable: { thread_id: "chat" } };

function plainGraph(lg: LangGraph, saver: Saver, model: Model): ChatGraph {
  return new lg.StateGraph(lg.MessagesAnnotation)
    .addNode("model", () => ({ messages: [model()] }))
    .addEdge(lg.START, "model")
    .compile({ checkpointer: saver }) as unknown as ChatGraph;
}

async function chatGraph({ engine, variant }: Program, saver: Saver, model: Model): Promise<ChatGraph> {
  const lg = await loadEngine(engine);
  if (variant === "plain") return plainGraph(lg, saver, model);
  const { dualTrackGraph } = await import("./dual-track.ts");
  return dualTrackGraph(saver, model);
}

/** Runs a thread to `turns` turns; figures of its last turns and of the database. */
export async function chat(side: Side, params: Params): Promise<Figures> {
  const turns = numberOf(params, "turns");
  const database = databaseOf(params);
  const tail = Math.min(numberOf(params, "tail"), turns);
  await create(database);
  const times =
    side === "floor"
      ? await floorChat(database, turns, tail)
      : await engineChat(programOf(side, params), database, { turns, tail }, numberOf(params, "warmUp"));
  const bytes = await bytesOf(database);
  return { perTurn: median(times.quick), meanPerTurn: meanOf(times), bytesPerTurn: bytes / turns };
}

async function engineChat(
  program: Program,
  database: ChatDatabase,
  length: Length,
  warmUp: number,
): Promise<Last> {
  const beside = warmUpOf(database);
  await create(beside);
  await runThread(program, beside, { turns: warmUp, tail: 0 });
  await drop(beside);
  return await runThread(program, database, length);
}

interface Length {
  readonly turns: number;
  /** How many of the last are measured. */
  readonly tail: number;
}

async function runThread(
  program: Program,
  { kind, path }: ChatDatabase,
  { turns, tail }: Length,
): Promise<Last> {
  const { saver, close } = await openSaver(program.saver, kind, path);
  let next = answer(0);
  const graph = await chatGraph(program, saver as Saver, () => next);
  const times = await lastOf(turns, tail, async (turn) => {
    const input = { messages: [question(turn)] };
    next = answer(turn);
    const start = performance.now();
    await graph.invoke(input, config);
    return performance.now() - start;
  });
  await close();
  return times;
}

/**
 * A fresh process opens the database that {@link chat} left. `ready`: until the state that the next turn
 * begins with is in hand. `begun`: until the model of that turn is called, its input stored and the
 * compaction before it looked at. `all`: until every message is in hand. Each in its own process: the
 * first to run warms the others.
 */
export async function resume(side: Side, params: Params): Promise<Figures> {
  const database = databaseOf(params);
  const turns = numberOf(params, "turns");
  const until = textOf(params, "until");
  if (side === "floor") return await floorResume(database, turns, until);
  const program = programOf(side, params);
  const { variant } = program;
  await loadEngine(program.engine);
  if (variant === "dual") await import("./dual-track.ts");
  await preload(program.saver, database.kind);
  const start = performance.now();
  let begun = Number.NaN;
  const { saver, close } = await openSaver(program.saver, database.kind, database.path);
  const graph = await chatGraph(program, saver as Saver, () => {
    begun = performance.now() - start;
    return answer(turns + 1);
  });
  if (until === "begun") {
    await graph.invoke({ messages: [question(turns + 1)] }, config);
    await close();
    return { begun };
  }
  if (until === "ready") {
    const { values } = await graph.getState(config, { archive: false });
    const context = (values["messages"] as unknown[]).length;
    const ready = performance.now() - start;
    if (context === 0) throw new Error(`${side} found no context`);
    await close();
    return { ready };
  }
  const { values } = await graph.getState(config);
  const all = performance.now() - start;
  const found = (values[variant === "dual" ? "full_messages" : "messages"] as unknown[]).length;
  if (found < 2 * turns) throw new Error(`${side} found ${found} of ${2 * turns} messages`);
  await close();
  return { all };
}
