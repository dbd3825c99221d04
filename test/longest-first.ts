import { basename } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Tests that take about ten seconds and more. vitest knows what files took only where it ran before, as in no
 * fresh clone; else it begins with those that have the most bytes. The longest of all has few, was the last one,
 * and half of the machine waited for it.
 */
const LONGEST = new Set([
  "scenarios.test.ts",
  "replay.test.ts",
  "bench.test.ts",
  "pruned-runs.test.ts",
  "cli.test.ts",
  "shared-messages.test.ts",
  "docs.test.ts",
  "savers-crossing.test.ts",
  "storage-size.test.ts",
  "crash.test.ts",
]);
const isLong = ({ moduleId }: TestSpecification): boolean => LONGEST.has(basename(moduleId));

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
