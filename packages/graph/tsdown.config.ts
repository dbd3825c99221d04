import { defineConfig } from "tsdown";
import { library, nodeLibrary } from "../../tsdown.base.ts";

const entry = [
  "src/index.ts",
  "src/channels/index.ts",
  "src/zod.ts",
  "src/zod-schema.ts",
  "src/pregel.ts",
  "src/prebuilt.ts",
  "src/remote.ts",
  "src/stream.ts",
  "src/web.ts",
];

export default defineConfig([library(entry), nodeLibrary(entry, ["src/index.ts"])]);
