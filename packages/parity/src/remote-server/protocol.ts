import type { ServerResponse } from "node:http";
import { matchesSubscription } from "@langchain/langgraph-sdk/client";
import type { GraphRunStream, ProtocolEvent } from "@skein/graph";
import { type Asked, graphOf, type House, json, type LiveRun, Refusal, type Route, toJson } from "./house.ts";
import { callOf, inputOf } from "./runs.ts";

interface Fields {
  readonly [key: string]: unknown;
}

/** A run that is followed by its events. */
class EventRun implements LiveRun {
  state: LiveRun["state"] = "running";
  readonly #events: ProtocolEvent[] = [];
  readonly #readers = new Set<() => void>();
  #run: GraphRunStream | undefined;
  readonly #id: string;

  constructor(id: string, run: Promise<GraphRunStream>) {
    this.#id = id;
    void this.#follow(run);
  }
  cancel(): void {
    if (this.state !== "running") return;
    this.state = "cancelled";
    this.#run?.abort(new Error("cancelled by a client"));
    this.#wake();
  }
  /** Events as text; the stream of a thread stays open when its run is over, until its reader leaves. */
  async *after(last: number): AsyncGenerator<string> {
    for (let at = last + 1; ; at++) {
      while (at >= this.#events.length) {
        await new Promise<void>((resolve) => this.#readers.add(resolve));
        if (this.state === "cancelled") return;
      }
      yield toJson({ ...this.#events[at], event_id: `${this.#id}:${at}`, seq: at });
    }
  }
  async #follow(made: Promise<GraphRunStream>): Promise<void> {
    try {
      const run = (this.#run = await made);
      for await (const event of run) {
        if (isEnd(event)) for (const one of run.interrupts) this.#tell(questionOf(one));
        this.#tell(named(event));
      }
    } catch {
      // the run's own last event has said why
    }
    if (this.state === "running") this.state = "done";
  }
  #tell(event: ProtocolEvent): void {
    this.#events.push(event);
    this.#wake();
  }
  #wake(): void {
    for (const wake of this.#readers) wake();
    this.#readers.clear();
  }
}

/** How the protocol names the items of channels: by their data. */
function named(event: ProtocolEvent): ProtocolEvent {
  const [method, name] = event.method.split(/:(.*)/s);
  if (method !== "custom" || name === undefined) return event;
  return { ...event, method, params: { ...event.params, data: { name, payload: event.params.data } } };
}

function isEnd({ method, params }: ProtocolEvent): boolean {
  const { event } = (params.data ?? {}) as { event?: unknown };
  return method === "lifecycle" && params.namespace.length === 0 && event === "interrupted";
}

function questionOf({ interruptId, payload }: { interruptId: string; payload: unknown }): ProtocolEvent {
  const data = { interrupt_id: interruptId, payload };
  return { type: "event", seq: 0, method: "input.requested", params: { namespace: [], timestamp: 0, data } };
}

function begin(house: House, thread: string, params: Fields): string {
  const graph = graphOf(house, params["assistant_id"]);
  const { lg_name: name } = (params["input"] ?? {}) as Fields;
  const body = name === "Command" ? { command: params["input"] } : { input: params["input"] };
  const {
    streamMode: _modes,
    subgraphs: _subgraphs,
    ...call
  } = callOf({ ...params, ...body, stream_mode: [] }, thread);
  const id = house.nextRun();
  const run = new EventRun(
    id,
    graph.streamEvents(inputOf(body), { ...call, version: "v3" }) as Promise<GraphRunStream>,
  );
  house.runs.set(id, run);
  house.followed.set(thread, run);
  return id;
}

async function events(
  house: House,
  thread: string,
  body: Asked["body"],
  response: ServerResponse,
): Promise<void> {
  const run = house.followed.get(thread);
  if (run === undefined) throw new Refusal(404, `Thread "${thread}" has no run`);
  response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
  const cut = house.faults.cutAfter?.shift();
  let sent = 0;
  for await (const text of run.after(-1)) {
    if (response.destroyed) return;
    if (sent++ === cut) return void response.destroy();
    const isWanted = matchesSubscription(JSON.parse(text) as never, body as never);
    if (isWanted) response.write(`event: message\ndata: ${text}\n\n`);
  }
  response.end();
}

export const protocolRoutes: readonly Route[] = [
  {
    method: "POST",
    path: /^\/threads\/([^/]+)\/commands$/,
    async handle(house, [thread = ""], { body }, response) {
      const { id, method, params } = body;
      if (method !== "run.start") throw new Refusal(422, `No command "${String(method)}"`);
      json(response, { type: "success", id, result: { run_id: begin(house, thread, params as Fields) } });
    },
  },
  {
    method: "POST",
    path: /^\/threads\/([^/]+)\/stream\/events$/,
    async handle(house, [thread = ""], { body }, response) {
      await events(house, thread, body, response);
    },
  },
];
