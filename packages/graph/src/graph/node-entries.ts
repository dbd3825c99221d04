import { GraphError } from "@skein/errors";
import type { NodeOptions } from "./builder-types.ts";

/** A node as it was given to `addNode`. */
export type NodeEntry = readonly [name: string, action: unknown, options?: NodeOptions];

/** The nodes that are given by name, in a record or as tuples. @throws GraphError when there are none */
export function nodeEntries(
  first: unknown,
  action: unknown,
  options: NodeOptions | undefined,
): readonly NodeEntry[] {
  if (typeof first === "string") return [options === undefined ? [first, action] : [first, action, options]];
  const entries = Array.isArray(first) ? (first as NodeEntry[]) : Object.entries((first ?? {}) as object);
  if (entries.length === 0) throw new GraphError("INVALID_CONFIGURATION", "No nodes were given.");
  return entries;
}
