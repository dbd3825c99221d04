import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { CallbackManager } from "@langchain/core/callbacks/manager";
import type { ChatModelStreamEvent } from "@langchain/core/language_models/event";
import { AIMessage, AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import type { ChatGeneration, ChatGenerationChunk } from "@langchain/core/outputs";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { setId } from "../messages/set-id.ts";
import { normaliseReply } from "./reply.ts";
import type { ReplyIds } from "./reply-ids.ts";

/** Mark of a reply that was interrupted. */
const MARK = "skein_partial";
/** Where a run carries how far its step is. */
const KEY = Symbol("skein.progress");
/** Tags of models of which streams show nothing. */
const NOT_SHOWN: ReadonlySet<string> = new Set(["langsmith:nostream", "nostream"]);
const NOTE = "\n[This reply was interrupted here.]";

type Callbacks = RunnableConfig["callbacks"];

/** What a run has of a reply that is not complete. Belongs to one run. */
export class RunProgress {
  #chunks: AIMessageChunk[] = [];
  #reason: string | undefined;
  #isHidden = false;
  #ids: ReplyIds | undefined;
  /** The agent that runs: others that its hooks and tools ask find this in their config, too. */
  readonly agent: object | undefined;
  /** Where the run's thread is; undefined for one that is not stored. */
  readonly saver: BaseCheckpointSaver | undefined;

  constructor(agent?: object, saver?: BaseCheckpointSaver) {
    this.agent = agent;
    this.saver = saver;
  }

  /**
   * The callbacks of a call, and one that listens; undefined when nobody asked for tokens.
   *
   * @param ids - the reply goes by, from its first token on
   */
  listen(callbacks: Callbacks, ids?: ReplyIds): Callbacks {
    this.#chunks = [];
    this.#reason = undefined;
    this.#isHidden = false;
    this.#ids = ids;
    // what a run is traced with by the environment stands in its nodes' callbacks, too
    if (callbacks === undefined) return undefined;
    const manager = CallbackManager._configureSync(callbacks);
    if (manager?.handlers.some(wantsTokens) !== true) return undefined;
    const chunks = this.#chunks;
    const ended = (reason: unknown): void => {
      if (typeof reason === "string") this.#reason = reason;
    };
    const started = (tags: readonly string[] | undefined): void => {
      this.#isHidden = tags?.some((tag) => NOT_SHOWN.has(tag)) === true;
    };
    const listener = BaseCallbackHandler.fromMethods({
      handleChatModelStart(_model, _messages, _runId, _parentRunId, _extra, tags) {
        started(tags);
      },
      handleLLMNewToken(token, _index, _runId, _parentRunId, _tags, fields) {
        const chunk = fields?.chunk as Partial<ChatGenerationChunk> | undefined;
        const message: unknown = chunk?.message;
        ended(chunk?.generationInfo?.["finish_reason"]);
        if (ids !== undefined && AIMessageChunk.isInstance(message)) rename(message, ids);
        chunks.push(AIMessageChunk.isInstance(message) ? message : new AIMessageChunk(token));
      },
      handleChatModelStreamEvent(event) {
        if (ids !== undefined && event.event === "message-start") rename(event, ids);
        const [text, id] = saidBy(event);
        if (text === undefined && id === undefined) return;
        chunks.push(new AIMessageChunk({ content: text ?? "", ...(id === undefined ? {} : { id }) }));
      },
      handleLLMEnd({ generations }) {
        const generation = generations[0]?.[0] as Partial<ChatGeneration> | undefined;
        if (ids !== undefined && generation !== undefined) renameWhole(generation, ids);
      },
    });
    // before others are told: they show what they are told by the ids that it has
    listener.awaitHandlers = true;
    const heard = manager.copy();
    heard.handlers.unshift(listener);
    return heard;
  }
  /**
   * The reply is complete.
   *
   * @returns `reason`: why its provider ended it, as the chunks told: `@langchain/openai` puts that on no
   *   message that it puts together of them. `isHidden`: its model is tagged as one that streams show nothing of
   */
  end(): { readonly reason: string | undefined; readonly isHidden: boolean } {
    this.#chunks = [];
    this.#ids = undefined;
    return { reason: this.#reason, isHidden: this.#isHidden };
  }
  /** What was said, as a message that says that it is not whole; its calls are left out. */
  get message(): AIMessage | undefined {
    const [first, ...rest] = this.#chunks;
    if (first === undefined) return undefined;
    const whole = rest.reduce((said, chunk) => said.concat(chunk), first);
    if (whole.text === "") return undefined;
    const id = whole.id === undefined ? undefined : (this.#ids?.now(whole.id) ?? whole.id);
    return new AIMessage({
      content: whole.text,
      additional_kwargs: { [MARK]: true },
      response_metadata: { finish_reason: "interrupted" },
      ...(id === undefined ? {} : { id }),
    });
  }
}

/** What is told of a reply bit by bit is nobody's but the call's. */
function rename(told: { readonly id?: string | undefined }, ids: ReplyIds): void {
  if (typeof told.id === "string" && ids.now(told.id) !== told.id) setId(told, ids.now(told.id));
}

/** The whole may be the model's own object, which it returns again: it is told as a copy. */
function renameWhole(generation: Partial<ChatGeneration>, ids: ReplyIds): void {
  const { message } = generation;
  if (!AIMessage.isInstance(message) || typeof message.id !== "string") return;
  const id = ids.now(message.id);
  if (id !== message.id) generation.message = normaliseReply(message, { agentName: undefined, id });
}

function wantsTokens(handler: BaseCallbackHandler): boolean {
  const { lc_prefer_streaming: tokens, lc_prefer_chat_model_stream_events: events } = handler as {
    lc_prefer_streaming?: boolean;
    lc_prefer_chat_model_stream_events?: boolean;
  };
  return tokens === true || events === true;
}

/** What an event of a model adds to its reply: the id comes first, then the text, bit by bit. */
function saidBy(event: ChatModelStreamEvent): [text: string | undefined, id: string | undefined] {
  if (event.event === "message-start") return [undefined, event.id];
  const isText = event.event === "content-block-delta" && event.delta.type === "text-delta";
  return [isText ? (event.delta as { text: string }).text : undefined, undefined];
}

/** A config whose run notes how far its step is in `progress`. */
export function withProgress<C extends RunnableConfig>(config: C, progress: RunProgress): C {
  // not behind the spreads: see docs/decisions/2026-11-22-garbage-of-a-run.md
  const configurable: Record<PropertyKey, unknown> = { [KEY]: progress, ...config.configurable };
  configurable[KEY] = progress;
  const own = { configurable, ...config };
  own.configurable = configurable;
  return own;
}

/** What a run of this agent has; undefined within a run of another one, of whose thread it is no part. */
export function progressOf(config: RunnableConfig, agent: object): RunProgress | undefined {
  const progress = nearest(config);
  return progress?.agent === agent ? progress : undefined;
}

/** Where the thread is that a run belongs to. */
export const saverOf = (config: RunnableConfig): BaseCheckpointSaver | undefined => nearest(config)?.saver;

function nearest({ configurable }: RunnableConfig): RunProgress | undefined {
  return (configurable as { [KEY]?: RunProgress } | undefined)?.[KEY];
}

/**
 * Whether a message is a reply that was interrupted while it was made. False for what is no message.
 *
 * @example
 * const { messages } = await agent.history(config, { limit: 1 });
 * if (messages.some(isPartial)) console.log("The last reply was cut short.");
 */
export function isPartial(message: BaseMessage): boolean {
  return (message as BaseMessage | null | undefined)?.additional_kwargs?.[MARK] === true;
}

/** A message as the model sees it: it must not take half of a reply for a whole one. */
export function shownToModel(message: BaseMessage): BaseMessage {
  if (!isPartial(message)) return message;
  return new AIMessage({
    content: message.text + NOTE,
    ...(message.id === undefined ? {} : { id: message.id }),
  });
}
