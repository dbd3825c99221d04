import type { RunnableConfig } from "@langchain/core/runnables";
import type { SqliteSaver } from "@skein/checkpointer/sqlite";
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
 * @param checkpoint - the id of a checkpoint, or a part that no other has
 * @throws BadInput if there is none, or several
 */
export async function forkThread(
  agent: FolderAgent,
  saver: Checkpoints,
  thread: string,
  checkpoint: string,
  db: string,
): Promise<Fork> {
  const before = await agent.getState({ configurable: { thread_id: thread } }, { archive: false });
  const forkedFrom = await checkpointOf(saver, thread, checkpoint, db);
  const config = { configurable: { thread_id: thread, checkpoint_id: forkedFrom, checkpoint_ns: "" } };
  // An update of nothing: its checkpoint is a child of the one that it names, and the new head.
  return { head: idOf(await agent.updateState(config, null)), forkedFrom, before: idOf(before.config) };
}

/** What knows the checkpoints of a thread without reading them. */
type Checkpoints = Pick<SqliteSaver, "checkpoints">;

/** The checkpoint with an id or a part of one. @throws BadInput if there is none, or several */
export async function checkpointOf(
  saver: Checkpoints,
  thread: string,
  named: string,
  db: string,
): Promise<string> {
  const ids = (await saver.checkpoints(thread)).map(({ id }) => id);
  return namedCheckpoint(ids, thread, named, db);
}

/** @throws BadInput if no checkpoint has that id or part of an id, or several have it */
export function namedCheckpoint(ids: readonly string[], thread: string, named: string, db: string): string {
  // every id has nothing as its part: that names none, even where there is only one
  const having = named === "" ? [] : ids.filter((id) => id.includes(named));
  const matching = ids.includes(named) ? [named] : having;
  const [found, another] = matching;
  if (found === undefined) {
    throw new BadInput(
      `Thread "${thread}" has no checkpoint "${named}". Its checkpoints: ${commandLine(["history", thread], db)}`,
    );
  }
  if (another === undefined) return found;
  throw new BadInput(
    `"${named}" names ${matching.length} checkpoints of thread "${thread}"; give more of the id.`,
  );
}

const idOf = (config: RunnableConfig): string => String(config.configurable?.["checkpoint_id"]);

/** The checkpoint at which the turn before the last one ended. @throws BadInput if there is none */
export async function previousTurn(agent: FolderAgent, thread: string): Promise<string> {
  let first = true;
  for await (const { next, config } of agent.getStateHistory({ configurable: { thread_id: thread } })) {
    if (!first && next.length === 0) return idOf(config);
    first = false;
  }
  throw new BadInput(`Thread "${thread}" has no earlier turn to go back to.`);
}
