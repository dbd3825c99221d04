import { runSuite, type TestRunner } from "../../suite.ts";
import { findingSpecs } from "./finding.ts";
import { itemSpecs } from "./items.ts";
import { lifetimeSpecs } from "./lifetime.ts";
import { namespaceSpecs } from "./namespaces.ts";
import { searchSpecs } from "./search.ts";
import type { StoreSpec, StoreTarget } from "./types.ts";

export type { TestRunner } from "../../suite.ts";
export type { OpenOptions, StoreFeature, StoreSpec, StoreTarget } from "./types.ts";

/** What every store has to do, for those who run it by themselves. */
export const storeSpecs: readonly StoreSpec[] = [
  ...itemSpecs,
  ...searchSpecs,
  ...namespaceSpecs,
  ...findingSpecs,
  ...lifetimeSpecs,
];

/** Runs one spec on a fresh store. Rejects where the store does something else. */
export async function runStoreSpec(spec: StoreSpec, target: StoreTarget): Promise<void> {
  const store = await target.open(spec.options ?? {});
  await store.start();
  try {
    await spec.test(store);
  } finally {
    await store.stop();
  }
}

/**
 * The conformance suite for people who write stores: each spec as a test of their runner.
 *
 * @example
 * import { describe, it } from "vitest";
 * testStore({ features: [], open: () => new MyStore() }, { describe, it });
 */
export function testStore(target: StoreTarget, runner: TestRunner): void {
  runSuite(storeSpecs, target.features, runner, (spec) => runStoreSpec(spec, target));
}
