import type { GraphError } from "@skein/graph";

export * from "@skein/graph";
export type ErrorCodeOf = GraphError["code"] | undefined;
