import type { AgentTool } from "@skein/agent";
import { shown } from "@skein/errors";
import { invalidOption } from "./checks.ts";

/** A tool that the agent runs itself. Tools of providers may have no name. */
export type NamedTool = AgentTool & { readonly name: string; readonly description?: string };

export function isNamed(tool: AgentTool): tool is NamedTool {
  return typeof (tool as { name?: unknown } | null | undefined)?.name === "string";
}

/** @throws GraphError INVALID_CONFIGURATION for what is no list, or a tool without a name */
export function namesOf(tools: readonly (AgentTool | string)[]): ReadonlySet<string> {
  if (!Array.isArray(tools))
    throw invalidOption(`tools must be a list of tools or names, not ${shown(tools)}.`);
  return new Set(
    (tools as readonly (AgentTool | string)[]).map((tool) => {
      if (typeof tool === "string") return tool;
      if (isNamed(tool)) return tool.name;
      throw invalidOption("A tool that is given here must have a name; pass the name itself.");
    }),
  );
}
