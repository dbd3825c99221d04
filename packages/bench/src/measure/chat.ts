import { rmSync, statSync } from "node:fs";
import type { Figures, Params } from "../protocol.ts";
import { numberOf, textOf } from "../protocol.ts";
import { type EngineSide, type LangGraph, loadEngine, openSaver, type Saver, type Side } from "../sides.ts";
import { median } from "../stats.ts";
import type { ChatGraph, OnNode } from "./chat-graph.ts";
import { floorChat, floorResume } from "./chat-floor.ts";
import { answer, question } from "./conversation.ts";

export type Variant = "plain" | "dual";

const config = { durability: "sync", configurable: { thread_id: "chat" } };

function plainGraph(lg: LangGraph, saver: Saver, onNode: OnNode): ChatGraph {
  let turn = 0;
  return new lg.StateGraph(lg.MessagesAnnotation)
    .addNode("model", () => {
      onNode();
      turn += 1;
      return { messages: [answer(turn)] };
    })
    .addEdge(lg.START, "model")
    .compile({ checkpointer: saver }) as unknown as ChatGraph;
}

async function chatGraph(
  side: EngineSide,
  variant: Variant,
  saver: Saver,
  onNode: OnNode,
): Promise<ChatGraph> {
  const lg = await loadEngine(side);
  if (variant === "plain") return plainGraph(lg, saver, onNode);
  const { dualTrackGraph } = await import("./dual-track.ts");
  return dualTrackGraph(saver, onNode);
}

/** Runs a thread to `turns` turns; figures of its last turns and of the file. */
export async function chat(side: Side, params: Params): Promise<Figures> {
  const turns = numberOf(params, "turns");
  const path = textOf(params, "path");
  const variant = textOf(params, "variant") as Variant;
  const tail = Math.min(numberOf(params, "tail"), turns);
  const times =
    side === "floor"
      ? await floorChat(path, turns)
      : await engineChat(side, variant, path, turns, numberOf(params, "warmUp"));
  const bytes = statSync(path).size;
  const last = times.slice(-tail);
  const mean = last.reduce((sum, time) => sum + time, 0) / last.length;
  return { perTurn: median(last), meanPerTurn: mean, bytesPerTurn: bytes / turns };
}

async function engineChat(
  side: EngineSide,
  variant: Variant,
  path: string,
  turns: number,
  warmUp: number,
): Promise<number[]> {
  await runThread(side, variant, `${path}.warm`, warmUp);
  for (const end of ["", "-wal", "-shm"]) rmSync(`${path}.warm${end}`, { force: true });
  return await runThread(side, variant, path, turns);
}

async function runThread(side: EngineSide, variant: Variant, path: string, turns: number): Promise<number[]> {
  const { saver, close } = await openSaver(side, "sqlite", path);
  const graph = await chatGraph(side, variant, saver as Saver, () => {});
  const times: number[] = [];
  for (let turn = 1; turn <= turns; turn += 1) {
    const input = { messages: [question(turn)] };
    const start = performance.now();
    await graph.invoke(input, config);
    times.push(performance.now() - start);
  }
  close();
  return times;
}

/**
 * A fresh process opens the file that {@link chat} left. `ready`: until the next turn's node starts.
 * `all`: until every message is in hand. Each in its own process: the first to run warms the other.
 */
export async function resume(side: Side, params: Params): Promise<Figures> {
  const path = textOf(params, "path");
  const turns = numberOf(params, "turns");
  const until = textOf(params, "until");
  const variant = textOf(params, "variant") as Variant;
  if (side === "floor") return await floorResume(path, turns, until);
  await loadEngine(side);
  if (variant === "dual") await import("./dual-track.ts");
  await openSaver(side, "memory", "");
  await import("libsql");
  const start = performance.now();
  let ready = Number.NaN;
  const { saver, close } = await openSaver(side, "sqlite", path);
  const graph = await chatGraph(side, variant, saver as Saver, () => (ready = performance.now() - start));
  if (until === "ready") {
    await graph.invoke({ messages: [question(turns + 1)] }, config);
    close();
    return { ready };
  }
  const { values } = await graph.getState(config);
  const all = performance.now() - start;
  const found = (values[variant === "dual" ? "full_messages" : "messages"] as unknown[]).length;
  if (found < 2 * turns) throw new Error(`${side} found ${found} of ${2 * turns} messages`);
  close();
  return { all };
}
