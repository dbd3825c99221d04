import { ensureConfig, mergeConfigs, type RunnableConfig } from "@langchain/core/runnables";
import type { Client } from "@langchain/langgraph-sdk";
import { GraphError } from "@skein/errors";
import type { CallOptions } from "../compiled/options.ts";
import { isCommand } from "../program/command.ts";
import { eventsAsText } from "../stream/events/text.ts";
import { asking } from "./failures.ts";
import { inputToJson } from "./json.ts";
import { remoteConfig, threadOf } from "./request.ts";
import { CHANNELS, RemoteGraphRunStream } from "./run-stream.ts";

/** How a run on a server is followed. */
export interface RemoteEventOptions extends CallOptions {
  version: "v3";
  /** Server-sent events as bytes, instead of a run stream. */
  encoding?: "text/event-stream" | undefined;
}

interface Followed {
  readonly client: Client;
  readonly graphId: string;
  readonly config: RunnableConfig | undefined;
  readonly params: { readonly interruptBefore?: unknown; readonly interruptAfter?: unknown };
}

/** Starts a run on a server and follows its events. */
export async function followRun(
  { client, graphId, config: own, params }: Followed,
  input: unknown,
  options: RemoteEventOptions,
): Promise<unknown> {
  const { version: _version, encoding, ...given } = options;
  const { interruptBefore, interruptAfter } = params;
  for (const [name, value] of Object.entries({ interruptBefore, interruptAfter, ...given })) {
    if (value !== undefined && WITHIN.has(name)) throw notFromHere(name);
  }
  const merged = mergeConfigs(own, given as RunnableConfig) as RunnableConfig;
  const config = ensureConfig(merged);
  const { signal } = config;
  signal?.throwIfAborted();
  const id = threadOf(config);
  const place = { assistantId: graphId, fetch: fetchOf(client) };
  const thread = id === undefined ? client.threads.stream(place) : client.threads.stream(id, place);
  const starting = thread.run.start({
    input: inputToJson(isCommand(input) ? input.toJSON() : input),
    // the server's own default counts here
    config: { ...remoteConfig(config), recursion_limit: merged.recursionLimit },
  } as never);
  // in the same turn, so that the SDK opens one connection for everything: with a second one, opened
  // later, it gives events out of order, and of a short run only those of the first
  const events = thread.subscribe({ channels: [...CHANNELS] });
  events.catch(() => undefined);
  const { run_id: runId } = await asking(`The run of graph "${graphId}"`, () => starting, signal).catch(
    (error: unknown) => {
      // not waited for: it waits for a server that may be silent
      thread.close().catch(() => undefined);
      throw error;
    },
  );
  const run = new RemoteGraphRunStream({ client, thread, runId, signal, events });
  return encoding === undefined ? run : eventsAsText(run);
}

/**
 * Requests as the SDK makes them, but for a command that is answered without a word: the SDK would wait
 * for the rest of the answer on a connection that only web sockets have.
 */
function fetchOf(client: Client): typeof fetch {
  return async (url, init) => {
    const { pathname } = new URL(String(url));
    // the SDK itself opens these again
    if (pathname.endsWith("/stream/events")) return fetch(url, init);
    const answer = await client.threads["asyncCaller"].fetch(url, init);
    if (pathname.endsWith("/commands") && (answer.status === 202 || answer.status === 204)) {
      throw new Error(`The server answered with HTTP ${answer.status} and named no run`);
    }
    return answer;
  };
}

/** Options of a run that a client of the event protocol cannot give. */
const WITHIN = new Set(["transformers", "control", "interruptBefore", "interruptAfter"]);

function notFromHere(option: string): GraphError {
  return new GraphError(
    "INVALID_CONFIGURATION",
    `"${option}" does not reach a server through streamEvents(). Use stream(), or set it there.`,
  );
}
