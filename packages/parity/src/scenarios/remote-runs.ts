import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { thread } from "./kit.ts";
import { bodiesOf, clientOf, noteState, remotely } from "./remote-kit.ts";

export const remoteRuns = [
  remotely("invoke gives its last state", async ({ remote }, t) => {
    await t.invoke(remote("chain"), { last: "in" }, thread("1"));
    await t.invoke(remote("chain"), { last: "in" }, thread("1"));
    await t.invoke(remote("unstored"), { last: "in" });
  }),

  remotely("each stream mode by itself, and the default one", async ({ remote }, t) => {
    await t.stream(remote("chain"), {}, thread("1"));
    for (const streamMode of ["values", "updates", "tasks", "checkpoints", "debug"]) {
      await t.stream(remote("chain"), { last: "in" }, { ...thread(`of ${streamMode}`), streamMode });
    }
  }),

  remotely("several stream modes carry their names", async ({ remote }, t) => {
    await t.stream(remote("chain"), {}, { ...thread("1"), streamMode: ["values", "updates"] });
    await t.stream(remote("chain"), {}, { ...thread("1"), streamMode: ["values"] });
    await t.stream(remote("chain"), {}, { ...thread("1"), streamMode: [] });
  }),

  remotely("messages and what nodes write, as JSON", async ({ remote }, t) => {
    const input = { messages: [new HumanMessage({ content: "hi", id: "m1" })] };
    await t.stream(remote("chatty"), input, { ...thread("1"), streamMode: "messages" });
    await t.stream(remote("chatty"), input, { ...thread("2"), streamMode: "custom" });
    await t.stream(remote("chatty"), input, { ...thread("3"), streamMode: ["messages", "custom", "values"] });
  }),

  remotely("messages of an input become plain objects with a role", async (site, t) => {
    const messages = [
      new HumanMessage({ content: "hi", id: "m1" }),
      new AIMessage({ content: [{ type: "text", text: "ho" }], id: "m2" }),
    ];
    await t.invoke(site.remote("chatty"), { messages, deep: { list: [messages[0]] } }, thread("1"));
    t.note("asked", bodiesOf(site));
  }),

  remotely("subgraphs: chunks carry their namespaces", async ({ remote }, t) => {
    const all = { subgraphs: true };
    await t.stream(remote("outer"), {}, { ...thread("1"), ...all });
    await t.stream(remote("outer"), {}, { ...thread("2"), ...all, streamMode: ["values", "updates"] });
    await t.stream(remote("outer"), {}, { ...thread("3"), streamMode: ["values", "updates"] });
  }),

  remotely("a config goes along, without this side's checkpoints", async (site, t) => {
    const graph = site.remote("told");
    const configurable = { thread_id: "1", user: "u", checkpoint_map: {}, checkpoint_ns: "", __pregel_x: 1 };
    await t.invoke(graph, {}, { configurable, tags: ["t"], metadata: { color: "red" }, recursionLimit: 7 });
    t.note("asked", bodiesOf(site));
  }),

  remotely("a context goes along", async (site, t) => {
    await t.invoke(site.remote("told"), {}, { ...thread("1"), context: { user: { name: "c" } } });
    t.note("asked", bodiesOf(site));
  }),

  remotely("what a config holds that is no JSON is told in words", async (site, t) => {
    const circle: Record<string, unknown> = { size: 10n };
    circle["self"] = circle;
    const configurable = { thread_id: "1", circle, call: () => 1, when: new Date(0) };
    await t.invoke(
      site.remote("told"),
      {},
      { configurable, metadata: { color: "red", big: 1n }, tags: ["t", 2n as never] },
    );
    t.note("asked", bodiesOf(site));
  }),

  remotely("withConfig gives another graph with defaults, which a call adds to", async (site, t) => {
    const graph = site.remote("told");
    const configured = graph.withConfig({
      configurable: { user: "u", thread_id: "1" },
      tags: ["graph"],
      metadata: { color: "red" },
    });
    await t.invoke(configured, {});
    await t.invoke(
      configured,
      {},
      { configurable: { user: "v" }, tags: ["call"], metadata: { color: "blue" } },
    );
    await t.invoke(configured.withConfig({ configurable: { thread_id: "2" } }), {});
    t.note("kept", [configured instanceof graph.constructor, configured === graph, configured.graphId]);
    t.note("asked", bodiesOf(site));
  }),

  remotely("breakpoints of the graph, and those of a call before them", async (site, t) => {
    const stops = site.remote("chain", { interruptBefore: ["b"] as never });
    await t.fails(() => stops.invoke({}, thread("1")));
    await t.fails(() => stops.invoke({}, { ...thread("2"), interruptAfter: ["a"] as never }));
    await t.state(site.remote("chain"), thread("1"));
    await t.invoke(site.remote("chain"), null, thread("1"));
    t.note("asked", bodiesOf(site));
  }),

  remotely("an interrupt is thrown, and a command answers it", async (site, t) => {
    const graph = site.remote("asker");
    const asked = (await t.fails(() => graph.invoke({ last: "in" }, thread("1")))) as { interrupts: unknown };
    t.note("interrupts", asked.interrupts);
    const again = (await t.fails(() =>
      graph.invoke(new site.lg.Command({ resume: "one" }), thread("1")),
    )) as {
      interrupts: unknown;
    };
    t.note("interrupts", again.interrupts);
    await noteState(t, graph, thread("1"));
    await t.invoke(graph, new site.lg.Command({ resume: { with: ["two"] } }), thread("1"));
    t.note("asked", bodiesOf(site));
  }),

  remotely("a command that updates and goes somewhere", async (site, t) => {
    const graph = site.remote("chain");
    await t.invoke(graph, {}, thread("1"));
    const command = new site.lg.Command({
      update: { last: "moved" },
      goto: ["b", new site.lg.Send("a", { last: "sent" })],
    });
    await t.steps(graph, command, thread("1"));
    t.note("asked", bodiesOf(site));
  }),

  remotely("a stream up to its interrupt", async ({ remote, lg }, t) => {
    await t.streamFails(remote("asker"), {}, { ...thread("1"), streamMode: ["values", "updates"] });
    await t.streamFails(remote("asker"), new lg.Command({ resume: "one" }), thread("1"));
  }),

  remotely("headers and keys go along", async ({ remote, server }, t) => {
    const graph = remote("chain", {
      client: undefined as never,
      url: `${server.url}/`,
      apiKey: "secret",
      headers: { "x-team": "looms" },
    });
    await t.invoke(graph, {}, thread("1"));
    await graph.getState(thread("1"));
    t.note(
      "headers",
      server.asked.map(({ path, headers }) => [path, headers["x-team"], headers["x-api-key"]]),
    );
  }),

  remotely("ids of threads are escaped", async (site, t) => {
    await t.invoke(site.remote("chain"), {}, thread("../a b?c#d/e"));
    await t.state(site.remote("chain"), thread("../a b?c#d/e"));
    t.note(
      "paths",
      site.server.asked.map(({ path }) => path),
    );
  }),

  remotely("a resumable stream goes on where its connection broke", async ({ remote, server }, t) => {
    server.faults.cutAfter = [2];
    await t.stream(remote("chain", { streamResumable: true }), {}, { ...thread("1"), streamMode: "updates" });
    t.note(
      "asked",
      server.asked.map(({ method, path, headers }) => [method, path, headers["last-event-id"]]),
    );
  }),

  remotely("a client of the SDK with a hook on its requests", async ({ remote, server }, t) => {
    const paths: string[] = [];
    const client = clientOf(server, {
      onRequest: (url: URL, init: object) => {
        paths.push(url.pathname);
        return init;
      },
    });
    await t.invoke(remote("chain", { client }), {}, thread("1"));
    t.note("paths", paths);
  }),
];
