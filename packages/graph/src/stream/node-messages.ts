import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { type BaseMessage, isBaseMessage } from "@langchain/core/messages";
import type { ChainValues } from "@langchain/core/utils/types";
import type { LLMResult } from "@langchain/core/outputs";
import type { Serialized } from "@langchain/core/load/serializable";
import { setMessageId } from "../channels/message-id.ts";
import { segments } from "../ids/namespace.ts";
import { TAG_HIDDEN, TAG_NOSTREAM } from "../ids/names.ts";
import type { PushedMessages } from "../task/push-message.ts";
import type { StreamChunk } from "./modes.ts";

/** Where a run of a model or node stands, and what its chunks say about it. */
export interface Place {
  readonly namespace: readonly string[];
  readonly metadata: Record<string, unknown>;
}

/**
 * Follows a run through LangChain's callbacks, because that is how a model says what it does: which
 * models nodes call, and which messages nodes get, return and push. A model tagged "nostream" is left out.
 */
export abstract class NodeMessages extends BaseCallbackHandler implements PushedMessages {
  override awaitHandlers = true;
  protected readonly push: (chunk: StreamChunk) => void;
  protected readonly places = new Map<string, Place>();
  /** Ids of messages that were streamed or that nodes were given. */
  protected readonly seen = new Set<string>();
  /** Runs of models that streamed something. */
  protected readonly streamed = new Set<string>();
  /** One id for all that a run of a model says. */
  protected readonly ids = new Map<string, string>();

  constructor(push: (chunk: StreamChunk) => void) {
    super();
    this.push = push;
  }
  /** A message that a node pushes before it returns. */
  abstract pushed(message: BaseMessage, metadata: Record<string, unknown>): void;
  /** A message that a node returned, or a model that did not stream it; perhaps seen before. */
  protected abstract whole(place: Place, message: BaseMessage, runId: string): void;
  /** The message that a model returns after it was streamed: it is what was streamed. */
  protected abstract known(message: BaseMessage, runId: string): void;

  override handleChatModelStart(
    _llm: Serialized,
    _messages: BaseMessage[][],
    runId: string,
    _parent?: string,
    _extra?: Record<string, unknown>,
    tags?: string[],
    metadata?: Record<string, unknown>,
    name?: string,
  ): void {
    if (tags?.includes(TAG_NOSTREAM) || tags?.includes("nostream")) return;
    this.enter(runId, tags, metadata, name);
  }
  override handleLLMEnd(output: LLMResult, runId: string): void {
    const place = this.places.get(runId);
    const message = (output.generations[0]?.[0] as { message?: unknown } | undefined)?.message;
    if (place !== undefined && isBaseMessage(message)) {
      if (this.streamed.has(runId)) this.known(message, runId);
      else this.whole(place, message, runId);
    }
    this.#leave(runId);
  }
  override handleLLMError(_error: Error, runId: string): void {
    this.#leave(runId);
  }
  override handleChainStart(
    _chain: Serialized,
    inputs: ChainValues,
    runId: string,
    _type?: string,
    tags?: string[],
    metadata?: Record<string, unknown>,
    _runType?: string,
    name?: string,
  ): void {
    if (metadata === undefined || name !== metadata["langgraph_node"] || tags?.includes(TAG_HIDDEN)) return;
    this.enter(runId, tags, metadata, name);
    for (const message of messagesIn(inputs, false)) if (message.id !== undefined) this.seen.add(message.id);
  }
  override handleChainEnd(outputs: ChainValues, runId: string): void {
    const place = this.places.get(runId);
    if (place === undefined) return;
    this.places.delete(runId);
    for (const message of messagesIn(outputs, true)) this.whole(place, message, runId);
    this.ids.delete(runId);
  }
  override handleChainError(_error: Error, runId: string): void {
    this.places.delete(runId);
  }

  protected enter(
    runId: string,
    tags: string[] | undefined,
    metadata: Record<string, unknown> | undefined,
    name: string | undefined,
  ): void {
    const namespace = metadata?.["langgraph_checkpoint_ns"] ?? metadata?.["checkpoint_ns"];
    if (typeof namespace !== "string" || namespace === "") return;
    this.places.set(runId, { namespace: segments(namespace), metadata: { tags, name, ...metadata } });
  }
  #leave(runId: string): void {
    this.places.delete(runId);
    this.streamed.delete(runId);
    this.ids.delete(runId);
  }
  /** What one run of a model says gets one id, so that a client can join it. */
  protected identify(message: BaseMessage, runId: string): void {
    let { id } = message;
    if (message.getType() === "tool") {
      id ??= `run-${runId}-tool-${(message as { tool_call_id?: string }).tool_call_id}`;
    } else {
      if (id === undefined || id === null || id === `run-${runId}`)
        id = this.ids.get(runId) ?? id ?? `run-${runId}`;
      if (!this.ids.has(runId)) this.ids.set(runId, id);
    }
    if (id !== message.id) setMessageId(message, id);
  }
}

/** Messages in a node's input or output: itself, its values, and lists among them. */
function messagesIn(value: unknown, alsoItself: boolean): BaseMessage[] {
  if (alsoItself && isBaseMessage(value)) return [value];
  if (typeof value !== "object" || value === null) return [];
  const found: BaseMessage[] = [];
  for (const member of Object.values(value)) {
    if (isBaseMessage(member)) found.push(member);
    else if (Array.isArray(member))
      for (const element of member) if (isBaseMessage(element)) found.push(element);
  }
  return found;
}
