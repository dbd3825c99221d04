import { readingSpecs } from "./reading.ts";
import type { SaverSpec, SaverTarget, TestRunner } from "./types.ts";
import { valueSpecs } from "./values.ts";
import { verbSpecs } from "./verbs.ts";
import { writingSpecs } from "./writing.ts";

export type {
  OpenedStorage,
  SaverFeature,
  SaverSpec,
  SaverTarget,
  TestRunner,
  VerbSaver,
  Writer,
} from "./types.ts";

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
export function testSaver(target: SaverTarget, { describe, it }: TestRunner): void {
  const specs = saverSpecs.filter(({ needs }) => needs === undefined || target.features.includes(needs));
  for (const group of new Set(specs.map((spec) => spec.group))) {
    describe(group, () => {
      for (const spec of specs.filter((each) => each.group === group)) {
        it(spec.name, async () => runSaverSpec(spec, target));
      }
    });
  }
}
