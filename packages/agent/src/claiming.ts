import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { changeSetsOf } from "@skein/graph";

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

/** Undefined for a foreign saver, or one that the engine uses as such: it does not know who runs a thread. */
export const claimingOf: (saver: BaseCheckpointSaver) => Claiming | undefined = changeSetsOf;
