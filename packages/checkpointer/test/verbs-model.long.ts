import { describe, expect, it } from "vitest";
import { ALL_SAVERS } from "./savers.ts";
import { expectLikeModel } from "./support/play-verbs.ts";

const RUNS: Readonly<Record<string, number>> = { MemorySaver: 1000, SqliteSaver: 250, PostgresSaver: 50 };

/** Checklist A10, B4 to B7. */
describe.each(ALL_SAVERS)("the verbs of $name against a model that keeps every checkpoint whole", (kind) => {
  it("say the same in any order: travelling, forks of forks, pruning, erasing, copies", async () => {
    expect.hasAssertions();
    await expectLikeModel(kind, RUNS[kind.name] ?? 0);
  });
});
