export * from "./summarization/index.ts";
export * from "./human-approval/index.ts";
export * from "./model-call-limit/index.ts";
export * from "./tool-call-limit/index.ts";
export * from "./model-retry/index.ts";
export * from "./tool-retry/index.ts";
export * from "./model-fallback/index.ts";
