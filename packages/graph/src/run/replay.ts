import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { saverConfigOf } from "./config-of.ts";
import type { Address } from "./storage.ts";

/**
 * An old checkpoint is run again: a graph that a task calls begins with the state that it had then,
 * and finds its newest one when it is called another time.
 */
export class Replay {
  readonly #before: string;
  readonly #visited = new Set<string>();

  /** @param before - id of the checkpoint that is run again */
  constructor(before: string) {
    this.#before = before;
  }
  /** Whether a called graph comes up for the first time; its calls are told apart by ids of tasks. */
  isFirstVisit(namespace: string): boolean {
    const end = namespace.lastIndexOf(":");
    const place = end < 0 ? namespace : namespace.slice(0, end);
    if (this.#visited.has(place)) return false;
    this.#visited.add(place);
    return true;
  }
  /** Id of a namespace's newest checkpoint of that time; undefined when it had none. */
  async find(saver: BaseCheckpointSaver, address: Address): Promise<string | undefined> {
    const before = saverConfigOf({ ...address, checkpointId: this.#before });
    for await (const { checkpoint } of saver.list(saverConfigOf(address), { before, limit: 1 })) {
      return checkpoint.id;
    }
    return undefined;
  }
}
