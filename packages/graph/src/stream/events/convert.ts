import type { StreamMode } from "../modes.ts";
import {
  eventOf,
  type Namespace,
  type ProtocolEvent,
  type ToolsEventData,
  type UpdatesEventData,
} from "./protocol.ts";

/** The stream modes that an event stream is made of. */
export const STREAM_EVENTS_V3_MODES: StreamMode[] = [
  "values",
  "updates",
  "messages",
  "tools",
  "custom",
  "tasks",
];

/** Which checkpoint the values are of that follow. */
export interface CheckpointEnvelope {
  readonly id: string;
  readonly parent_id?: string;
  readonly step: number;
  readonly source: string;
}

/** Whether it is an envelope, and not the whole state that stream mode "checkpoints" shows. */
export function isCheckpointEnvelope(payload: unknown): boolean {
  if (!isObject(payload) || typeof payload["id"] !== "string") return false;
  if ("values" in payload || "config" in payload) return false;
  return "source" in payload || typeof payload["step"] === "number";
}

export interface ConvertToProtocolEventOptions {
  namespace: Namespace;
  mode: StreamMode;
  payload: unknown;
  seq: number;
}

/** A chunk of a stream as an event; none for modes that event streams do not have. */
export function convertToProtocolEvent(options: ConvertToProtocolEventOptions): ProtocolEvent[] {
  const event = eventOfChunk(options);
  return event === undefined ? [] : [event];
}

export function eventOfChunk(options: ConvertToProtocolEventOptions): ProtocolEvent | undefined {
  const { namespace, mode, payload, seq } = options;
  switch (mode) {
    case "messages": {
      const [data, node] = messageOf(payload);
      return eventOf(mode, namespace, data, seq, node);
    }
    case "updates": {
      const data = updateOf(payload);
      return eventOf(mode, namespace, data, seq, data.node);
    }
    case "tools":
      return eventOf(mode, namespace, toolEventOf(payload), seq);
    case "checkpoints":
      return isCheckpointEnvelope(payload) ? eventOf(mode, namespace, payload, seq) : undefined;
    case "custom":
      return eventOf(mode, namespace, isNamed(payload) ? payload : { payload }, seq);
    case "values":
    case "tasks":
      return eventOf(mode, namespace, payload, seq);
    default:
      return undefined;
  }
}

/** What a model says comes with the metadata of its call, which names the node. */
function messageOf(payload: unknown): [data: unknown, node: string | undefined] {
  if (!Array.isArray(payload) || payload.length !== 2) return [payload, undefined];
  const [data, metadata] = payload as [unknown, unknown];
  if (typeof metadata !== "object" || metadata === null) return [payload, undefined];
  const { langgraph_node: node, run_id: run } = metadata as Record<string, unknown>;
  const isMarked = typeof run === "string" && typeof data === "object" && data !== null;
  return [
    isMarked ? { ...data, run_id: run } : data,
    typeof node === "string" && node !== "" ? node : undefined,
  ];
}

/** The first node's part: a task writes for one node. */
function updateOf(payload: unknown): UpdatesEventData {
  const [first] = typeof payload === "object" && payload !== null ? Object.entries(payload) : [];
  if (first === undefined) return { values: {} };
  const [node, values] = first as [string, unknown];
  const isMap = typeof values === "object" && values !== null;
  return { node, values: (isMap ? values : { value: values }) as Record<string, unknown> };
}

function toolEventOf(payload: unknown): ToolsEventData {
  if (typeof payload !== "object" || payload === null) return strange("Unexpected tools payload shape");
  const { event, toolCallId, name, input, data, output, error } = payload as Record<string, unknown>;
  const tool_call_id = textOr(toolCallId, "");
  switch (event) {
    case "on_tool_start":
      return { event: "tool-started", tool_call_id, tool_name: textOr(name, "unknown"), input };
    case "on_tool_event":
      return { event: "tool-output-delta", tool_call_id, delta: jsonOf(data) };
    case "on_tool_end":
      return { event: "tool-finished", tool_call_id, output };
    case "on_tool_error":
      return { event: "tool-error", tool_call_id, message: messageOfError(error) };
    default:
      return strange(`Unknown tool event: ${String(event)}`);
  }
}

function strange(message: string): ToolsEventData {
  return { event: "tool-error", tool_call_id: "", message };
}

function messageOfError(error: unknown): string {
  if (isObject(error) && typeof error["message"] === "string") return error["message"];
  return textOr(error, "unknown error");
}

const textOr = (value: unknown, otherwise: string): string => String(value ?? otherwise);

const jsonOf = (data: unknown): string => (typeof data === "string" ? data : JSON.stringify(data ?? ""));

function isNamed(payload: unknown): boolean {
  return isObject(payload) && !Array.isArray(payload) && "name" in payload;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
