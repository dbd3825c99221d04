import type { CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import type { Awaitable } from "@skein/checkpointer";
import { isAtEnd } from "../engine/plan.ts";
import type { Run } from "./run.ts";
import type { TaskOutput } from "./storage.ts";

/**
 * Ends a step: the snapshot becomes a checkpoint with an id of its own, and everything that changed
 * goes to the journal in one commit (I4). The last one of a run gives the thread back with it.
 *
 * @param followed - nothing of the program runs before the next one. Default: false
 */
export function commitStep(
  run: Run,
  source: CheckpointMetadata["source"],
  outputs: readonly TaskOutput[],
  followed = false,
): Awaitable<void> {
  const { snapshot } = run;
  const id = run.clock.next(snapshot.step);
  run.metadata = { source, step: snapshot.step, parents: run.options.parents };
  run.parentId = run.journal?.parentId;
  const committed = run.journal?.commit(id, run.metadata, outputs, {
    release: isAtEnd(snapshot),
    // an observer shows it
    followed: followed && run.observer === undefined,
  });
  snapshot.checkpointId = id;
  snapshot.step += 1;
  return committed;
}
