import { defineConfig } from "tsdown";
import { library } from "../../tsdown.base.ts";

export default defineConfig(
  library([
    "src/index.ts",
    "src/channels/index.ts",
    "src/zod.ts",
    "src/zod-schema.ts",
    "src/pregel.ts",
    "src/prebuilt.ts",
    "src/remote.ts",
    "src/stream.ts",
    "src/web.ts",
  ]),
);
