import type { HandleLLMNewTokenCallbackFields } from "@langchain/core/callbacks/base";
import { AIMessageChunk, type BaseMessage, isBaseMessage } from "@langchain/core/messages";
import { segments } from "../ids/namespace.ts";
import { NodeMessages, type Place } from "./node-messages.ts";

/**
 * Mode "messages": the tokens of chat models that nodes call, and messages that nodes return and
 * that were not streamed before.
 */
export class MessagesHandler extends NodeMessages {
  name = "StreamMessagesHandler";
  /** Asks models to stream even when they are only invoked. */
  readonly lc_prefer_streaming = true;

  override handleLLMNewToken(
    token: string,
    _index: unknown,
    runId: string,
    _parent?: string,
    _tags?: string[],
    fields?: HandleLLMNewTokenCallbackFields,
  ): void {
    this.streamed.add(runId);
    const place = this.places.get(runId);
    if (place === undefined) return;
    const message = (fields?.chunk as { message?: unknown } | undefined)?.message;
    this.#emit(place, isBaseMessage(message) ? message : new AIMessageChunk({ content: token }), runId);
  }
  pushed(message: BaseMessage, metadata: Record<string, unknown>): void {
    const namespace = metadata["langgraph_checkpoint_ns"];
    // again under the same id: what it says now
    if (message.id !== undefined) this.seen.add(message.id);
    this.push([segments(typeof namespace === "string" ? namespace : ""), "messages", [message, metadata]]);
  }
  protected whole(place: Place, message: BaseMessage, runId: string): void {
    if (message.id !== undefined && this.seen.has(message.id)) return;
    this.#emit(place, message, runId);
  }
  protected known(message: BaseMessage, runId: string): void {
    if (message.id !== undefined) this.seen.add(message.id);
    const id = this.ids.get(runId);
    if (id !== undefined) this.seen.add(id);
  }
  #emit(place: Place, message: BaseMessage, runId: string): void {
    this.identify(message, runId);
    if (message.id !== undefined) this.seen.add(message.id);
    this.push([place.namespace, "messages", [message, place.metadata]]);
  }
}
