import {
  Annotation,
  type GraphRunStream,
  RemoteException,
  START,
  StateGraph,
  StreamChannel,
} from "@skein/graph";
import { RemoteGraph } from "@skein/graph/remote";
import { describe, expect, it } from "vitest";
import { ours } from "../src/engines.ts";
import { Ids, plain } from "../src/normalise.ts";
import { RemoteServer } from "../src/remote-server/server.ts";
import { listed, settled, V3 } from "../src/scenarios/event-streams-kit.ts";
import { late, thread } from "../src/scenarios/kit.ts";
import { clientOf, served, withSite } from "../src/scenarios/remote-kit.ts";

type Event = { method: string; params: { namespace: string[]; data: unknown } };
type Followed = Pick<GraphRunStream, "values" | "output" | "messages" | "lifecycle" | "subgraphs"> &
  AsyncIterable<Event>;

/** Everything that readers of a run see. */
async function seen(run: Followed): Promise<unknown> {
  const [events, values, output, lifecycle, texts, subgraphs] = await Promise.all([
    listed(run, ({ method, params }) => [method, params.namespace, params.data]),
    listed(run.values),
    settled(run.output),
    listed(run.lifecycle, (entry) => ({ ...entry, timestamp: 0 })),
    textsOf(run.messages),
    listed(run.subgraphs, ({ name, path }) => [name, path]),
  ]);
  return new Ids().rename(plain({ events, values, output, lifecycle, texts, subgraphs }));
}

async function textsOf(messages: Followed["messages"]): Promise<unknown[]> {
  const texts: unknown[] = [];
  for await (const message of messages) texts.push(await settled(message.text));
  return texts;
}

/** A graph that may run here, and on a server. */
async function onServer(
  graph: unknown,
  use: (remote: RemoteGraph, server: RemoteServer) => Promise<void>,
): Promise<void> {
  const server = await RemoteServer.listen({ graph });
  try {
    await use(new RemoteGraph({ graphId: "graph", client: clientOf(server) }), server);
  } finally {
    await server.close();
  }
}

const slow = () =>
  new StateGraph(Annotation.Root({ last: Annotation<string>() }))
    .addNode("wait", async (_state, { signal }) => {
      await late(signal.aborted ? 0 : 100);
      return { last: "waited" };
    })
    .addEdge(START, "wait")
    .compile();

/** Counts states, in a channel that clients see. */
const counting = () => {
  const counts = StreamChannel.remote<number>("counts");
  let count = 0;
  return {
    init: () => ({ counts }),
    process({ method }: { method: string }) {
      if (method === "values") counts.push((count += 1));
      return true;
    },
  };
};

describe("a run on a server, followed by its events", () => {
  it.each(["chain", "outer", "asker"])("shows what the same run shows here: %s", (name) =>
    withSite(ours.lg, async ({ server }) => {
      const remote = new RemoteGraph({ graphId: name, client: clientOf(server) });
      const local = served()[name] as { streamEvents(input: unknown, options: object): Promise<Followed> };
      const there = await seen((await remote.streamEvents({}, { ...thread("1"), ...V3 })) as Followed);
      const here = await seen(await local.streamEvents({}, { ...thread("1"), ...V3 }));
      const withoutMark = JSON.parse(JSON.stringify(there), questionsLeftOut);
      expect(withoutMark).toEqual(JSON.parse(JSON.stringify(here), questionsLeftOut));
    }),
  );

  it("messages as they are written, of all nodes and of one; those of a state are messages", () =>
    withSite(ours.lg, async ({ server }) => {
      const remote = new RemoteGraph({ graphId: "chatty", client: clientOf(server) });
      const input = { messages: [{ role: "user", content: "hi" }] };
      const run = await remote.streamEvents(input, { ...thread("1"), ...V3 });
      const texts = await Promise.all(
        [run.messages, run.messagesFrom("say"), run.messagesFrom("x")].map(textsOf),
      );
      expect(texts).toEqual([[{ value: "hey" }], [{ value: "hey" }], []]);
      const { messages } = (await run.output) as { messages: { type: string }[] };
      expect(messages.map(({ type }) => type)).toEqual(["human", "ai"]);
    }));

  it("what the server's transformers make, by name", async () => {
    await onServer(slow().withConfig({ streamTransformers: [counting] }), async (remote) => {
      const run = await remote.streamEvents({ last: "in" }, { ...thread("1"), ...V3 });
      const { counts, other } = run.extensions as Record<
        string,
        AsyncIterable<unknown> & PromiseLike<unknown>
      >;
      if (counts === undefined || other === undefined) throw new Error("an extension is always there");
      expect(await listed(counts)).toEqual([1, 2]);
      expect(await counts).toBe(2);
      expect(await listed(other)).toEqual([]);
    });
  });

  it("a run that fails there fails here, with what the server said", () =>
    withSite(ours.lg, async ({ server }) => {
      const remote = new RemoteGraph({ graphId: "failing", client: clientOf(server) });
      const run = await remote.streamEvents({}, { ...thread("1"), ...V3 });
      await expect(run.output).rejects.toThrow(RemoteException);
      await expect(run.output).rejects.toThrow("user: too much");
      expect(run.interrupted).toBe(false);
    }));

  it("abort, or the caller's signal, cancels the run there and fails its readers", () =>
    onServer(slow(), async (remote, server) => {
      const run = await remote.streamEvents({}, { ...thread("1"), ...V3 });
      run.abort(new Error("enough"));
      await expect(run.output).rejects.toThrow("enough");
      const stop = new AbortController();
      const other = await remote.streamEvents({}, { ...thread("2"), ...V3, signal: stop.signal });
      stop.abort(new Error("too long"));
      await expect(other.output).rejects.toThrow("too long");
      await expect.poll(() => [server.stateOf(0), server.stateOf(1)]).toEqual(["cancelled", "cancelled"]);
      await expect(remote.streamEvents({}, { ...V3, signal: stop.signal })).rejects.toThrow("too long");
    }));

  it("a connection that breaks is made again, and nothing is told twice", () =>
    onServer(slow(), async (remote, server) => {
      server.faults.cutAfter = [2];
      const run = await remote.streamEvents({ last: "in" }, { ...thread("1"), ...V3 });
      const methods = await listed(run as AsyncIterable<Event>, ({ method }) => method);
      expect(methods.filter((method) => method === "values")).toHaveLength(2);
      expect(await run.output).toEqual({ last: "waited" });
    }));

  it("a thread of the server's is refused", () =>
    onServer(slow(), async (remote, server) => {
      server.faults.refuse = { path: "/threads/1/commands", status: 409, body: '{"detail":"busy"}' };
      await expect(remote.streamEvents({}, { ...thread("1"), ...V3 })).rejects.toMatchObject({
        code: "REMOTE_FAILED",
        status: 409,
      });
    }));

  it("as server-sent events", () =>
    onServer(slow(), async (remote) => {
      const text = await remote.streamEvents({}, { ...thread("1"), ...V3, encoding: "text/event-stream" });
      const lines: string[] = [];
      for await (const bytes of text) lines.push(new TextDecoder().decode(bytes));
      expect(lines.filter((line) => line.startsWith("event: lifecycle\n"))).toHaveLength(2);
      expect(lines.join("")).toContain('"last":"waited"');
    }));
});

/** The server tells questions by an event of their own. */
function questionsLeftOut(_key: string, value: unknown): unknown {
  return Array.isArray(value)
    ? value.filter((item) => !(Array.isArray(item) && item[0] === "input.requested"))
    : value;
}
