import { type Runnable, RunnableLambda } from "@langchain/core/runnables";
import type { Program } from "../program/program.ts";
import { PregelNode } from "./pregel-node.ts";

/** Nodes of a program as they would be wired by hand, without their writers. */
export function nodesOf(program: Program): Record<string, PregelNode> {
  const nodes = [...program.nodes.values()].map(({ name, triggers, input, runnable, action, metadata }) => {
    const channels = Array.isArray(input)
      ? Object.fromEntries(input.map((key) => [key, key]))
      : [...triggers];
    const bound = (runnable as Runnable | undefined) ?? RunnableLambda.from(action as never);
    return [name, new PregelNode({ channels, triggers: [...triggers], bound, metadata })] as const;
  });
  return Object.fromEntries(nodes);
}
