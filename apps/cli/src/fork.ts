import type { RunnableConfig } from "@langchain/core/runnables";
import type { FolderAgent } from "./agent.ts";
import { BadInput } from "./errors.ts";
import { commandLine } from "./ui/invocation.ts";

export interface Fork {
  /** The new checkpoint: the thread goes on from here. */
  readonly head: string;
  readonly forkedFrom: string;
  /** The head before: it and everything on its branch stay. */
  readonly before: string;
}

/**
 * Starts a branch: a copy of an earlier checkpoint becomes the head of the thread.
 *
 * @param checkpoint the id of a checkpoint, or a part that no other has
 * @throws BadInput if there is none, or several
 */
export async function forkThread(
  agent: FolderAgent,
  thread: string,
  checkpoint: string,
  db: string,
): Promise<Fork> {
  const before = await agent.getState({ configurable: { thread_id: thread } }, { archive: false });
  const named = { configurable: { thread_id: thread, checkpoint_id: checkpoint, checkpoint_ns: "" } };
  const exact = (await agent.getState(named, { archive: false })).createdAt !== undefined;
  const matching = exact
    ? [checkpoint]
    : (await checkpointIds(agent, thread)).filter((id) => id.includes(checkpoint));
  const [forkedFrom, another] = matching;
  if (forkedFrom === undefined) {
    throw new BadInput(
      `Thread "${thread}" has no checkpoint "${checkpoint}". Its checkpoints: ${commandLine(["history", thread], db)}`,
    );
  }
  if (another !== undefined) {
    throw new BadInput(
      `"${checkpoint}" names ${matching.length} checkpoints of thread "${thread}"; give more of the id.`,
    );
  }
  const config = { configurable: { thread_id: thread, checkpoint_id: forkedFrom, checkpoint_ns: "" } };
  // An update of nothing: its checkpoint is a child of the one that it names, and the new head.
  return { head: idOf(await agent.updateState(config, null)), forkedFrom, before: idOf(before.config) };
}

const idOf = (config: RunnableConfig): string => String(config.configurable?.["checkpoint_id"]);

async function checkpointIds(agent: FolderAgent, thread: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { config } of agent.getStateHistory({ configurable: { thread_id: thread } })) {
    ids.push(idOf(config));
  }
  return ids;
}

/** The checkpoint at which the turn before the last one ended. @throws BadInput if there is none */
export async function previousTurn(agent: FolderAgent, thread: string): Promise<string> {
  let first = true;
  for await (const { next, config } of agent.getStateHistory({ configurable: { thread_id: thread } })) {
    if (!first && next.length === 0) return idOf(config);
    first = false;
  }
  throw new BadInput(`Thread "${thread}" has no earlier turn to go back to.`);
}
