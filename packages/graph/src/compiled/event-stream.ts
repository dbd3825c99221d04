import type { IterableReadableStream } from "@langchain/core/utils/stream";
import type { Source } from "../stream/leaving.ts";
import type { StreamChunk, StreamMode } from "../stream/modes.ts";

type Payload = Record<string, unknown>;

const encoder = new TextEncoder();

const eventOf = (name: string, data: unknown): Uint8Array =>
  encoder.encode(`event: ${name}\ndata: ${toJson(data)}\n\n`);

/**
 * Makes chunks server-sent events: `event` is the mode, followed by the namespace if there is one;
 * `data` is JSON.
 *
 * @param subgraphs - whether the namespaces are told
 */
export function eventEncoder(subgraphs: boolean): (chunk: StreamChunk) => Uint8Array {
  return ([namespace, mode, payload]) => {
    const name = subgraphs && namespace.length > 0 ? `${mode}|${namespace.join("|")}` : mode;
    return eventOf(name, shown(mode, payload));
  };
}

/** A stream of such events, of which an error is the last. */
export function eventSource(events: IterableReadableStream<unknown>): Source<Uint8Array> {
  const reader = events.getReader();
  return {
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        controller.enqueue(value as Uint8Array);
      } catch (error) {
        controller.enqueue(eventOf("error", plainError(error)));
        controller.close();
      }
    },
    cancel: (reason) => reader.cancel(reason),
  };
}

/** Messages as flat objects with their type, which is what clients of LangGraph's servers read. */
function toJson(data: unknown): string {
  return JSON.stringify(data, function (this: Payload, key: string, value: unknown) {
    const raw = this[key];
    const { toDict } = (raw ?? {}) as { toDict?: () => { type: string; data: object } };
    if (typeof raw !== "object" || raw === null || typeof toDict !== "function") return value;
    const { type, data: fields } = toDict.call(raw);
    return { ...fields, type };
  });
}

function plainError(error: unknown): { error: string; message: string | undefined } {
  if (error instanceof Error) return { error: error.name, message: error.message };
  return { error: "Error", message: JSON.stringify(error) };
}

function shown(mode: StreamMode, payload: unknown): unknown {
  if (mode === "checkpoints") return checkpoint(payload as Payload);
  const frame = payload as { type?: unknown; payload?: Payload };
  if (mode !== "debug" || frame.type !== "checkpoint") return payload;
  return { ...frame, payload: checkpoint(frame.payload ?? {}) };
}

/** A checkpoint with its configs under the names that clients know. */
function checkpoint({ parentConfig, ...payload }: Payload): Payload {
  return {
    ...payload,
    checkpoint: placeOf(payload["config"]),
    parent_checkpoint: placeOf(parentConfig),
    config: plainConfig(payload["config"]),
    parent_config: plainConfig(parentConfig),
    tasks: (payload["tasks"] as Payload[]).map(({ state, ...task }) => {
      const place = placeOf(state);
      if (place !== null) return { ...task, checkpoint: place };
      return state === undefined ? task : { ...task, state };
    }),
  };
}

function configurableOf(config: unknown): Payload | undefined {
  if (typeof config !== "object" || config === null) return undefined;
  const { configurable } = config as { configurable?: unknown };
  return typeof configurable === "object" && configurable !== null ? (configurable as Payload) : undefined;
}

function placeOf(config: unknown): Payload | null {
  const configurable = configurableOf(config);
  if (!configurable?.["thread_id"]) return null;
  return {
    thread_id: configurable["thread_id"],
    checkpoint_ns: configurable["checkpoint_ns"] || "",
    checkpoint_id: configurable["checkpoint_id"] || null,
    checkpoint_map: configurable["checkpoint_map"] || null,
  };
}

/** A config without what is no data of the caller's. */
function plainConfig(config: unknown): unknown {
  const configurable = configurableOf(config);
  if (configurable === undefined) return config;
  const { callbacks: _callbacks, ...rest } = config as Payload;
  const own = Object.entries(configurable).filter(([key]) => !key.startsWith("__"));
  return { ...rest, configurable: Object.fromEntries(own) };
}
