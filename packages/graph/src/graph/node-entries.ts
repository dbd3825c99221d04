import { GraphError, shown } from "@skein/errors";
import { END, START } from "../ids/names.ts";
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

interface Names {
  has(name: string): boolean;
}

/** @throws GraphError when no node can have the name, or one has it */
export function checkNodeName(name: string, keys: Names, nodes: Names): void {
  const wrong = wrongName(name, keys);
  if (wrong !== undefined) throw new GraphError("RESERVED_NAME", wrong);
  if (!nodes.has(name)) return;
  throw new GraphError("DUPLICATE_NODE", `Node "${name}" already present.`, { details: { node: name } });
}

function wrongName(name: string, keys: Names): string | undefined {
  // what is shown by a node's name stands in objects
  if (name === START || name === END || name === "__proto__")
    return `"${name}" is reserved and cannot be a node's name.`;
  if (name === "" || name.includes("|") || name.includes(":")) {
    return `A node's name may not be empty or contain "|" or ":": "${name}".`;
  }
  if (!keys.has(name)) return undefined;
  return `"${name}" is a key of the state and cannot be a node's name, too.`;
}
