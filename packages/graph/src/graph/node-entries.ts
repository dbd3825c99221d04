import { GraphError, shown } from "@skein/errors";
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
  if (typeof first !== "object" || first === null) {
    throw new GraphError(
      "INVALID_CONFIGURATION",
      `A node's name is a text, not ${shown(first)}. Pass a name and a function, or a record or list of them.`,
    );
  }
  const entries = Array.isArray(first) ? first.map(checkedEntry) : Object.entries(first);
  if (entries.length === 0) throw new GraphError("INVALID_CONFIGURATION", "No nodes were given.");
  return entries;
}

function checkedEntry(entry: unknown): NodeEntry {
  if (Array.isArray(entry) && typeof entry[0] === "string") return entry as unknown as NodeEntry;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `A list of nodes holds tuples, as in [["plan", plan]], not ${shown(Array.isArray(entry) ? entry[0] : entry)}.`,
  );
}
