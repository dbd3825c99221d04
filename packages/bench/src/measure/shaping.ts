import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { compactMessages } from "@skein/agent";
import {
  createTokenCounter,
  planClearing,
  planCompression,
  planLoopView,
  planOffloading,
  type TokenCounter,
} from "@skein/context";
import type { Figures, Params } from "../protocol.ts";
import { numberOf } from "../protocol.ts";
import type { Side } from "../sides.ts";
import { median } from "../stats.ts";
import { textFor } from "./conversation.ts";
import { grow, question, reply, timed, WARM_UP } from "./planning.ts";

interface Change {
  readonly replace: readonly BaseMessage[];
  readonly remove?: readonly string[];
}
type Planner = (list: readonly BaseMessage[], counter: TokenCounter) => Change;

const clearing = { keep: { messages: 3 }, placeholder: "[cleared]", saveAtLeast: 1_000 };

/** With the defaults of the middleware, but for loops: 10,000 messages are more than ten. */
const PLANNERS: Readonly<Record<string, Planner>> = {
  compression: (list, counter) =>
    planCompression(list, { limit: 200, keepTurns: 5, saveAtLeast: 2_000, counter }),
  offloading: (list, counter) => planOffloading(list, { limit: 1_000, keep: 250, counter }),
  clearing: (list, counter) => planClearing(list, { ...clearing, clearToolInputs: false, counter }),
  clearingInputs: (list, counter) => planClearing(list, { ...clearing, clearToolInputs: true, counter }),
  loops: (list, counter) =>
    planLoopView(list, { loops: 1e6, characters: 500, maxAge: Infinity, now: 0, counter }),
};

/**
 * Microseconds of planning what a context of so many messages is to show, in a node of a graph that
 * applies each plan, as the middleware does: `idle` where nothing fires, `fires` where something does,
 * `next` the first plan after that.
 */
export async function shaping(_side: Side, params: Params): Promise<Figures> {
  const figures: Record<string, number> = {};
  for (const [name, plan] of Object.entries(PLANNERS)) {
    const counter = createTokenCounter();
    const times = { idle: [] as number[], fires: [] as number[], next: [] as number[] };
    let fired = false;
    let looks = 0;
    await grow(halfTurnOf, numberOf(params, "length"), WARM_UP + numberOf(params, "samples"), (list) => {
      let change: Change = { replace: [] };
      const took = timed(() => {
        change = plan(list, counter);
      });
      const { replace, remove = [] } = change;
      const fires = replace.length + remove.length > 0;
      if (looks++ > WARM_UP) times[fires ? "fires" : fired ? "next" : "idle"].push(took);
      fired = fires;
      return fires ? compactMessages({ replace: [...replace], remove: [...remove] }) : undefined;
    });
    for (const [kind, samples] of Object.entries(times)) figures[`${name} ${kind}`] = median(samples);
  }
  return figures;
}

/** Half a turn: up to a tool's result, or from the next call to the answer. One result of nine is long. */
function halfTurnOf(half: number): BaseMessage[] {
  const call = { id: `call_${half}`, name: "look", args: { what: `part ${half}` } };
  const content = textFor(half, "tool").repeat(half % 9 === 0 ? 9 : 1);
  const called = [
    new AIMessage({ id: `c${half}`, content: "", tool_calls: [call] }),
    new ToolMessage({ id: `r${half}`, tool_call_id: call.id, name: "look", content }),
  ];
  return half % 2 === 0 ? [question(half), ...called] : [...called, reply(half)];
}
