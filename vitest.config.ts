import { defineConfig } from "vitest/config";
import { onSkein } from "./packages/parity/src/on-skein.ts";

const long = process.env["SKEIN_TESTS"] === "long";
const data = process.env["SKEIN_TESTS"] === "data";

/** Tests run from source: the condition points every workspace package at its `src`. */
export default defineConfig({
  plugins: [onSkein()],
  resolve: { conditions: ["@skein/source"] },
  ssr: { resolve: { conditions: ["@skein/source", "node"] } },
  test: {
    include: long ? ["**/test/**/*.long.ts"] : data ? ["**/test/**/*.data.ts"] : ["**/test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    testTimeout: long || data ? 600_000 : 30_000,
    hookTimeout: 60_000,
    // vitest leaves a core to itself, which on two cores is half of them
    maxWorkers: "100%",
    // a worker loads LangChain once, and not once for every file: half of the time
    isolate: false,
    globalSetup: ["./packages/checkpointer/test/support/postgres-global.ts"],
    server: { deps: { inline: [/\?on-skein$/] } },
  },
});
