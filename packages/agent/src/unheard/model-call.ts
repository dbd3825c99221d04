import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type BaseMessage, coerceMessageLikeToMessage } from "@langchain/core/messages";
import type { ChatGeneration } from "@langchain/core/outputs";
import { RunnableBinding } from "@langchain/core/runnables";

/** A chat model, and the options that it is bound with. */
export interface PlainModel {
  readonly model: BaseChatModel;
  readonly options: Readonly<Record<string, unknown>>;
}

/** What a config says of a run, which is no option of a model. */
const OF_RUNS: ReadonlySet<string> = new Set([
  "callbacks",
  "tags",
  "metadata",
  "runName",
  "configurable",
  "recursionLimit",
  "maxConcurrency",
  "runId",
]);
/** These end a call early, which a binding's own would have to be joined for. */
const ENDS_CALLS: ReadonlySet<string> = new Set(["signal", "timeout"]);
const NOTHING: PlainModel["options"] = {};

/**
 * The model that {@link generate} can ask in the place of `invoke()`: one of which nobody hears
 * (see `mayBeHeard`), that neither answers from a cache nor rewrites its replies. Undefined for others.
 */
export function plainModel(given: unknown): PlainModel | undefined {
  const options = given instanceof RunnableBinding ? boundOptions(given) : NOTHING;
  const model: unknown = given instanceof RunnableBinding ? given.bound : given;
  if (options === undefined || !(model instanceof BaseChatModel)) return undefined;
  const version = options["outputVersion"] ?? model.outputVersion;
  return model.cache || version === "v1" ? undefined : { model, options };
}

/** As LangChain merges them: a later one counts unless it is missing. */
function boundOptions({
  config,
  kwargs,
}: RunnableBinding<unknown, unknown>): PlainModel["options"] | undefined {
  const options: Record<string, unknown> = {};
  for (const source of [config, kwargs] as readonly (Readonly<Record<string, unknown>> | undefined)[]) {
    if (!source) continue;
    for (const key of Object.keys(source)) {
      if (OF_RUNS.has(key)) continue;
      if (!ENDS_CALLS.has(key)) options[key] = source[key] ?? options[key];
      else if (source[key] !== undefined) return undefined;
    }
  }
  return options;
}

/**
 * What `invoke()` of LangChain's chat models makes of a call that nobody hears of. It also reads the
 * environment for tracers, merges configs and makes managers for those who listen, which takes as long as
 * half of what an agent does besides: see docs/decisions/2026-11-28-calls-that-nobody-hears-of.md.
 */
export async function generate(
  { model, options }: PlainModel,
  messages: readonly BaseMessage[],
  signal: AbortSignal | undefined,
): Promise<BaseMessage> {
  // not behind the spread: see docs/decisions/2026-11-22-garbage-of-a-run.md
  const own: Record<string, unknown> = { signal, promptIndex: 0, ...options };
  own["signal"] = signal;
  own["promptIndex"] = 0;
  const result = await model._generate(messages.map(coerceMessageLikeToMessage), own, undefined);
  // what is told of all replies is told of none of several
  const ofAll = result.generations.length === 1 ? result.llmOutput : undefined;
  for (const { message, generationInfo } of result.generations) {
    message.response_metadata = { ...ofAll, ...generationInfo, ...message.response_metadata };
  }
  // nobody takes what it makes of it, but it may count
  model._combineLLMOutput?.(result.llmOutput);
  const [first] = result.generations as [ChatGeneration];
  return first.message;
}
