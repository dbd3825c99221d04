import { eventStreams } from "./event-streams.ts";
import { handoffs } from "./handoffs.ts";
import type { AgentScenario } from "./langchains.ts";
import { middleware } from "./middleware.ts";
import { failures } from "./middleware-failures.ts";
import { people } from "./middleware-people.ts";
import { requests } from "./requests.ts";
import { running } from "./running.ts";
import { state } from "./state.ts";
import { tracing } from "./tracing.ts";
import { zodVersions } from "./zod-versions.ts";

/** Every scenario of `langchain`, by theme. */
export const agentScenarios: Readonly<Record<string, readonly AgentScenario[]>> = {
  running,
  state,
  middleware,
  people,
  requests,
  failures,
  handoffs,
  eventStreams,
  tracing,
  zodVersions,
};
