import type { AgentTool } from "@skein/agent";
import { invalidOption } from "./checks.ts";

/** A tool that the agent runs itself. Tools of providers may have no name. */
export type NamedTool = AgentTool & { readonly name: string; readonly description?: string };

export function isNamed(tool: AgentTool): tool is NamedTool {
  return typeof (tool as { name?: unknown }).name === "string";
}

/** @throws GraphError INVALID_CONFIGURATION for a tool without a name */
export function namesOf(tools: readonly (AgentTool | string)[]): ReadonlySet<string> {
  return new Set(
    tools.map((tool) => {
      if (typeof tool === "string") return tool;
      if (isNamed(tool)) return tool.name;
      throw invalidOption("A tool that is given here must have a name; pass the name itself.");
    }),
  );
}
