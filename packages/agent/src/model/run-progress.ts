import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { CallbackManager } from "@langchain/core/callbacks/manager";
import type { ChatModelStreamEvent } from "@langchain/core/language_models/event";
import { AIMessage, AIMessageChunk, type BaseMessage, type ToolMessage } from "@langchain/core/messages";
import type { ChatGenerationChunk } from "@langchain/core/outputs";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";

/** Mark of a reply that was interrupted. */
const MARK = "skein_partial";
/** Where a run carries how far its step is. */
const KEY = Symbol("skein.progress");
const NOTE = "\n[This reply was interrupted here.]";

type Callbacks = RunnableConfig["callbacks"];

/** What a run has of a step that is not complete, of its model's reply and of its tools. Belongs to one run. */
export class RunProgress {
  #chunks: AIMessageChunk[] = [];
  #reason: string | undefined;
  #results: Map<string, ToolMessage> | undefined;
  /** The agent that runs: others that its hooks and tools ask find this in their config, too. */
  readonly agent: object | undefined;
  /** Where the run's thread is; undefined for one that is not stored. */
  readonly saver: BaseCheckpointSaver | undefined;

  constructor(agent?: object, saver?: BaseCheckpointSaver) {
    this.agent = agent;
    this.saver = saver;
  }

  /** The callbacks of a call, and one that listens; undefined when nobody asked for tokens. */
  listen(callbacks: Callbacks): Callbacks {
    this.#chunks = [];
    this.#reason = undefined;
    // what a run is traced with by the environment stands in its nodes' callbacks, too
    if (callbacks === undefined) return undefined;
    const manager = CallbackManager._configureSync(callbacks);
    if (manager?.handlers.some(wantsTokens) !== true) return undefined;
    const chunks = this.#chunks;
    const ended = (reason: unknown): void => {
      if (typeof reason === "string") this.#reason = reason;
    };
    const listener = BaseCallbackHandler.fromMethods({
      handleLLMNewToken(token, _index, _runId, _parentRunId, _tags, fields) {
        const chunk = fields?.chunk as Partial<ChatGenerationChunk> | undefined;
        const message: unknown = chunk?.message;
        ended(chunk?.generationInfo?.["finish_reason"]);
        chunks.push(AIMessageChunk.isInstance(message) ? message : new AIMessageChunk(token));
      },
      handleChatModelStreamEvent(event) {
        const [text, id] = saidBy(event);
        if (text === undefined && id === undefined) return;
        chunks.push(new AIMessageChunk({ content: text ?? "", ...(id === undefined ? {} : { id }) }));
      },
    });
    const heard = manager.copy();
    heard.addHandler(listener, false);
    return heard;
  }
  /**
   * The reply is complete.
   *
   * @returns why its provider ended it, as the chunks told: `@langchain/openai` puts that on no message
   *   that it puts together of them
   */
  end(): string | undefined {
    this.#chunks = [];
    return this.#reason;
  }
  /** One task begins to run all calls of a reply: results of an earlier one are stored, and their ids may be used again. */
  beginCalls(): void {
    this.#results = undefined;
  }
  /** A call has ended whose result is stored with those of others only. */
  ended(result: ToolMessage): void {
    this.#results ??= new Map();
    this.#results.set(result.tool_call_id, result);
  }
  /** The result of a call that has ended so. */
  resultOf(callId: string): ToolMessage | undefined {
    return this.#results?.get(callId);
  }
  /** What was said, as a message that says that it is not whole; its calls are left out. */
  get message(): AIMessage | undefined {
    const [first, ...rest] = this.#chunks;
    if (first === undefined) return undefined;
    const whole = rest.reduce((said, chunk) => said.concat(chunk), first);
    if (whole.text === "") return undefined;
    return new AIMessage({
      content: whole.text,
      additional_kwargs: { [MARK]: true },
      response_metadata: { finish_reason: "interrupted" },
      ...(whole.id === undefined ? {} : { id: whole.id }),
    });
  }
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
