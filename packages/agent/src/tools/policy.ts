import type { ToolCall } from "@langchain/core/messages/tool";
import { GraphError, shown } from "@skein/errors";
import { requireMilliseconds } from "../milliseconds.ts";
import type { AgentTool } from "../model/request.ts";

/** What a tool can say in its `metadata` of how it is to be run. */
export interface ToolPolicy {
  /** Runs alone: never at the same time as another call of the same reply. Default: false. */
  readonly serial?: boolean;
  /** Milliseconds after which a call is answered with an error. Default: the agent's `toolTimeoutMs`. */
  readonly timeoutMs?: number;
}

const NO_POLICY: ToolPolicy = {};

export function policyOf(tool: AgentTool): ToolPolicy {
  const { metadata } = tool as { metadata?: unknown };
  return typeof metadata === "object" && metadata !== null ? (metadata as ToolPolicy) : NO_POLICY;
}

/** @throws GraphError INVALID_CONFIGURATION for what would be passed over: a tool that is to run alone would not */
export function requirePolicyOf(tool: AgentTool, name: string): void {
  const { timeoutMs, serial }: { timeoutMs?: unknown; serial?: unknown } = policyOf(tool);
  requireMilliseconds(timeoutMs, `metadata.timeoutMs of the tool "${name}"`);
  if (serial === undefined || typeof serial === "boolean") return;
  throw new GraphError(
    "INVALID_CONFIGURATION",
    `metadata.serial of the tool "${name}" must be true or false, not ${shown(serial)}.`,
  );
}

/** Names of the tools that run alone. */
export function serialTools(tools: readonly AgentTool[]): ReadonlySet<string> {
  const serial = tools.filter((tool) => policyOf(tool).serial === true);
  return new Set(serial.map((tool) => String((tool as { name?: unknown }).name)));
}

/**
 * Calls of one reply, in the order of the calls, as they may run: those of a group at the same time,
 * one group after another. A serial tool is a group of its own, so it sees what the calls before it
 * wrote, and results stand in the order of the calls.
 */
export function groupsOf(calls: readonly ToolCall[], serial: ReadonlySet<string>): ToolCall[][] {
  const groups: ToolCall[][] = [];
  let together: ToolCall[] | undefined;
  for (const call of calls) {
    if (serial.has(call.name)) {
      groups.push([call]);
      together = undefined;
    } else if (together === undefined) groups.push((together = [call]));
    else together.push(call);
  }
  return groups;
}

/** The next calls to run: the waiting ones of the first group that has any. */
export function nextGroup(
  calls: readonly ToolCall[],
  waiting: readonly ToolCall[],
  serial: ReadonlySet<string>,
): readonly ToolCall[] {
  if (serial.size === 0) return waiting;
  const ids = new Set(waiting.map(({ id }) => id));
  for (const group of groupsOf(calls, serial)) {
    const left = group.filter(({ id }) => ids.has(id));
    if (left.length > 0) return left;
  }
  return [];
}
