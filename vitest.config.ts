import { defineConfig } from "vitest/config";

const long = process.env["SKEIN_TESTS"] === "long";
const data = process.env["SKEIN_TESTS"] === "data";

/** Tests run from source: the condition points every workspace package at its `src`. */
export default defineConfig({
  resolve: { conditions: ["@skein/source"] },
  ssr: { resolve: { conditions: ["@skein/source", "node", "import", "default"] } },
  test: {
    include: long ? ["**/test/**/*.long.ts"] : data ? ["**/test/**/*.data.ts"] : ["**/test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    testTimeout: long || data ? 600_000 : 30_000,
    hookTimeout: 60_000,
  },
});
