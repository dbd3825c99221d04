import { createServer, type RequestListener } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Client } from "@langchain/langgraph-sdk";
import { describe, expect, it } from "vitest";
import { RemoteGraph } from "../src/remote.ts";

const silent: RequestListener = () => undefined;
const on1 = { configurable: { thread_id: "1" } };

/** A graph on a server that answers everything in one way. */
async function answeredBy(
  answer: RequestListener,
  use: (graph: RemoteGraph) => Promise<void>,
): Promise<void> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = new Client({
    apiUrl: `http://127.0.0.1:${port}`,
    apiKey: null as never,
    callerOptions: { maxRetries: 0 },
  });
  try {
    await use(new RemoteGraph({ graphId: "g", client }));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const calls: [string, (graph: RemoteGraph, limits: object) => Promise<unknown>][] = [
  ["streamEvents", (graph, limits) => graph.streamEvents({}, { ...limits, version: "v3" })],
  ["getState", (graph, limits) => graph.getState({ ...on1, ...limits })],
  ["getStateHistory", (graph, limits) => graph.getStateHistory({ ...on1, ...limits }).next()],
  ["updateState", (graph, limits) => graph.updateState({ ...on1, ...limits }, { a: 1 })],
];

describe("a server that does not answer", () => {
  it.each(calls)("%s ends when it is aborted, and after its timeout", (_name, call) =>
    answeredBy(silent, async (graph) => {
      const reason = new Error("enough");
      const stop = new AbortController();
      const aborted = call(graph, { signal: stop.signal });
      stop.abort(reason);
      await expect(aborted).rejects.toBe(reason);
      await expect(call(graph, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      await expect(call(graph, { timeout: 20 })).rejects.toMatchObject({ name: "TimeoutError" });
    }),
  );
});

it.each([202, 204])("a run that a server takes with HTTP %i and does not name is refused", (status) =>
  answeredBy(
    (_request, response) => response.writeHead(status).end(),
    async (graph) => {
      const run = graph.streamEvents({}, { version: "v3" });
      await expect(run).rejects.toMatchObject({
        code: "REMOTE_UNREACHABLE",
        message: expect.stringContaining(`HTTP ${status}`),
      });
    },
  ),
);
