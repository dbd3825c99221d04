import type { RunnableConfig } from "@langchain/core/runnables";
import type { OnConflict } from "../run/storage.ts";
import { type StateUpdate, type Updated, updateThread } from "../run/update.ts";
import { checkConflict, checkSteps } from "./check-call.ts";
import { addressOf, configurableOf, type Place, stateConfig } from "./place.ts";

/** Makes updates, each step of them a checkpoint, and names the last one. */
export async function writeState(
  place: Place,
  config: RunnableConfig,
  steps: readonly { readonly updates: readonly StateUpdate[] }[],
): Promise<RunnableConfig> {
  checkSteps(steps);
  let address = addressOf(place, config);
  let updated: Updated | undefined;
  const onConflict = (configurableOf(config)["onConflict"] as OnConflict | undefined) ?? "fail";
  checkConflict(onConflict);
  for (const { updates } of steps) {
    const request = { program: place.settings.program, saver: place.saver, address, config, onConflict };
    updated = await updateThread(request, updates);
    address = { ...address, checkpointId: updated.id };
  }
  return stateConfig(address, updated?.parents);
}
