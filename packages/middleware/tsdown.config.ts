import { defineConfig } from "tsdown";
import { library } from "../../tsdown.base.ts";

export default defineConfig(
  library([
    "src/index.ts",
    "src/summarization/index.ts",
    "src/human-approval/index.ts",
    "src/model-call-limit/index.ts",
    "src/tool-call-limit/index.ts",
    "src/model-retry/index.ts",
    "src/tool-retry/index.ts",
    "src/model-fallback/index.ts",
    "src/pii/index.ts",
    "src/todo-list/index.ts",
    "src/tool-selector/index.ts",
    "src/dynamic-system-prompt/index.ts",
    "src/loop-guard/index.ts",
    "src/tool-emulator/index.ts",
    "src/file-search/index.ts",
    "src/shell/index.ts",
    "src/context-editing/index.ts",
    "src/tool-output-compression/index.ts",
    "src/tool-output-offloading/index.ts",
    "src/recall/index.ts",
    "src/run-loops/index.ts",
    "src/presets/index.ts",
    "src/opentelemetry/index.ts",
  ]),
);
