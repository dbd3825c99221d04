import type { CommitOutcome } from "../core/backend.ts";
import { errorCode, explained, isTaken } from "./driver.ts";

/** The claim was lost, or the head is another one. */
export const LOST: CommitOutcome = { done: false, why: "conflict" };

/** What functions of the schema raise then. */
const CONFLICT = "SK001";

/** @throws what is neither a claim that was lost nor a number that was taken */
export function refused(error: unknown): CommitOutcome {
  if (errorCode(error) === CONFLICT) return LOST;
  if (isTaken(error)) return { done: false, why: "taken" };
  throw explained(error);
}
