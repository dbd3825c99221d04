import type { Scenario } from "../scenario.ts";
import { building } from "./building.ts";
import { calls } from "./calls.ts";
import { commands } from "./commands.ts";
import { control } from "./control.ts";
import { channels } from "./channels.ts";
import { delta } from "./delta.ts";
import { drain } from "./drain.ts";
import { drawing } from "./drawing.ts";
import { edges } from "./edges.ts";
import { encodings } from "./encodings.ts";
import { errorHandlers } from "./error-handlers.ts";
import { eventStreamEndings } from "./event-streams-endings.ts";
import { eventStreamFunctions } from "./event-streams-functions.ts";
import { eventStreamInterrupts } from "./event-streams-interrupts.ts";
import { eventStreamMessages } from "./event-streams-messages.ts";
import { eventStreamSubgraphs } from "./event-streams-subgraphs.ts";
import { eventStreamTransformers } from "./event-streams-transformers.ts";
import { eventStreamViews } from "./event-streams-views.ts";
import { exitReading } from "./exit-reading.ts";
import { failures } from "./failures.ts";
import { func } from "./func.ts";
import { hangs } from "./hangs.ts";
import { history } from "./history.ts";
import { configsOfCalls } from "./configs-of-calls.ts";
import { howTos } from "./how-tos.ts";
import { interrupts } from "./interrupts.ts";
import { jsonSchemas } from "./json-schemas.ts";
import { lifecycle } from "./lifecycle.ts";
import { messages } from "./messages.ts";
import { modes } from "./modes.ts";
import { nested } from "./nested.ts";
import { nodeOptions } from "./node-options.ts";
import { nodeReturns } from "./node-returns.ts";
import { ownSavers } from "./own-savers.ts";
import { persistence } from "./persistence.ts";
import { attempts } from "./attempts.ts";
import { policies } from "./policies.ts";
import { prebuilt } from "./prebuilt.ts";
import { prebuiltOptions } from "./prebuilt-options.ts";
import { pregel } from "./pregel.ts";
import { reducers } from "./reducers.ts";
import { replay } from "./replay.ts";
import { runtime } from "./runtime.ts";
import { saverConfigs } from "./saver-configs.ts";
import { schemas } from "./schemas.ts";
import { sends } from "./sends.ts";
import { sharedKeys } from "./shared-keys.ts";
import { siblings } from "./siblings.ts";
import { stores } from "./stores.ts";
import { streaming } from "./streaming.ts";
import { subgraphs } from "./subgraphs.ts";
import { stubs } from "./stubs.ts";
import { timeLimits } from "./time-limits.ts";
import { writers } from "./writers.ts";
import { wrongEdges } from "./wrong-edges.ts";
import { withConfig } from "./with-config.ts";
import { zod } from "./zod.ts";
import { zodObjects } from "./zod-objects.ts";
import { zodRegistry } from "./zod-registry.ts";
import { zodVersions } from "./zod-versions.ts";
import { guards } from "./guards.ts";
import { handledFailures } from "./handled-failures.ts";
import { editedSubgraphs } from "./edited-subgraphs.ts";
import { halfFinishedSteps } from "./half-finished.ts";
import { tracing } from "./tracing.ts";
import { travel } from "./travel.ts";
import { trouble } from "./trouble.ts";
import { waiting } from "./waiting.ts";

/** Every scenario, by theme. */
export const scenarios: Readonly<Record<string, readonly Scenario[]>> = {
  reducers,
  edges,
  wrongEdges,
  channels,
  delta,
  drawing,
  building,
  control,
  commands,
  sends,
  interrupts,
  history,
  subgraphs,
  sharedKeys,
  messages,
  schemas,
  failures,
  attempts,
  policies,
  nodeOptions,
  nodeReturns,
  errorHandlers,
  drain,
  runtime,
  encodings,
  stores,
  streaming,
  func,
  prebuilt,
  prebuiltOptions,
  calls,
  withConfig,
  writers,
  modes,
  persistence,
  saverConfigs,
  ownSavers,
  nested,
  travel,
  replay,
  siblings,
  handledFailures,
  editedSubgraphs,
  halfFinishedSteps,
  trouble,
  timeLimits,
  stubs,
  hangs,
  waiting,
  zod,
  zodObjects,
  zodRegistry,
  zodVersions,
  jsonSchemas,
  eventStreamViews,
  eventStreamSubgraphs,
  eventStreamInterrupts,
  eventStreamMessages,
  eventStreamTransformers,
  eventStreamEndings,
  eventStreamFunctions,
  lifecycle,
  pregel,
  tracing,
  guards,
  exitReading,
  howTos,
  configsOfCalls,
};
