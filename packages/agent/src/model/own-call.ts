import type { RunnableConfig } from "@langchain/core/runnables";
import { isWithinAgent } from "../agent/node-names.ts";

/** In the metadata of the agent's own calls of its model, and of whatever a tool calls. */
const SOURCE = "skein_source";
const AGENT = "agent";
const TOOL = "tool";
const WITHIN = "within";

/** Whose reply a call makes: that of the agent, or of one that a tool, a hook or a wrap of another agent asks. */
function sourceOf({ metadata, configurable }: RunnableConfig): string {
  if (metadata?.[SOURCE] === TOOL) return TOOL;
  return isWithinAgent(configurable?.["checkpoint_ns"]) ? WITHIN : AGENT;
}

/** Metadata for what a tool calls, agents included: what they say is no reply of the agent that has the tool. */
export function withinTool(metadata: RunnableConfig["metadata"]): Record<string, unknown> {
  return from(TOOL, metadata);
}

function from(source: string, metadata: RunnableConfig["metadata"]): Record<string, unknown> {
  // not behind the spread: see docs/decisions/2026-11-22-garbage-of-a-run.md
  const own: Record<string, unknown> = { [SOURCE]: source, ...metadata };
  own[SOURCE] = source;
  return own;
}

/**
 * The config of the call that makes the agent's reply, as opposed to calls that hooks and tools make.
 *
 * @param model - a chat model takes what it does not know of a config for options of its provider, so it
 *   gets what LangChain knows; the rest is there in the ambient config
 * @param isHeard - a model spreads metadata whether or not somebody is told of them, which takes 8 us where
 *   there are any
 */
export function ownCall(
  config: RunnableConfig,
  model: unknown,
  callbacks: RunnableConfig["callbacks"],
  isHeard: boolean,
): RunnableConfig {
  const own: RunnableConfig = isChatModel(model) ? known(config) : { ...config };
  own.metadata = isHeard ? from(sourceOf(config), config.metadata) : {};
  if (callbacks !== undefined) own.callbacks = callbacks;
  return own;
}

function known(config: RunnableConfig): RunnableConfig {
  const { tags, configurable, recursionLimit, maxConcurrency, signal } = config;
  const own: Record<string, unknown> = {
    callbacks: undefined,
    tags,
    metadata: undefined,
    configurable,
    recursionLimit,
    maxConcurrency,
    signal,
  };
  return own;
}

/** A chat model, or one with tools or options bound to it. */
function isChatModel(model: unknown): boolean {
  const { _generate, bound } = model as { readonly _generate?: unknown; readonly bound?: unknown };
  return (
    typeof _generate === "function" || (typeof bound === "object" && bound !== null && isChatModel(bound))
  );
}

/**
 * Whether a chunk of `streamMode: "messages"` is a token of the agent's own reply. Tokens of
 * summaries, of middleware that asks a model or another agent, and of tools that do are not.
 *
 * @param metadata - the second half of the chunk
 * @example
 * for await (const [message, metadata] of await agent.stream(input, { streamMode: "messages" })) {
 *   if (isAgentToken(metadata)) process.stdout.write(message.text);
 * }
 */
export function isAgentToken(metadata: Readonly<Record<string, unknown>> | null | undefined): boolean {
  return metadata?.[SOURCE] === AGENT;
}
