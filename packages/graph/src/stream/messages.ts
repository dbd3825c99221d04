import { BaseCallbackHandler, type HandleLLMNewTokenCallbackFields } from "@langchain/core/callbacks/base";
import { AIMessageChunk, type BaseMessage, isBaseMessage } from "@langchain/core/messages";
import type { ChainValues } from "@langchain/core/utils/types";
import type { LLMResult } from "@langchain/core/outputs";
import type { Serialized } from "@langchain/core/load/serializable";
import { segments } from "../ids/namespace.ts";
import { TAG_HIDDEN, TAG_NOSTREAM } from "../ids/names.ts";
import type { PushedMessages } from "../task/push-message.ts";
import type { StreamChunk } from "./modes.ts";

/** Where a run of a model or node stands, and what its chunks say about it. */
interface Place {
  readonly namespace: readonly string[];
  readonly metadata: Record<string, unknown>;
}

/**
 * Mode "messages": the tokens of chat models that nodes call, and messages that nodes return and
 * that were not streamed before. Follows the run through LangChain's callbacks, because that is
 * how a model says what it does. A model tagged "nostream" is left out.
 */
export class MessagesHandler extends BaseCallbackHandler implements PushedMessages {
  name = "StreamMessagesHandler";
  /** Asks models to stream even when they are only invoked. */
  readonly lc_prefer_streaming = true;
  override awaitHandlers = true;
  readonly #push: (chunk: StreamChunk) => void;
  readonly #places = new Map<string, Place>();
  /** Ids of messages that were streamed or that nodes were given. */
  readonly #seen = new Set<string>();
  /** Runs of models that streamed at least one token. */
  readonly #streamed = new Set<string>();
  /** One id for all chunks of a model's run. */
  readonly #ids = new Map<string, string>();

  constructor(push: (chunk: StreamChunk) => void) {
    super();
    this.#push = push;
  }
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
    if (tags?.includes(TAG_NOSTREAM) === true || tags?.includes("nostream") === true) return;
    this.#enter(runId, tags, metadata, name);
  }
  override handleLLMNewToken(
    token: string,
    _index: unknown,
    runId: string,
    _parent?: string,
    _tags?: string[],
    fields?: HandleLLMNewTokenCallbackFields,
  ): void {
    this.#streamed.add(runId);
    const place = this.#places.get(runId);
    if (place === undefined) return;
    const message = (fields?.chunk as { message?: unknown } | undefined)?.message;
    this.#emit(place, isBaseMessage(message) ? message : new AIMessageChunk({ content: token }), runId);
  }
  override handleLLMEnd(output: LLMResult, runId: string): void {
    const place = this.#places.get(runId);
    const message = (output.generations[0]?.[0] as { message?: unknown } | undefined)?.message;
    if (place !== undefined && !this.#streamed.has(runId) && isBaseMessage(message)) {
      this.#once(place, message, runId);
    } else if (isBaseMessage(message) && place !== undefined) this.#known(message, runId);
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
    if (metadata === undefined || name !== metadata["langgraph_node"] || tags?.includes(TAG_HIDDEN) === true)
      return;
    this.#enter(runId, tags, metadata, name);
    for (const message of messagesIn(inputs, false)) if (message.id !== undefined) this.#seen.add(message.id);
  }
  override handleChainEnd(outputs: ChainValues, runId: string): void {
    const place = this.#places.get(runId);
    this.#places.delete(runId);
    if (place === undefined) return;
    for (const message of messagesIn(outputs, true)) this.#once(place, message, runId);
  }
  override handleChainError(_error: Error, runId: string): void {
    this.#places.delete(runId);
  }

  /** A message that a node pushes before it returns. */
  pushed(message: BaseMessage, metadata: Record<string, unknown>): void {
    const namespace = metadata["langgraph_checkpoint_ns"];
    if (message.id === undefined || this.#seen.has(message.id)) return;
    this.#seen.add(message.id);
    this.#push([segments(typeof namespace === "string" ? namespace : ""), "messages", [message, metadata]]);
  }

  #enter(
    runId: string,
    tags: string[] | undefined,
    metadata: Record<string, unknown> | undefined,
    name: string | undefined,
  ): void {
    const namespace = metadata?.["langgraph_checkpoint_ns"] ?? metadata?.["checkpoint_ns"];
    if (typeof namespace !== "string" || namespace === "") return;
    this.#places.set(runId, { namespace: segments(namespace), metadata: { tags, name, ...metadata } });
  }
  #leave(runId: string): void {
    this.#places.delete(runId);
    this.#streamed.delete(runId);
    this.#ids.delete(runId);
  }
  #once(place: Place, message: BaseMessage, runId: string): void {
    if (message.id !== undefined && this.#seen.has(message.id)) return;
    this.#emit(place, message, runId);
  }
  /** The message that a model returns after its tokens: it is what the tokens were. */
  #known(message: BaseMessage, runId: string): void {
    if (message.id !== undefined) this.#seen.add(message.id);
    const id = this.#ids.get(runId);
    if (id !== undefined) this.#seen.add(id);
  }
  #emit(place: Place, message: BaseMessage, runId: string): void {
    this.#identify(message, runId);
    if (message.id !== undefined) this.#seen.add(message.id);
    this.#push([place.namespace, "messages", [message, place.metadata]]);
  }
  /** Chunks of one run of a model get one id, so that a client can join them. */
  #identify(message: BaseMessage, runId: string): void {
    let { id } = message;
    if (message.getType() === "tool") {
      id ??= `run-${runId}-tool-${(message as { tool_call_id?: string }).tool_call_id}`;
    } else {
      if (id === undefined || id === null || id === `run-${runId}`)
        id = this.#ids.get(runId) ?? id ?? `run-${runId}`;
      if (!this.#ids.has(runId)) this.#ids.set(runId, id);
    }
    if (id === message.id) return;
    message.id = id;
    if (message.lc_kwargs !== undefined) message.lc_kwargs["id"] = id;
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
