import type { ChatModelStreamEvent } from "@langchain/core/language_models/event";
import type { StreamMode } from "../modes.ts";

/** Where something happened: the tasks on the way from the root graph; empty for the root itself. */
export type Namespace = string[];

/** A kind of event: a stream mode, "lifecycle", "input", or `custom:<name>` of a transformer's channel. */
export type ProtocolMethod = StreamMode | "lifecycle" | "input" | (string & {});

/** What a run reports, as clients of its event stream see it. */
export interface ProtocolEvent {
  readonly type: "event";
  /** Grows within a run. */
  readonly seq: number;
  readonly method: ProtocolMethod;
  readonly params: {
    readonly namespace: Namespace;
    /** Milliseconds since 1970. */
    readonly timestamp: number;
    /** The node that it is about, where it is about one. */
    readonly node?: string;
    /** Depends on `method`. */
    readonly data: unknown;
  };
}

/** How far a graph has come. */
export type AgentStatus = "started" | "running" | "completed" | "failed" | "interrupted";

/** What made a graph start: a call of a tool, a Send, or an edge. */
export type LifecycleCause =
  | { type: "toolCall"; tool_call_id: string }
  | { type: "send"; from_node: string }
  | { type: "edge"; from_node: string };

/** Data of "lifecycle". */
export interface LifecycleData {
  event: AgentStatus;
  graph_name?: string;
  cause?: LifecycleCause;
  /** Why it failed. */
  error?: string;
  /** Where it stands, if a server tells. */
  checkpoint?: { id: string; ns?: string };
}

/** A lifecycle event with its place and time. */
export interface LifecycleEntry extends LifecycleData {
  readonly namespace: Namespace;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
}

/** Data of "messages". */
export type MessagesEventData = ChatModelStreamEvent & { run_id?: string };

/** Data of "updates". */
export interface UpdatesEventData {
  node?: string;
  values: Record<string, unknown>;
}

/** Data of "tools". */
export type ToolsEventData =
  | { event: "tool-started"; tool_call_id: string; tool_name: string; input?: unknown }
  | { event: "tool-output-delta"; tool_call_id: string; delta: string }
  | { event: "tool-finished"; tool_call_id: string; output: unknown }
  | { event: "tool-error"; tool_call_id: string; message: string };

/** Tokens that a model's call took. */
export interface UsageInfo {
  input_tokens?: number;
  output_tokens?: number;
  total_tokens?: number;
  input_token_details?: Record<string, number | undefined>;
  output_token_details?: Record<string, number | undefined>;
}

/** What a run waits for. */
export interface InterruptPayload<Value = unknown> {
  /** By which a Command answers it: `new Command({ resume: { [interruptId]: answer } })`. */
  interruptId: string;
  payload: Value;
}

/** What clients can subscribe to. */
export type Channel =
  | "values"
  | "updates"
  | "messages"
  | "tools"
  | "lifecycle"
  | "input"
  | "checkpoints"
  | "tasks"
  | "custom"
  | `custom:${string}`;

/** Which events a client wants. */
export interface SubscribeParams {
  /** "custom" means those of all names. */
  channels: Channel[];
  /** What they begin with; a segment without a task id fits every task of the node. Default: all. */
  namespaces?: Namespace[];
  /** Most levels below such a namespace. Default: all. */
  depth?: number;
}

/** Whether a namespace lies at or below another one. */
export function isWithin(namespace: readonly string[], path: readonly string[]): boolean {
  return path.length <= namespace.length && path.every((segment, at) => segment === namespace[at]);
}

/** Whether a namespace lies one level below another one. */
export function isChild(namespace: readonly string[], path: readonly string[]): boolean {
  return namespace.length === path.length + 1 && isWithin(namespace, path);
}

/** A namespace as a key of maps: no segment holds a NUL. */
export const keyOf = (namespace: readonly string[]): string => namespace.join("\0");

/** @param seq - of one that is not in the run's events yet: any */
export function eventOf(
  method: ProtocolMethod,
  namespace: Namespace,
  data: unknown,
  seq = 0,
  node?: string,
): ProtocolEvent {
  const timestamp = Date.now();
  const params = node === undefined ? { namespace, timestamp, data } : { namespace, timestamp, node, data };
  return { type: "event", seq, method, params };
}
