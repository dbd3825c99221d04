import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { CompiledGraph } from "@skein/graph";
import { assistantRoutes } from "./assistants.ts";
import { type Asked, type Faults, type House, json, Refusal, type Route } from "./house.ts";
import { protocolRoutes } from "./protocol.ts";
import { runRoutes } from "./runs.ts";
import { threadRoutes } from "./threads.ts";

const ROUTES: readonly Route[] = [...runRoutes, ...protocolRoutes, ...threadRoutes, ...assistantRoutes];

/**
 * A server on loopback that speaks the protocol of LangGraph's servers, with graphs of ours. Both
 * engines' `RemoteGraph` call the same one.
 */
export class RemoteServer {
  readonly asked: Asked[] = [];
  readonly faults: Faults = {};
  readonly #server: Server;
  readonly #house: House;

  private constructor(graphs: Readonly<Record<string, CompiledGraph>>) {
    let runs = 0;
    this.#house = {
      graphs,
      runs: new Map(),
      followed: new Map(),
      faults: this.faults,
      nextRun: () => `00000000-0000-4000-8000-${String(++runs).padStart(12, "0")}`,
    };
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }
  static async listen(graphs: Readonly<Record<string, unknown>>): Promise<RemoteServer> {
    const server = new RemoteServer(graphs as Readonly<Record<string, CompiledGraph>>);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  /** Whether a run goes on, was ended by its client, or is over. */
  stateOf(run: number): string | undefined {
    return [...this.#house.runs.values()][run]?.state;
  }
  async close(): Promise<void> {
    for (const run of this.#house.runs.values()) run.cancel();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const asked = await readRequest(request);
      this.asked.push(asked);
      const { refuse } = this.faults;
      if (refuse !== undefined && asked.path.startsWith(refuse.path) && refuse.times !== 0) {
        if (refuse.times !== undefined) refuse.times--;
        response.writeHead(refuse.status, { "content-type": "application/json" }).end(refuse.body);
        return;
      }
      for (const { method, path, handle } of ROUTES) {
        const found = method === asked.method ? path.exec(asked.path) : null;
        if (found !== null)
          return await handle(this.#house, found.slice(1).map(decodeURIComponent), asked, response);
      }
      throw new Refusal(404, `Nothing at ${asked.method} ${asked.path}`);
    } catch (error) {
      if (response.headersSent) return void response.destroy();
      const status = error instanceof Refusal ? error.status : 500;
      json(response, { detail: error instanceof Error ? error.message : String(error) }, status);
    }
  }
}

async function readRequest(request: IncomingMessage): Promise<Asked> {
  let text = "";
  for await (const piece of request) text += String(piece);
  const url = new URL(request.url ?? "/", "http://localhost");
  return {
    method: request.method ?? "GET",
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: request.headers,
    body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}
