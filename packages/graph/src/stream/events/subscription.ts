import { GraphError, shown } from "@skein/errors";
import type { Channel, Namespace, SubscribeParams } from "./protocol.ts";

/** What of an event decides who gets it. */
export interface MatchableEvent {
  readonly method: string;
  readonly seq?: number;
  readonly params: { readonly namespace: Namespace; readonly data?: unknown };
}

/** What clients can subscribe to, beside the `custom:<name>` of a transformer's channel. */
export const SUPPORTED_CHANNELS: Set<Channel> = new Set([
  "values",
  "updates",
  "messages",
  "tools",
  "lifecycle",
  "input",
  "checkpoints",
  "tasks",
  "custom",
]);

export function isSupportedChannel(value: string): value is Channel {
  return (
    typeof value === "string" && (value.startsWith("custom:") || SUPPORTED_CHANNELS.has(value as Channel))
  );
}

/** The channel of an event; undefined for methods that are none of the protocol's. */
export function inferChannel(event: MatchableEvent): Channel | undefined {
  const { method, params } = ((event as unknown) ?? {}) as MatchableEvent;
  if (method === "input.requested") return "input";
  if (method === "custom") {
    const name = ((params as typeof params | undefined)?.data as { name?: unknown } | null | undefined)?.name;
    return name === undefined || name === null ? "custom" : `custom:${String(name)}`;
  }
  return SUPPORTED_CHANNELS.has(method as Channel) ? (method as Channel) : undefined;
}

/** A segment without the id of its task: which node it is. @throws GraphError INVALID_INPUT for what is no text */
export function normalizeNamespaceSegment(segment: string): string {
  if (typeof segment !== "string") {
    throw new GraphError("INVALID_INPUT", `A segment is a text, not ${shown(segment)}.`);
  }
  return segment.split(":", 1)[0] ?? segment;
}

/** Whether a namespace begins with a prefix, in which a segment without a task id fits every task. */
export function isPrefixMatch(namespace: Namespace, prefix: Namespace): boolean {
  return (
    Array.isArray(namespace) &&
    Array.isArray(prefix) &&
    prefix.length <= namespace.length &&
    prefix.every((wanted, at) => {
      const segment = namespace[at] ?? "";
      return segment === wanted || normalizeNamespaceSegment(segment) === wanted;
    })
  );
}

/**
 * Whether a client that subscribed gets an event.
 *
 * @param definition - what it wants; with `since`, only events of a higher `seq`
 * @throws GraphError INVALID_CONFIGURATION for a subscription without channels
 */
export function matchesSubscription(event: MatchableEvent, definition: SubscribeParams): boolean {
  const { since, channels } = ((definition as unknown) ?? {}) as { since?: unknown; channels?: unknown };
  if (!Array.isArray(channels)) {
    throw new GraphError("INVALID_CONFIGURATION", "A subscription needs {channels: [...]}.");
  }
  if (typeof since === "number" && (event.seq ?? 0) <= since) return false;
  const channel = inferChannel(event);
  if (channel === undefined) return false;
  const wanted = channels as readonly string[];
  const isWanted = wanted.includes(channel) || (channel.startsWith("custom:") && wanted.includes("custom"));
  return isWanted && isInScope(event.params.namespace, definition);
}

function isInScope(namespace: Namespace, { namespaces, depth }: SubscribeParams): boolean {
  if (!Array.isArray(namespaces) || namespaces.length === 0) return true;
  return (namespaces as readonly Namespace[]).some(
    (prefix) =>
      isPrefixMatch(namespace, prefix) && (depth === undefined || namespace.length - prefix.length <= depth),
  );
}
