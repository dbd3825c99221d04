import { createServer, type RequestListener } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Client } from "@langchain/langgraph-sdk";
import { describe, expect, it } from "vitest";
import { RemoteGraph } from "../src/remote.ts";
import { fetchUntilAborted } from "../src/remote/fetch.ts";
import { inputToJson } from "../src/remote/json.ts";

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
  ["getGraphAsync", (graph, limits) => graph.getGraphAsync(limits)],
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

it("the SDK gives up what is aborted, and lets the process end", async () => {
  const { threads } = new Client({ callerOptions: { fetch: fetchUntilAborted } });
  const asked = threads["asyncCaller"].fetch("http://127.0.0.1:1", { signal: AbortSignal.abort() });
  await expect(asked).rejects.toThrow(/^AbortError/);
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

describe("a server that answers with nothing", () => {
  it.each(["", "null"])("%j is no state, and the message says so", (body) =>
    answeredBy(
      (_request, response) => response.writeHead(body === "" ? 204 : 200).end(body),
      async (graph) => {
        const refused = { code: "REMOTE_UNREACHABLE" };
        for (const [, call] of calls.slice(1)) await expect(call(graph, {})).rejects.toMatchObject(refused);
      },
    ),
  );
});

describe("input that JSON cannot hold", () => {
  const circle: Record<string, unknown> = {};
  circle["self"] = { circle };

  it.each([
    ["a circle", circle, "input.self.circle"],
    ["a BigInt", { list: [1n] }, "input.list[0]"],
    ["a Map", { map: new Map() }, "input.map"],
    ["a Set", { set: new Set() }, "input.set"],
    ["no date", { date: new Date(Number.NaN) }, "input.date"],
  ])("%s is refused, and nothing is sent", (_name, input, path) =>
    answeredBy(silent, async (graph) => {
      const refused = { code: "INVALID_INPUT", message: expect.stringContaining(`"${path}"`) };
      await expect(graph.invoke(input)).rejects.toMatchObject(refused);
      await expect(graph.streamEvents(input, { version: "v3" })).rejects.toMatchObject(refused);
    }),
  );

  it("a date goes as text, and what stands twice goes twice", () => {
    const date = new Date(0);
    expect(inputToJson({ date, again: [date] })).toEqual({
      date: date.toISOString(),
      again: [date.toISOString()],
    });
  });
});

it("a graph without parameters, and events without options, are refused", () => {
  const refused = expect.objectContaining({ code: "INVALID_CONFIGURATION" });
  expect(() => new RemoteGraph(undefined as never)).toThrow(refused);
  const graph = new RemoteGraph({ graphId: "g" });
  expect(() => graph.streamEvents({}, undefined as never)).toThrow(refused);
});
