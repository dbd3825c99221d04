import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";

const CHANGE_SETS = Symbol.for("skein.changeSets");
const OWN_CONTRACT = Symbol.for("skein.ownContract");

/** The part of a saver's change sets that says who may write to a thread. */
export interface Claiming {
  open(
    address: { readonly threadId: string; readonly namespace: string },
    options?: { readonly claim: "fail" | "take" | { readonly waitMs: number } },
  ): Opened | Promise<Opened>;
  release(claim: object): void | Promise<void>;
}

/** A thread as it stands, and the claim that was taken, if one was asked for. */
export interface Opened {
  readonly checkpoint: { readonly id: string; readonly ts: string } | undefined;
  readonly claim: object | undefined;
}

interface Claimable {
  readonly [CHANGE_SETS]?: Claiming;
  readonly [OWN_CONTRACT]?: unknown;
}

/** Undefined for a foreign saver, or one that the engine uses as such: it does not know who runs a thread. */
export function claimingOf(saver: BaseCheckpointSaver): Claiming | undefined {
  const given = saver as BaseCheckpointSaver & Claimable;
  const { [OWN_CONTRACT]: own = saver } = given;
  return own === saver ? given[CHANGE_SETS] : undefined;
}
