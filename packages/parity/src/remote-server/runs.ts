import type { ServerResponse } from "node:http";
import { Command, type CompiledGraph } from "@skein/graph";
import { type Asked, graphOf, type House, json, type LiveRun, Refusal, type Route } from "./house.ts";

/** A run: its events, kept for who joins later, and who reads them. */
export class Recording implements LiveRun {
  state: "running" | "done" | "cancelled" = "running";
  readonly events: string[] = [];
  readonly #stop = new AbortController();
  readonly #readers = new Set<() => void>();

  constructor(graph: CompiledGraph, id: string, thread: string | undefined, body: Asked["body"]) {
    this.#tell(`event: metadata\ndata: ${JSON.stringify({ run_id: id, attempt: 1 })}`);
    void this.#run(graph, thread, body);
  }
  cancel(): void {
    if (this.state !== "running") return;
    this.state = "cancelled";
    this.#stop.abort(new Error("cancelled by a client"));
  }
  async *after(last: number): AsyncGenerator<string> {
    for (let at = last + 1; ; at++) {
      while (at >= this.events.length && this.state === "running") {
        await new Promise<void>((resolve) => this.#readers.add(resolve));
      }
      const event = this.events[at];
      if (event === undefined) return;
      yield event;
    }
  }
  #tell(event: string): void {
    this.events.push(`id: ${this.events.length}\n${event}\n\n`);
    this.#wake();
  }
  #wake(): void {
    for (const wake of this.#readers) wake();
    this.#readers.clear();
  }

  async #run(graph: CompiledGraph, thread: string | undefined, body: Asked["body"]): Promise<void> {
    try {
      const stream = await graph.stream(inputOf(body), {
        ...callOf(body, thread),
        signal: this.#stop.signal,
        encoding: "text/event-stream",
      });
      const decoder = new TextDecoder();
      for await (const bytes of stream as AsyncIterable<Uint8Array>) {
        this.#tell(decoder.decode(bytes).trimEnd());
      }
    } catch (error) {
      const { name, message } = error as Error;
      this.#tell(`event: error\ndata: ${JSON.stringify({ error: name, message })}`);
    }
    if (this.state === "running") this.state = "done";
    this.#wake();
  }
}

export function inputOf({ command, input }: Asked["body"]): unknown {
  return command === undefined || command === null ? input : Command.fromJSON(command);
}

export function callOf(body: Asked["body"], thread: string | undefined): Record<string, unknown> {
  const { config = {}, context, stream_mode: modes, checkpoint_id: checkpoint } = body;
  const { configurable, recursion_limit: limit, ...rest } = config as Record<string, unknown>;
  const place = {
    ...(thread === undefined ? {} : { thread_id: thread }),
    ...(checkpoint ? { checkpoint_id: checkpoint } : {}),
  };
  return {
    ...rest,
    ...(limit === undefined ? {} : { recursionLimit: limit }),
    ...(context === undefined ? {} : { context }),
    ...(body["interrupt_before"] ? { interruptBefore: body["interrupt_before"] } : {}),
    ...(body["interrupt_after"] ? { interruptAfter: body["interrupt_after"] } : {}),
    configurable: { ...(configurable as object), ...place },
    streamMode: (modes as string[]).map((mode) => (mode === "messages-tuple" ? "messages" : mode)),
    subgraphs: body["stream_subgraphs"] === true,
  };
}

async function send(
  house: House,
  run: LiveRun,
  last: number,
  response: ServerResponse,
  headers: Record<string, string>,
): Promise<void> {
  const { garbage, silence, cutAfter = [] } = house.faults;
  response.writeHead(200, { "content-type": garbage?.type ?? "text/event-stream", ...headers });
  response.flushHeaders();
  if (silence !== undefined) await new Promise((resolve) => setTimeout(resolve, silence));
  if (garbage !== undefined) return void response.end(garbage.text);
  const cut = cutAfter.shift();
  let sent = 0;
  for await (const event of run.after(last)) {
    if (sent++ === cut) {
      // what was sent is to arrive first
      await new Promise((resolve) => setTimeout(resolve, 20));
      return void response.destroy();
    }
    if (!response.write(event)) await new Promise((resolve) => response.once("drain", resolve));
  }
  response.end();
}

async function begin(
  house: House,
  parts: readonly string[],
  asked: Asked,
  response: ServerResponse,
): Promise<void> {
  const [thread] = parts;
  const graph = graphOf(house, asked.body["assistant_id"]);
  const id = house.nextRun();
  const alone = thread === undefined && graph.checkpointer !== undefined;
  const run = new Recording(graph, id, alone ? id : thread, asked.body);
  house.runs.set(id, run);
  const path = thread === undefined ? `/runs/${id}` : `/threads/${thread}/runs/${id}`;
  const headers: Record<string, string> = { "content-location": path };
  if (asked.body["stream_resumable"] === true) headers["location"] = `${path}/stream`;
  await send(house, run, -1, response, headers);
}

function runOf({ runs }: House, id: string | undefined): LiveRun {
  const run = runs.get(id ?? "");
  if (run === undefined) throw new Refusal(404, `Run "${id}" not found`);
  return run;
}

export const runRoutes: readonly Route[] = [
  { method: "POST", path: /^\/threads\/([^/]+)\/runs\/stream$/, handle: begin },
  { method: "POST", path: /^\/runs\/stream$/, handle: begin },
  {
    method: "GET",
    path: /^\/threads\/[^/]+\/runs\/([^/]+)\/stream$/,
    async handle(house, [id], { headers }, response) {
      await send(house, runOf(house, id), Number(headers["last-event-id"] ?? -1), response, {});
    },
  },
  {
    method: "POST",
    path: /^\/threads\/[^/]+\/runs\/([^/]+)\/cancel$/,
    async handle(house, [id], _asked, response) {
      runOf(house, id).cancel();
      json(response, {}, 202);
    },
  },
];
