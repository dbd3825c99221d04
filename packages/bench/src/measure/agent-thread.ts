import { createAgent } from "@skein/agent";
import { summarizationMiddleware } from "@skein/middleware/summarization";
import type { Figures, Params } from "../protocol.ts";
import { numberOf, textOf } from "../protocol.ts";
import { openSaver, type Side } from "../sides.ts";
import { add, Scripted } from "./agent.ts";
import { question } from "./conversation.ts";

/** Turns that are timed at the beginning, when everything is warm, and at the end. */
const WINDOW = 200;

/**
 * Milliseconds of processor time of a turn (model, tool, model; four messages) at the beginning and
 * at the end of one long thread in a SQLite file, with a context that summarization keeps small. Not of
 * the clock: what else the machine does in the minutes between the two would count.
 */
export async function agentThread(_side: Side, params: Params): Promise<Figures> {
  const turns = numberOf(params, "turns");
  const { saver, close } = await openSaver("skein", "sqlite", textOf(params, "path"));
  const agent = createAgent({
    model: new Scripted({}),
    tools: [add],
    middleware: [
      summarizationMiddleware({
        summarizer: "extractive",
        trigger: { messages: 40 },
        keep: { messages: 20 },
      }),
    ],
    ...(saver === undefined ? {} : { checkpointer: saver }),
  });
  const thread = { configurable: { thread_id: "t" } };
  const run = async (from: number, to: number): Promise<number> => {
    const before = process.cpuUsage();
    for (let at = from; at < to; at += 1) await agent.invoke({ messages: [question(at)] }, thread);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000 / (to - from);
  };
  await run(0, WINDOW);
  const early = await run(WINDOW, 2 * WINDOW);
  await run(2 * WINDOW, turns - WINDOW);
  const late = await run(turns - WINDOW, turns);
  const { messages } = await agent.history(thread, { limit: 1 });
  if (messages.length !== 1) throw new Error("the thread has no history");
  await close();
  return { early, late };
}
