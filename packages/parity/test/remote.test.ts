import { RemoteGraph } from "@skein/graph/remote";
import {
  Annotation,
  Command,
  GraphError,
  isInterrupted,
  MemorySaver,
  RemoteException,
  StateGraph,
  START,
} from "@skein/graph";
import { describe, expect, it } from "vitest";
import { ours } from "../src/engines.ts";
import type { RemoteServer } from "../src/remote-server/server.ts";
import { late, thread } from "../src/scenarios/kit.ts";
import { clientOf, withSite } from "../src/scenarios/remote-kit.ts";

/** A graph of ours on a server that does something wrong. */
function onServer(
  graphId: string,
  use: (graph: RemoteGraph, server: RemoteServer) => Promise<void>,
): () => Promise<void> {
  return () =>
    withSite(ours.lg, ({ server }) => use(new RemoteGraph({ graphId, client: clientOf(server) }), server));
}

async function refusal(act: () => Promise<unknown>): Promise<RemoteException> {
  const error = await act().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof RemoteException)) throw new Error(`no RemoteException: ${String(error)}`);
  return error;
}

describe("failures of a graph on a server say what happened", () => {
  it(
    "a connection that breaks in the middle: chunks until then, then the error",
    onServer("chain", async (graph, server) => {
      server.faults.cutAfter = [2];
      const chunks: unknown[] = [];
      const error = await refusal(async () => {
        for await (const chunk of await graph.stream({}, thread("1"))) chunks.push(chunk);
      });
      expect(chunks).toEqual([{ a: { trail: ["a"], total: 1 } }]);
      expect(error.code).toBe("REMOTE_UNREACHABLE");
      expect(error.message).toContain('The run of graph "chain"');
      expect(error.cause).toBeInstanceOf(Error);
    }),
  );

  it(
    "an answer that is no event stream",
    onServer("chain", async (graph, server) => {
      server.faults.garbage = { type: "text/html", text: "<html>sign in</html>" };
      const error = await refusal(() => graph.invoke({}, thread("1")));
      expect(error).toMatchObject({ code: "REMOTE_UNREACHABLE", category: "remote" });
      expect(error.message).toContain("text/html");
    }),
  );

  it.each([
    ["data that is no JSON", "event: values\ndata: {oops\n\n"],
    ["data in pieces that do not fit", 'event: values\ndata: {"a":\ndata: }\n\n'],
  ])("%s", (_name, text) =>
    onServer("chain", async (graph, server) => {
      server.faults.garbage = { type: "text/event-stream", text };
      expect((await refusal(() => graph.invoke({}, thread("1")))).code).toBe("REMOTE_UNREACHABLE");
    })(),
  );

  it(
    "lines that mean nothing in an event stream are passed over",
    onServer("chain", async (graph, server) => {
      const text = ': hello\nretry: 1\nnonsense\nevent: heartbeat\n\nevent: values\ndata: {"last":"x"}\n\n';
      server.faults.garbage = { type: "text/event-stream", text };
      expect(await graph.invoke({}, thread("1"))).toEqual({ last: "x" });
    }),
  );

  it("nobody listens at the address", async () => {
    const client = clientOf({ url: "http://127.0.0.1:1" } as RemoteServer);
    const error = await refusal(() => new RemoteGraph({ graphId: "x", client }).invoke({}));
    expect(error.code).toBe("REMOTE_UNREACHABLE");
    expect(error.message).toContain("Unable to connect");
  });

  it("an abort does not wait for the SDK's next attempt", async () => {
    const graph = new RemoteGraph({ graphId: "x", url: "http://127.0.0.1:1", apiKey: "none" });
    const stop = new AbortController();
    const invoked = graph.invoke({}, { signal: stop.signal });
    const waited = late(20).then(() => stop.abort(new Error("enough")));
    // four attempts take more than ten seconds
    await expect(invoked).rejects.toThrow("enough");
    await waited;
  });

  it.each([
    [401, '{"detail":"Bad key"}', "HTTP 401: Bad key"],
    [422, '{"detail":[{"loc":["body","input"],"msg":"wrong"}]}', 'HTTP 422: [{"loc":["body","input"]'],
    [409, "busy", "HTTP 409: busy"],
    [502, "", "HTTP 502: it said nothing more"],
    [500, `<html>${"x".repeat(2000)}</html>`, "..."],
  ])("HTTP %i with the body %j", (status, body, said) =>
    onServer("chain", async (graph, server) => {
      server.faults.refuse = { path: "/", status, body };
      for (const act of [
        () => graph.invoke({}, thread("1")),
        () => graph.getState(thread("1")),
        () => graph.updateState(thread("1"), {}),
        () => graph.getGraphAsync(),
      ]) {
        const error = await refusal(act);
        expect(error).toMatchObject({ code: "REMOTE_FAILED", status, details: { status } });
        expect(error.message).toContain(said);
        expect(error.message.length).toBeLessThan(700);
      }
    })(),
  );

  it("a resumable stream whose run is unknown when it joins again", () =>
    withSite(ours.lg, async ({ server }) => {
      const client = clientOf(server);
      const graph = new RemoteGraph({ graphId: "chain", client, streamResumable: true });
      server.faults.cutAfter = [1];
      server.faults.refuse = { path: "/threads/1/runs/0", status: 404, body: '{"detail":"gone"}' };
      expect(await refusal(() => graph.invoke({}, thread("1")))).toMatchObject({ status: 404 });
    }));
});

describe("calls of a graph on a server that mean nothing", () => {
  const graph = new RemoteGraph({ graphId: "x", url: "http://127.0.0.1:1", apiKey: "k" });

  it("a graph without a name, a state without a thread", async () => {
    expect(() => new RemoteGraph({ graphId: "" })).toThrow(GraphError);
    for (const act of [
      () => graph.getState({}),
      () => graph.getStateHistory({}).next(),
      () => graph.updateState({ configurable: {} }, {}),
    ]) {
      await expect(act()).rejects.toMatchObject({ code: "MISSING_THREAD_ID" });
    }
  });

  it("what a server cannot be asked at once names the method to use", () => {
    expect(() => graph.getGraph()).toThrow("getGraphAsync()");
    expect(() => graph.getSubgraphs()).toThrow("getSubgraphsAsync()");
  });
});

describe("a graph on a server within ours", () => {
  it(
    "I8: a node that swallows its question is interrupted all the same, and resumed with the answer",
    onServer("asker", async (graph) => {
      const caller = new StateGraph(Annotation.Root({ last: Annotation<string>() }))
        .addNode("call", async (_state, config) => {
          const output = await graph.invoke({}, config as never).catch(() => ({ trail: ["swallowed"] }));
          return { last: (output as { trail: string[] }).trail.join() };
        })
        .addEdge(START, "call")
        .compile({ checkpointer: new MemorySaver() });
      const place = thread("1");
      expect(isInterrupted(await caller.invoke({}, place))).toBe(true);
      expect(isInterrupted(await caller.invoke(new Command({ resume: 1 }), place))).toBe(true);
      expect(await caller.invoke(new Command({ resume: 2 }), place)).toEqual({
        last: "first 1,second 2,after",
      });
    }),
  );

  it(
    "a caller that is aborted cancels the run there",
    onServer("slow", async (graph, server) => {
      const caller = new StateGraph(Annotation.Root({ last: Annotation<string>() }))
        .addNode("far", graph as never)
        .addEdge(START, "far")
        .compile();
      const stop = new AbortController();
      const options = {
        ...thread("1"),
        signal: stop.signal,
        subgraphs: true,
        streamMode: "updates" as const,
      };
      await expect(
        (async () => {
          for await (const _chunk of await caller.stream({}, options)) stop.abort();
        })(),
      ).rejects.toThrow(/abort/i);
      await expect.poll(() => server.stateOf(0)).toBe("cancelled");
    }),
  );
});
