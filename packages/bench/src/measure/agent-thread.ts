import { createAgent } from "@skein/agent";
import { summarizationMiddleware } from "@skein/middleware/summarization";
import type { Figures, Params } from "../protocol.ts";
import { numberOf, textOf } from "../protocol.ts";
import { openSaver, type Side } from "../sides.ts";
import { lastOf, mean } from "../stats.ts";
import { add, Scripted } from "./agent.ts";
import { question } from "./conversation.ts";

/** Turns that are timed at the beginning, when everything is warm, and at the end. */
const WINDOW = 200;
/** Turns of a sample, in which two compactions fall. */
const PART = 10;

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
  let turn = 0;
  const run = async (count: number): Promise<number> => {
    const before = process.cpuUsage();
    for (const end = turn + count; turn < end; turn += 1)
      await agent.invoke({ messages: [question(turn)] }, thread);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000 / count;
  };
  const window = async (): Promise<number> =>
    mean((await lastOf(WINDOW / PART, WINDOW / PART, () => run(PART))).quick);
  await run(WINDOW);
  const early = await window();
  await run(turns - 3 * WINDOW);
  const late = await window();
  const { messages } = await agent.history(thread, { limit: 1 });
  if (messages.length !== 1) throw new Error("the thread has no history");
  await close();
  return { early, late };
}
