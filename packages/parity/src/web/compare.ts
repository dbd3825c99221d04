import { isDeepStrictEqual } from "node:util";
import { ours } from "../engines.ts";
import type { Plain } from "../normalise.ts";
import { record } from "../scenario.ts";
import { HANDING } from "../scenarios/configs-of-calls.ts";
import { scenarios } from "../scenarios/index.ts";
import type { WebResult } from "./entry.ts";

/**
 * Scenarios that hand on no config to what a node calls: without an AsyncLocalStorage, that is a call
 * of its own. A program for the web passes the node's second argument. Nor is it known there for which
 * graph a function around a writer was called.
 */
export const HANDS_NOTHING_ON: ReadonlySet<string> = new Set([
  ...HANDING,
  "a Command to the parent from a graph that a node calls",
  "a graph within a node is given a function around the node's writer",
  "a subgraph called from inside a node",
  "messages: two nodes with models, token by token, each with its node",
  "messages of a subgraph, with and without subgraphs: true",
  "messages: a model's chunks that a node passes on itself",
  "streamEvents v2 of a graph with a model in a node",
  "v3: a graph that a node calls by itself",
  "v3: a node that calls two graphs, one after the other",
  "v3: a subgraph named as an agent, called by a tool's task",
]);

/** Names of scenarios, by what became of them on the web. */
export interface Compared {
  /** They gave what they give in Node. */
  readonly equal: readonly string[];
  /** They did not, and called what finds its run through an AsyncLocalStorage. */
  readonly ambient: readonly string[];
  /** They did not, with why; nothing may. */
  readonly differing: readonly { readonly name: string; readonly web: unknown; readonly node: Plain }[];
}

/** Compares what scenarios gave on the web with what they give here. */
export async function compared(results: readonly WebResult[]): Promise<Compared> {
  const byName = new Map(
    Object.values(scenarios).flatMap((list) => list.map((one) => [one.name, one] as const)),
  );
  const equal: string[] = [];
  const ambient: string[] = [];
  const differing: Compared["differing"][number][] = [];
  for (const { name, recording, failed, ambient: called } of results) {
    const scenario = byName.get(name);
    if (scenario === undefined) throw new Error(`no scenario "${name}"`);
    // what came over a wire is JSON
    const node = JSON.parse(JSON.stringify(await record(scenario, ours))) as Plain;
    if (recording !== undefined && isDeepStrictEqual(recording, node)) equal.push(name);
    else if (called.length > 0 || HANDS_NOTHING_ON.has(name)) ambient.push(name);
    else differing.push({ name, web: failed ?? recording, node });
  }
  return { equal, ambient, differing };
}
