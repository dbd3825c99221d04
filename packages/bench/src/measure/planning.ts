import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { dualTrackMessages, type Compaction } from "@skein/agent";
import {
  compactionPolicy,
  extractiveSummarizer,
  planCompaction,
  type CompactionOptions,
  type Plan,
} from "@skein/context";
import { END, START, StateGraph, StateSchema } from "@skein/graph";
import { summarizationMiddleware } from "@skein/middleware/summarization";
import type { Figures, Params } from "../protocol.ts";
import { numberOf } from "../protocol.ts";
import type { Side } from "../sides.ts";
import { median } from "../stats.ts";
import { textFor } from "./conversation.ts";

/** Figures that are never reached: all of them are looked at on every turn. */
const IDLE: CompactionOptions = {
  trigger: [{ messages: 1_000_000 }, { tokens: 100_000_000 }, { newMessages: 900_000, ratio: 0.5 }],
  keep: { messages: 20 },
};

/**
 * Microseconds of planning one turn of a long context, in a node of a graph: two messages are new since
 * the plan before. The thread grew to its length in this process, by `warmUp` turns. `idle`: of the
 * middleware's whole hook, where nothing fires; `fires`: of a plan that ends in a compaction; `foreign`:
 * of a plan where nothing fires, of a list that was made elsewhere, so that its messages have to be
 * compared; `extract`: of a summary of all of it without a model. The floor reads the id of every message.
 */
export async function planning(side: Side, params: Params): Promise<Figures> {
  const warmUp = numberOf(params, "warmUp");
  const start = numberOf(params, "length") - 2 * warmUp;
  const hook = hookOf(summarizationMiddleware({ ...IDLE, summarizer: "extractive" }));
  const due = compactionPolicy({ trigger: { messages: start }, keep: { messages: 20 } });
  const elsewhere = compactionPolicy(IDLE);
  const times = {
    idle: [] as number[],
    fires: [] as number[],
    foreign: [] as number[],
    floor: [] as number[],
  };
  const last = await grow(turnOf, start, warmUp + numberOf(params, "samples"), async (list) => {
    if (side === "floor") {
      times.floor.push(timed(() => walk(list)));
      return undefined;
    }
    const copy = [...list];
    const { took, update } = await timedHook(hook, list);
    if (update !== undefined) throw new Error("the middleware compacts where nothing is due");
    times.idle.push(took);
    times.fires.push(timed(() => requireAction(planCompaction(list, {}, due), "compact")));
    times.foreign.push(timed(() => requireAction(planCompaction(copy, {}, elsewhere), "none")));
    return undefined;
  });
  const settled = (samples: readonly number[]): number => median(samples.slice(warmUp));
  if (side === "floor") return { idle: settled(times.floor) };
  const summarize = extractiveSummarizer(due.counter);
  const extract = timed(() => summarize({ messages: last, maxTokens: 1_000 }));
  return { idle: settled(times.idle), fires: settled(times.fires), foreign: settled(times.foreign), extract };
}

/** A hook before the model, called as an agent calls it. */
export type Hook = (state: object, runtime: object) => Promise<Update | undefined>;

interface Update {
  readonly messages?: unknown;
}

export function hookOf({ beforeModel }: { readonly beforeModel?: unknown }): Hook {
  if (typeof beforeModel !== "function") throw new TypeError("the middleware has no hook before the model");
  return beforeModel as Hook;
}

/** Microseconds of one call of a hook, and what it wrote. */
export async function timedHook(
  hook: Hook,
  messages: readonly BaseMessage[],
): Promise<{ readonly took: number; readonly update: Update | undefined }> {
  const state = { messages, _summary: [], _summaryStatus: null, _summaryAhead: null, _omitted: null };
  const started = process.hrtime.bigint();
  const update = await hook(state, {});
  return { took: Number(process.hrtime.bigint() - started) / 1_000, update };
}

/**
 * A thread that grows turn by turn in the engine, as an agent's does.
 *
 * @param length - messages that it has at first
 * @param look - is shown the context before each turn, and may say how it is to change
 */
export async function grow(
  turnOf: (turn: number) => BaseMessage[],
  length: number,
  turns: number,
  look: (list: readonly BaseMessage[]) => Promise<Compaction | undefined>,
): Promise<readonly BaseMessage[]> {
  let turn = 0;
  const graph = new StateGraph(new StateSchema(dualTrackMessages()))
    .addNode("shape", async ({ messages }) => {
      const compaction = await look(messages);
      return compaction === undefined ? {} : { messages: compaction };
    })
    .addNode("turn", () => ({ messages: turnOf(length + ++turn) }))
    .addEdge(START, "shape")
    .addEdge("shape", "turn")
    .addConditionalEdges("turn", () => (turn < turns ? "shape" : END))
    .compile();
  const messages: BaseMessage[] = [];
  for (let at = 0; messages.length < length; at++) messages.push(...turnOf(at));
  const state = await graph.invoke({ messages }, { recursionLimit: 2 * turns + 1 });
  return state.messages;
}

function requireAction({ action }: Plan, wanted: Plan["action"]): void {
  if (action !== wanted) throw new Error(`the plan is ${action}, not ${wanted}`);
}

const turnOf = (turn: number): BaseMessage[] => [question(turn), reply(turn)];
export const question = (turn: number): HumanMessage =>
  new HumanMessage({ id: `u${turn}`, content: textFor(turn, "user") });
export const reply = (turn: number): AIMessage =>
  new AIMessage({ id: `a${turn}`, content: textFor(turn, "assistant") });

function walk(list: readonly BaseMessage[]): number {
  let seen = 0;
  for (const message of list) if (message.id !== undefined) seen++;
  return seen;
}

export function timed(work: () => unknown): number {
  const started = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - started) / 1_000;
}
