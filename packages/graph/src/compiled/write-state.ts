import type { RunnableConfig } from "@langchain/core/runnables";
import { type StateUpdate, type Updated, updateThread } from "../run/update.ts";
import type { LangGraphRunnableConfig } from "../task/config.ts";
import { checkConflict, checkSteps, onConflictOf } from "./check-call.ts";
import { heldBy } from "./held.ts";
import type { CallOptions } from "./options.ts";
import { addressOf, claimOf, configurableOf, type Place, stateConfig } from "./place.ts";
import { showIn } from "./shown-metadata.ts";

/** Makes updates, each step of them a checkpoint, and names the last one. */
export async function writeState(
  place: Place,
  config: RunnableConfig,
  steps: readonly { readonly updates: readonly StateUpdate[] }[],
): Promise<RunnableConfig> {
  checkSteps(steps);
  let address = addressOf(place, config);
  let updated: Updated | undefined;
  // with what is bound to the graph
  const { onConflict: option, configurable } = address.given as CallOptions;
  const onConflict = onConflictOf(option, configurable) ?? "fail";
  checkConflict(onConflict);
  const { program, store } = place.settings;
  // conditions find in it what they find in a run, as far as there is any of it without one
  const given: LangGraphRunnableConfig = { tags: [], ...(store && { store }), ...address.given };
  given.metadata = showIn({ ...given.metadata }, configurableOf(config));
  for (const { updates } of steps) {
    const under = heldBy(config) ?? claimOf(place, address);
    const request = { program, saver: place.saver, address, config: given, onConflict, under };
    updated = await updateThread(request, updates);
    address = { ...address, checkpointId: updated.id };
  }
  return stateConfig(address, updated?.parents);
}
