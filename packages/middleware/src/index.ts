export * from "./summarization/index.ts";
