import { FakeListChatModel } from "@langchain/core/utils/testing";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import type { LangGraphRunnableConfig } from "@langchain/langgraph";
import type { RemoteGraph, RemoteGraphParams } from "@langchain/langgraph/remote";
import { Client } from "@langchain/langgraph-sdk";
import { type LangGraph, ours } from "../engines.ts";
import { remoteOf } from "../entries.ts";
import type { Recorder } from "../recorder.ts";
import { RemoteServer } from "../remote-server/server.ts";
import { type Scenario, scenario } from "../scenario.ts";
import { late, leaves, trailState } from "./kit.ts";

/** A server with graphs of ours, and how the engine in question calls it. */
export interface Site {
  readonly server: RemoteServer;
  readonly lg: LangGraph;
  remote(graphId: string, params?: Partial<RemoteGraphParams>): RemoteGraph;
}

export async function withSite<T>(lg: LangGraph, use: (site: Site) => Promise<T>): Promise<T> {
  const server = await RemoteServer.listen(served());
  const { RemoteGraph: Remote } = remoteOf(lg);
  const remote: Site["remote"] = (graphId, params = {}) =>
    new Remote({ graphId, client: clientOf(server), ...params });
  try {
    return await use({ server, lg, remote });
  } finally {
    await server.close();
  }
}

/** Without the SDK's own repetitions, which take half a minute. */
export function clientOf(server: RemoteServer, config: object = {}): Client {
  return new Client({
    apiUrl: server.url,
    apiKey: null as never,
    callerOptions: { maxRetries: 0 },
    ...config,
  });
}

/** A scenario in which an engine calls graphs on a server. */
export function remotely(name: string, run: (site: Site, t: Recorder) => Promise<void>): Scenario {
  return scenario(`a graph on a server: ${name}`, (lg, t) => withSite(lg, (site) => run(site, t)));
}

/** The bodies of the requests for runs, without what only the order of their keys tells apart. */
export function bodiesOf({ server }: Site): unknown[] {
  return server.asked
    .filter(({ path }) => path.endsWith("/runs/stream"))
    .map(({ body }) => ({ ...body, stream_mode: [...(body["stream_mode"] as string[])].toSorted() }));
}

interface Asking {
  readonly tasks: readonly { readonly interrupts: readonly object[]; readonly state?: unknown }[];
}

/** A state with its questions as the original gives them: their ids under `interrupt_id` only. */
export async function noteState(
  t: Recorder,
  graph: RemoteGraph,
  config: object,
  options?: object,
): Promise<void> {
  t.note("state", withoutIds(await graph.getState(config, options)));
}

function withoutIds(state: unknown): unknown {
  const { tasks } = (state ?? {}) as Partial<Asking>;
  if (tasks === undefined) return state;
  const shown = tasks.map((task) => ({
    ...task,
    interrupts: task.interrupts.map((one) => ({ ...one, id: undefined })),
    state: withoutIds(task.state),
  }));
  return { ...(state as object), tasks: shown };
}

const { lg } = ours;
const state = () => trailState(lg);

/** What the server has: graphs of ours, whatever engine calls them. */
export function served(): Record<string, unknown> {
  const stored = { chain, asker, outer, deep, chatty, failing, slow, told, both };
  const compiled = Object.entries(stored).map(([name, builder]) => [
    name,
    builder().compile({ checkpointer: new MemorySaver() }),
  ]);
  return { unstored: chain().compile(), ...Object.fromEntries(compiled) };
}

const chain = () =>
  new lg.StateGraph(state())
    .addNode({ a: leaves("a"), b: leaves("b") })
    .addEdge(lg.START, "a")
    .addEdge("a", "b");

/** Asks twice, one question after the other. */
const asker = () =>
  new lg.StateGraph(state())
    .addNode("ask", (_state, config) => ({
      trail: [`first ${ask(config, { question: "first?" })}`, `second ${ask(config, "second?")}`],
    }))
    .addNode("after", leaves("after"))
    .addEdge(lg.START, "ask")
    .addEdge("ask", "after");

/** By the config: the server's runs have no other way where there is no AsyncLocalStorage. */
function ask(config: { interrupt?: unknown }, value: unknown): string {
  return String((config.interrupt as (value: unknown) => unknown)(value));
}

const outer = () =>
  new lg.StateGraph(state())
    .addNode("before", leaves("before"))
    .addNode("inner", chain().compile())
    .addEdge(lg.START, "before")
    .addEdge("before", "inner");

/** Its questions come from a graph within. */
const deep = () => new lg.StateGraph(state()).addNode("inner", asker().compile()).addEdge(lg.START, "inner");

const chatty = () =>
  new lg.StateGraph(lg.MessagesAnnotation)
    .addNode("say", async ({ messages }, config) => {
      config.writer?.({ heard: messages.length });
      return { messages: [await new FakeListChatModel({ responses: ["hey"] }).invoke(messages, config)] };
    })
    .addEdge(lg.START, "say");

const failing = () =>
  new lg.StateGraph(state())
    .addNode("a", leaves("a"))
    .addNode("fail", () => {
      throw new RangeError("user: too much");
    })
    .addEdge(lg.START, "a")
    .addEdge("a", "fail");

const slow = () =>
  new lg.StateGraph(state())
    .addNode("a", leaves("a"))
    .addNode("wait", async () => {
      await late(150);
      return { last: "waited" };
    })
    .addEdge(lg.START, "a")
    .addEdge("a", "wait");

/** Says what it was told beside its input. */
const told = () =>
  new lg.StateGraph(state())
    .addNode("tell", (_state, config: LangGraphRunnableConfig) => {
      const { configurable, context, metadata, tags } = config;
      const { user, thread_id: thread } = configurable ?? {};
      return { last: JSON.stringify({ user, thread, context, tags, color: metadata?.["color"] }) };
    })
    .addEdge(lg.START, "tell");

/** Two nodes ask at once. */
const both = () =>
  new lg.StateGraph(state())
    .addNode("left", (_state, config) => ({ trail: [`left ${ask(config, "left?")}`] }))
    .addNode("right", (_state, config) => ({ trail: [`right ${ask(config, "right?")}`] }))
    .addEdge(lg.START, "left")
    .addEdge(lg.START, "right");
