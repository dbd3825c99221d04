import { PREVIOUS } from "../ids/names.ts";
import { runningTask } from "./caller.ts";

const KEYS = [PREVIOUS] as const;

/**
 * What the entrypoint returned, or saved with `entrypoint.final`, when it last ran on this thread;
 * undefined when it never did.
 *
 * @throws GraphError OUTSIDE_RUN outside of entrypoints and tasks
 */
export function getPreviousState<State>(): State {
  return runningTask("getPreviousState()").scope.snapshot.read(KEYS)[PREVIOUS] as State;
}
