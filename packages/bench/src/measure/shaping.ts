import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { Compaction } from "@skein/agent";
import { ClearToolUsesEdit, contextEditingMiddleware } from "@skein/middleware/context-editing";
import { runLoopsMiddleware } from "@skein/middleware/run-loops";
import { toolOutputCompressionMiddleware } from "@skein/middleware/tool-output-compression";
import { toolOutputOffloadingMiddleware } from "@skein/middleware/tool-output-offloading";
import type { Figures, Params } from "../protocol.ts";
import { numberOf } from "../protocol.ts";
import type { Side } from "../sides.ts";
import { median } from "../stats.ts";
import { parsed, textFor } from "./conversation.ts";
import { grow, hookOf, question, reply, timedHook } from "./planning.ts";

const clearing = (clearToolInputs: boolean) =>
  contextEditingMiddleware({ edits: [new ClearToolUsesEdit({ trigger: { tokens: 1 }, clearToolInputs })] });

/**
 * With the defaults of the middleware, but that all of it fits a smaller context: results are offloaded
 * from 1,000 tokens on, the trigger of clearing is always reached, and no loop is left out.
 */
const MIDDLEWARE = {
  compression: () => toolOutputCompressionMiddleware(),
  offloading: () => toolOutputOffloadingMiddleware({ limit: 1_000 }),
  clearing: () => clearing(false),
  clearingInputs: () => clearing(true),
  loops: () => runLoopsMiddleware({ loops: 1e6 }),
};

/**
 * Microseconds of the hooks that decide what a context of so many messages is to show, in a node of a
 * graph that applies what they write: `idle` where nothing fires, `fires` where something does, `next`
 * the first one after that. The thread grew to its length in this process, by `warmUp` half turns.
 */
export async function shaping(_side: Side, params: Params): Promise<Figures> {
  const figures: Record<string, number> = {};
  const warmUp = numberOf(params, "warmUp");
  const start = numberOf(params, "length") - 3 * warmUp;
  for (const [name, middleware] of Object.entries(MIDDLEWARE)) {
    const hook = hookOf(middleware());
    const times = { idle: [] as number[], fires: [] as number[], next: [] as number[] };
    let fired = false;
    let looks = 0;
    await grow(halfTurnOf, start, warmUp + numberOf(params, "samples"), async (list) => {
      const { took, update } = await timedHook(hook, list);
      const fires = update?.messages !== undefined;
      const otherwise = fired ? times.next : times.idle;
      if (looks++ > warmUp) (fires ? times.fires : otherwise).push(took);
      fired = fires;
      return update?.messages as Compaction | undefined;
    });
    for (const [kind, samples] of Object.entries(times)) figures[`${name} ${kind}`] = median(samples);
  }
  return figures;
}

/** Half a turn: up to a tool's result, or from the next call to the answer. One result of nine is long. */
function halfTurnOf(half: number): BaseMessage[] {
  const call = { id: `call_${half}`, name: "look", args: { what: `part ${half}` } };
  const content = parsed(textFor(half, "tool").repeat(half % 9 === 0 ? 9 : 1));
  const called = [
    new AIMessage({ id: `c${half}`, content: "", tool_calls: [call] }),
    new ToolMessage({ id: `r${half}`, tool_call_id: call.id, name: "look", content }),
  ];
  return half % 2 === 0 ? [question(half), ...called] : [...called, reply(half)];
}
