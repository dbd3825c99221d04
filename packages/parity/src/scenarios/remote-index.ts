import type { Scenario } from "../scenario.ts";
import { remoteEvents } from "./remote-events.ts";
import { remoteFailures } from "./remote-failures.ts";
import { remoteNodes } from "./remote-nodes.ts";
import { remoteRuns } from "./remote-runs.ts";
import { remoteStates } from "./remote-states.ts";

/** Every scenario that needs a server, and so Node. */
export const remoteScenarios: Readonly<Record<string, readonly Scenario[]>> = {
  remoteEvents,
  remoteRuns,
  remoteStates,
  remoteNodes,
  remoteFailures,
};
