import { type BaseMessage, type BaseMessageLike, coerceMessageLikeToMessage } from "@langchain/core/messages";
import { GraphError, shown } from "@skein/errors";
import { ambientConfig } from "./ambient.ts";
import { type LangGraphRunnableConfig, taskOf } from "./config.ts";

/** Takes messages that a node pushes; the handler behind stream mode "messages" is one. */
export interface PushedMessages {
  pushed(message: BaseMessage, metadata: Record<string, unknown>): void;
}

/**
 * Shows a message in stream mode "messages" while its node is still running, and writes it to the
 * state when the node is done, before what the node returns.
 *
 * @param message - must have an id
 * @param options - the node's config, where it is not found by itself; `stateKey`: the key to write,
 *   null to only show it. Default: "messages"
 * @returns the message; outside of nodes, that is all it does
 * @throws GraphError INVALID_MESSAGE without an id, or for what is no message
 * @example
 * pushMessage(new AIMessage({ id: "progress", content: "Looking it up ..." }));
 */
export function pushMessage(
  message: BaseMessage | BaseMessageLike,
  options?: (LangGraphRunnableConfig & { stateKey?: string | null }) | null,
): BaseMessage {
  const pushed = toMessage(message);
  const { stateKey = "messages", ...given } = options ?? {};
  const ambient = ambientConfig();
  const config = taskOf(given) === undefined ? ambient : given;
  if (pushed.id === undefined || pushed.id === null || pushed.id === "") {
    throw new GraphError("INVALID_MESSAGE", "A pushed message needs an id, to be known again.");
  }
  // outside of a run nobody is shown anything, and nothing is written
  if (config === undefined) return pushed;
  // the runtime that langchain hands to hooks has neither
  const { callbacks = ambient?.callbacks, metadata = ambient?.metadata ?? {} } = config;
  const handlers = Array.isArray(callbacks) ? callbacks : (callbacks?.handlers ?? []);
  for (const handler of handlers) {
    const { pushed: take } = handler as Partial<PushedMessages>;
    if (take !== undefined) take.call(handler, pushed, metadata);
  }
  const runtime = taskOf(config);
  runtime?.progress();
  if (stateKey !== null && runtime !== undefined) (runtime.pushed ??= []).push([stateKey, pushed]);
  return pushed;
}

function toMessage(given: BaseMessage | BaseMessageLike): BaseMessage {
  try {
    return coerceMessageLikeToMessage(given);
  } catch (cause) {
    throw new GraphError(
      "INVALID_MESSAGE",
      `pushMessage() was given ${shown(given)}, which is no message. Pass a message, or {role, content, id}.`,
      { cause },
    );
  }
}
