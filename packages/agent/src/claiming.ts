import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";

const CHANGE_SETS = Symbol.for("skein.changeSets");

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

/** Undefined for a foreign saver, which does not know who runs a thread. */
export function claimingOf(saver: BaseCheckpointSaver): Claiming | undefined {
  return (saver as BaseCheckpointSaver & { readonly [CHANGE_SETS]?: Claiming })[CHANGE_SETS];
}
