import type { RunnableConfig } from "@langchain/core/runnables";
import type { PartialReply } from "./partial.ts";

/** In the metadata of the agent's own calls of its model, and of no others. */
const SOURCE = "skein_source";
const AGENT = "agent";

/** The config of the call that makes the agent's reply, as opposed to calls that hooks and tools make. */
export function ownCall(config: RunnableConfig, partial: PartialReply | undefined): RunnableConfig {
  const callbacks = partial?.listen(config.callbacks);
  // not behind the spread: see docs/decisions/2026-11-22-garbage-of-a-run.md
  const metadata: Record<string, unknown> = { [SOURCE]: AGENT, ...config.metadata };
  metadata[SOURCE] = AGENT;
  const own: RunnableConfig = { ...config };
  own.metadata = metadata;
  if (callbacks !== undefined) own.callbacks = callbacks;
  return own;
}

/**
 * Whether a chunk of `streamMode: "messages"` is a token of the agent's own reply. Tokens of
 * summaries, of tools that ask a model and of middleware that does are not.
 *
 * @param metadata - the second half of the chunk
 * @example
 * for await (const [message, metadata] of await agent.stream(input, { streamMode: "messages" })) {
 *   if (isAgentToken(metadata)) process.stdout.write(message.text);
 * }
 */
export function isAgentToken(metadata: Readonly<Record<string, unknown>>): boolean {
  return metadata[SOURCE] === AGENT;
}
