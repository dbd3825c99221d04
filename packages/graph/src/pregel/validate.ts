import { type ErrorCode, GraphError } from "@skein/errors";
import { isChannel } from "../channels/base.ts";
import { INTERRUPT, SIGNALS } from "../ids/names.ts";
import type { PregelParams } from "./params.ts";
import { PregelNode } from "./pregel-node.ts";

/** A program built by hand that cannot work, under LangGraph's name for it. */
export class GraphValidationError extends GraphError {
  constructor(code: ErrorCode, message: string, details: Record<string, unknown> = {}) {
    super(code, message, { details });
    this.name = "GraphValidationError";
  }
}

/** One name or several, as a list. */
export function listOf(names: PropertyKey | readonly PropertyKey[] | undefined): string[] {
  if (names === undefined) return [];
  return (Array.isArray(names) ? names : [names]).map(String);
}

/** @throws GraphValidationError when the program cannot work (A8) */
export function validatePregel(params: PregelParams): void {
  const { channels, nodes } = params;
  if (typeof channels !== "object" || channels === null) {
    throw new GraphValidationError("INVALID_CONFIGURATION", "A program needs {channels}.");
  }
  if (typeof nodes !== "object" || (nodes as unknown) === null) {
    throw new GraphValidationError("INVALID_CONFIGURATION", "A program needs {nodes}.");
  }
  for (const [name, channel] of Object.entries(channels)) assertChannel(name, channel);
  for (const [name, node] of Object.entries(nodes)) assertNode(name, node, channels);
  assertInput(params);
  for (const option of ["outputChannels", "streamChannels"] as const) {
    for (const name of listOf(params[option])) {
      assertKnown(channels, name, `${option} names`);
    }
  }
  for (const option of ["interruptBefore", "interruptAfter"] as const) {
    const names = params[option];
    if (names === "*") continue;
    for (const name of listOf(names)) {
      if (Object.hasOwn(nodes, name)) continue;
      throw new GraphValidationError(
        "UNKNOWN_NODE",
        `${option} names "${name}", which is no node. Nodes: ${Object.keys(nodes).join(", ")}.`,
        { node: name },
      );
    }
  }
}

function assertChannel(name: string, channel: unknown): void {
  if (SIGNALS.has(name)) {
    throw new GraphValidationError(
      "RESERVED_NAME",
      `A channel cannot be named "${name}": the engine uses it.`,
      {
        channel: name,
      },
    );
  }
  if (isChannel(channel)) return;
  throw new GraphValidationError(
    "INVALID_CONFIGURATION",
    `Channel "${name}" is none. Make one, as in {${name}: new LastValue()}.`,
    { channel: name },
  );
}

function assertNode(name: string, node: unknown, channels: PregelParams["channels"]): void {
  if (name === INTERRUPT) {
    throw new GraphValidationError("RESERVED_NAME", `A node cannot be named "${name}": the engine uses it.`, {
      node: name,
    });
  }
  if (!(node instanceof PregelNode)) {
    throw new GraphValidationError(
      "INVALID_CONFIGURATION",
      `Node "${name}" is none. Begin it with Channel.subscribeTo(...).`,
      { node: name },
    );
  }
  for (const channel of node.triggers) assertKnown(channels, channel, `Node "${name}" subscribes to`);
  for (const { channel } of node.writers.flatMap((writer) => writer.writes)) {
    assertKnown(channels, channel, `Node "${name}" writes to`);
  }
}

function assertInput({ channels, nodes, inputChannels }: PregelParams): void {
  const names = listOf(inputChannels);
  for (const name of names) assertKnown(channels, name, "inputChannels names");
  const woken = new Set(Object.values(nodes).flatMap((node) => node.triggers));
  if (names.some((name) => woken.has(name))) return;
  throw new GraphValidationError(
    "NO_ENTRY_POINT",
    `No node subscribes to an input channel (${names.join(", ") || "none"}). Begin one with Channel.subscribeTo.`,
    { inputChannels: names },
  );
}

function assertKnown(channels: PregelParams["channels"], name: string, what: string): void {
  if (Object.hasOwn(channels, name)) return;
  throw new GraphValidationError(
    "UNKNOWN_CHANNEL",
    `${what} "${name}", which is no channel. Channels: ${Object.keys(channels).join(", ") || "none"}.`,
    { channel: name },
  );
}
