import { defineConfig } from "vitest/config";
import { onSkein } from "./packages/parity/src/on-skein.ts";
import { LongestFirst } from "./test/longest-first.ts";

const long = process.env["SKEIN_TESTS"] === "long";
const data = process.env["SKEIN_TESTS"] === "data";

/**
 * Tests of what only the first in a process can do: LangGraph's method on zod's schemas is that of the engine
 * that is loaded first, and LangSmith's client is made once, for wherever it was to send to then.
 */
const ALONE = [
  "packages/graph/test/zod.test.ts",
  "packages/agent/test/zod-reducers.test.ts",
  "packages/middleware/test/langsmith.test.ts",
];

/** Tests run from source: the condition points every workspace package at its `src`. */
const shared = {
  plugins: [onSkein()],
  resolve: { conditions: ["@skein/source"] },
  ssr: { resolve: { conditions: ["@skein/source", "node"] } },
};
const exclude = ["**/node_modules/**", "**/dist/**"];

export default defineConfig({
  test: {
    // vitest leaves a core to itself, which on two cores is half of them
    maxWorkers: "100%",
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        ...shared,
        test: {
          name: "all",
          include: long
            ? ["**/test/**/*.long.ts"]
            : data
              ? ["**/test/**/*.data.ts"]
              : ["**/test/**/*.test.ts"],
          exclude: [...exclude, ...ALONE],
          // a worker loads LangChain once, and not once for every file: half of the time
          isolate: false,
          testTimeout: long || data ? 600_000 : 60_000,
          hookTimeout: 60_000,
          setupFiles: ["./test/seed.ts"],
          globalSetup: ["./packages/checkpointer/test/support/postgres-global.ts"],
          server: { deps: { inline: [/\?on-skein$/] } },
        },
      },
      ...(long || data ? [] : [{ ...shared, test: { name: "alone", include: ALONE, exclude } }]),
    ],
  },
});
