import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import {
  compactionPolicy,
  extractiveSummarizer,
  planCompaction,
  type CompactionOptions,
  type Plan,
} from "@skein/context";
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

const WARM_UP = 20;

/**
 * Microseconds of planning one turn of a long context: two messages are new since the plan before.
 * `fires`: of a plan that ends in a compaction; `extract`: of a summary of all of it without a model.
 * The floor reads the id of every message.
 */
export async function planning(side: Side, params: Params): Promise<Figures> {
  const length = numberOf(params, "length");
  const quiet = compactionPolicy(IDLE);
  const { counter } = quiet;
  const due = compactionPolicy({ trigger: { messages: length }, keep: { messages: 20 }, counter });
  const idle: number[] = [];
  const fires: number[] = [];
  let list: BaseMessage[] = Array.from({ length: length / 2 }, (_, turn) => turnOf(turn)).flat();
  for (let turn = 0; turn < WARM_UP + numberOf(params, "samples"); turn++) {
    list = [...list, ...turnOf(length + turn)];
    if (side === "floor") {
      idle.push(timed(() => walk(list)));
      continue;
    }
    idle.push(timed(() => requireAction(planCompaction(list, {}, quiet), "none")));
    fires.push(timed(() => requireAction(planCompaction(list, {}, due), "compact")));
  }
  if (side === "floor") return { idle: median(idle.slice(WARM_UP)) };
  const summarize = extractiveSummarizer(counter);
  const extract = timed(() => summarize({ messages: list, maxTokens: 1_000 }));
  return { idle: median(idle.slice(WARM_UP)), fires: median(fires.slice(WARM_UP)), extract };
}

function requireAction({ action }: Plan, wanted: Plan["action"]): void {
  if (action !== wanted) throw new Error(`the plan is ${action}, not ${wanted}`);
}

const turnOf = (turn: number): BaseMessage[] => [question(turn), reply(turn)];
const question = (turn: number): HumanMessage =>
  new HumanMessage({ id: `u${turn}`, content: textFor(turn, "user") });
const reply = (turn: number): AIMessage =>
  new AIMessage({ id: `a${turn}`, content: textFor(turn, "assistant") });

function walk(list: readonly BaseMessage[]): number {
  let seen = 0;
  for (const message of list) if (message.id !== undefined) seen++;
  return seen;
}

function timed(work: () => unknown): number {
  const started = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - started) / 1_000;
}
