import { type Runnable, RunnableLambda } from "@langchain/core/runnables";
import type { Program } from "../program/program.ts";
import { PregelNode } from "./pregel-node.ts";

/** Nodes of a program as they would be wired by hand, without their writers. */
export function nodesOf(program: Program): Record<string, PregelNode> {
  const nodes = [...program.nodes.values()].map((node) => {
    const { name, input, runnable, action, subgraphs, ends, hidden, errorHandler } = node;
    const triggers = [...node.triggers];
    const channels = Array.isArray(input) ? Object.fromEntries(input.map((key) => [key, key])) : triggers;
    const bound = (runnable as Runnable | undefined) ?? RunnableLambda.from(action as never);
    const fields = {
      ...node,
      channels,
      triggers,
      bound,
      tags: hidden ? ["langsmith:hidden"] : undefined,
      subgraphs: subgraphs as Runnable[],
      ends: ends && [...ends],
      errorHandlerNode: errorHandler,
    };
    return [name, new PregelNode(fields)] as const;
  });
  return Object.fromEntries(nodes);
}
