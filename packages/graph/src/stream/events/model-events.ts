import type { ChatModelStreamEvent } from "@langchain/core/language_models/event";
import type { BaseMessage } from "@langchain/core/messages";
import { segments } from "../../ids/namespace.ts";
import { NodeMessages, type Place } from "../node-messages.ts";

/**
 * The messages of an event stream: what chat models say, as the events that LangChain makes of it, and
 * messages that nodes return or push as events of the same kinds. Results of tools have events of
 * their own.
 */
export class ModelEventsHandler extends NodeMessages {
  name = "StreamProtocolMessagesHandler";
  /** Asks models for events even when they are only invoked. */
  readonly lc_prefer_chat_model_stream_events = true;

  override handleChatModelStreamEvent(event: ChatModelStreamEvent, runId: string): void {
    const place = this.places.get(runId);
    if (place === undefined) return;
    if (event.event !== "message-start") return this.#emit(place, event);
    this.streamed.add(runId);
    const id = event.id ?? `run-${runId}`;
    this.seen.add(id);
    if (!this.ids.has(runId)) this.ids.set(runId, id);
    this.#emit(place, event.id === id ? event : { ...event, id });
  }
  pushed(message: BaseMessage, metadata: Record<string, unknown>): void {
    const namespace = metadata["langgraph_checkpoint_ns"];
    const place = { namespace: segments(typeof namespace === "string" ? namespace : ""), metadata };
    if (message.id !== undefined) this.seen.add(message.id);
    for (const event of eventsOf(message)) this.#emit(place, event);
  }
  protected whole(place: Place, message: BaseMessage, runId: string): void {
    if (message.getType() === "tool") return;
    const id = message.id ?? this.ids.get(runId);
    if (id !== undefined && this.seen.has(id)) return;
    this.known(message, runId);
    for (const event of eventsOf(message)) this.#emit(place, event);
  }
  protected known(message: BaseMessage, runId: string): void {
    this.identify(message, runId);
    if (message.id !== undefined) this.seen.add(message.id);
  }
  /** Events of one run have its id, so that those of several models can be told apart. */
  protected override enter(
    runId: string,
    tags: string[] | undefined,
    metadata: Record<string, unknown> | undefined,
    name: string | undefined,
  ): void {
    super.enter(runId, tags, metadata === undefined ? metadata : { ...metadata, run_id: runId }, name);
  }
  #emit(place: Place, event: object): void {
    this.push([place.namespace, "messages", [event, place.metadata]]);
  }
}

type Fields = Readonly<Record<string, unknown>>;

/** A whole message as the events of one that is streamed. */
function* eventsOf(message: BaseMessage): Generator<Fields> {
  const { id, content } = message;
  const type = message.getType();
  const role = type === "human" || type === "system" || type === "tool" ? { role: type } : {};
  const { tool_call_id: call } = message as { tool_call_id?: unknown };
  const answered = type === "tool" && typeof call === "string" ? { tool_call_id: call } : {};
  yield { event: "message-start", ...(id === undefined ? {} : { id }), ...role, ...answered };
  const text = typeof content === "string" && content !== "" ? [{ type: "text", text: content }] : [];
  const blocks = (Array.isArray(content) ? content : text) as Fields[];
  for (const [at, block] of blocks.entries()) {
    const index = typeof block["index"] === "number" ? block["index"] : at;
    yield { event: "content-block-start", index, content: beginOf(block) };
    const delta = deltaOf(block, index);
    if (delta !== undefined) yield { event: "content-block-delta", index, delta };
    yield { event: "content-block-finish", index, content: block };
  }
  const { usage_metadata: usage, response_metadata: responseMetadata } = message as Partial<
    Record<"usage_metadata" | "response_metadata", unknown>
  >;
  yield { event: "message-finish", ...ifObject({ usage }), ...ifObject({ responseMetadata }) };
}

/** A block before anything of it is said. */
function beginOf(block: Fields): Fields {
  const { type, id, name } = block;
  if (type === "text") return { type, text: "" };
  if (type === "reasoning") return { type, reasoning: "" };
  if (type !== "tool_call" && type !== "tool_call_chunk") return block;
  return { type: "tool_call_chunk", ...present({ id }), ...present({ name }), args: "" };
}

function deltaOf(block: Fields, index: number): Fields | undefined {
  const { type, text, reasoning } = block;
  if (type === "text" && typeof text === "string" && text !== "") return { type: "text-delta", text };
  if (type === "reasoning" && typeof reasoning === "string" && reasoning !== "")
    return { type: "reasoning-delta", reasoning };
  return type === "tool_call_chunk" ? { type: "block-delta", fields: { ...block, index, type } } : undefined;
}

function present(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}

function ifObject(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => typeof value === "object" && value !== null),
  );
}
