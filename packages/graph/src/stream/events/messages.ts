import { ChatModelStream } from "@langchain/core/language_models/stream";
import type { ChatModelStreamEvent } from "@langchain/core/language_models/event";
import { StreamChannel } from "./channel.ts";
import { isChild, type ProtocolEvent } from "./protocol.ts";
import type { StreamTransformer } from "./transformer.ts";

/** A model's message while it is written; knows where it comes from. */
export type LocatedMessageStream = ChatModelStream & {
  readonly namespace: string[];
  readonly node: string | undefined;
};

type MessageEvent = ChatModelStreamEvent & { run_id?: unknown; id?: unknown; role?: unknown };
/** A message whose end has not come; "ignored": one that is not shown, such as a tool's result. */
type Open = StreamChannel<ChatModelStreamEvent> | "ignored";

/**
 * Gathers the `messages` events of a run into one stream per message of a model.
 *
 * @param path - namespace of the graph whose nodes are followed; not of graphs further down
 * @param node - only messages of this node
 */
export function createMessagesTransformer(
  path: readonly string[],
  node?: string,
): StreamTransformer<{ messages: AsyncIterable<LocatedMessageStream> }> {
  const messages = StreamChannel.local<LocatedMessageStream>();
  const open = new Map<string, Open>();

  const start = (data: MessageEvent, { namespace, node: from }: ProtocolEvent["params"]): void => {
    if (data.role === "tool") {
      open.set(keyOf(data), "ignored");
      return;
    }
    const events = StreamChannel.local<ChatModelStreamEvent>();
    events.push(data);
    open.set(keyOf(data), events);
    const stream = new ChatModelStream(events.toAsyncIterable());
    messages.push(Object.assign(stream, { namespace, node: from }));
  };
  const go = (data: MessageEvent): void => {
    const events = open.get(keyOf(data));
    if (events === undefined) return;
    const last = data.event === "message-finish";
    if (last) open.delete(keyOf(data));
    if (events === "ignored") return;
    events.push(data);
    if (last) events.close();
  };
  const endAll = (end: (events: StreamChannel<ChatModelStreamEvent>) => void): void => {
    for (const events of open.values()) if (events !== "ignored") end(events);
    open.clear();
  };

  return {
    init: () => ({ messages: messages.toAsyncIterable() }),
    process({ method, params }) {
      if (method !== "messages" || !isChild(params.namespace, path)) return true;
      if (node !== undefined && params.node !== node) return true;
      const data = params.data as MessageEvent;
      if (data.event === "message-start") start(data, params);
      else if (FOLLOWING.has(data.event)) go(data);
      return true;
    },
    finalize() {
      endAll((events) => {
        events.push({ event: "message-finish" } as ChatModelStreamEvent);
        events.close();
      });
      messages.close();
    },
    fail(error) {
      endAll((events) => events.fail(error));
      messages.fail(error);
    },
  };
}

const FOLLOWING = new Set<string>([
  "content-block-start",
  "content-block-delta",
  "content-block-finish",
  "message-finish",
  "error",
]);

/** Events of one message have one key; a model that names neither run nor message has one at a time. */
function keyOf({ event, run_id: run, id }: MessageEvent): string {
  if (typeof run === "string") return `run ${run}`;
  return event === "message-start" && typeof id === "string" ? `message ${id}` : "";
}
