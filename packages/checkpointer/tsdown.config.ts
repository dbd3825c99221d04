import { defineConfig } from "tsdown";
import { library, nodeLibrary } from "../../tsdown.base.ts";

const entry = [
  "src/index.ts",
  "src/base/index.ts",
  "src/conformance/index.ts",
  "src/memory/index.ts",
  "src/postgres/index.ts",
  "src/sqlite/index.ts",
  "src/store/index.ts",
  "src/store/sqlite/index.ts",
  "src/store/postgres/index.ts",
  "src/store/conformance/index.ts",
];

export default defineConfig([
  { ...library(entry), platform: "node" },
  nodeLibrary(entry, ["src/base/index.ts", "src/memory/index.ts", "src/store/index.ts"]),
]);
