import { runSuite, type TestRunner } from "../suite.ts";
import { readingSpecs } from "./reading.ts";
import type { SaverSpec, SaverTarget } from "./types.ts";
import { valueSpecs } from "./values.ts";
import { verbSpecs } from "./verbs.ts";
import { writingSpecs } from "./writing.ts";

export type { TestRunner } from "../suite.ts";
export type { OpenedStorage, SaverFeature, SaverSpec, SaverTarget, VerbSaver, Writer } from "./types.ts";

/** What every saver has to do beyond LangGraph's own specs, for those who run it by themselves. */
export const saverSpecs: readonly SaverSpec[] = [
  ...valueSpecs,
  ...readingSpecs,
  ...writingSpecs,
  ...verbSpecs,
];

/** Runs one spec on a fresh storage. Rejects where the saver does something else. */
export async function runSaverSpec(spec: SaverSpec, target: SaverTarget): Promise<void> {
  const storage = await target.open();
  try {
    await spec.test(storage);
  } finally {
    await storage.close();
  }
}

/**
 * The conformance suite for people who write savers: each spec as a test of their runner. It stands
 * beside `@langchain/langgraph-checkpoint-validation` and asks what that does not.
 *
 * @example
 * import { describe, it } from "vitest";
 * testSaver({ features: [], open: () => openMyStorage() }, { describe, it });
 */
export function testSaver(target: SaverTarget, runner: TestRunner): void {
  runSuite(saverSpecs, target.features, runner, (spec) => runSaverSpec(spec, target));
}
