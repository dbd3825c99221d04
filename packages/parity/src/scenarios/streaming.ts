import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { scenario } from "../scenario.ts";
import { leaves, thread, trailState } from "./kit.ts";

interface Gate {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function gate(): Gate {
  const opened: { resolve?: () => void } = {};
  const promise = new Promise<void>((resolve) => void (opened.resolve = resolve));
  return { promise, resolve: () => opened.resolve?.() };
}

const listed = (name: string) => () => ({ list: [name] });

const owned = (name: string) => () => ({ own: [name] });

export const streaming = [
  scenario("values, updates and both, of a fan-out", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addNode("c", leaves("c"))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .addEdge("a", "c")
      .compile();
    await t.stream(graph, { trail: ["in"] }, { streamMode: "values" });
    await t.stream(graph, { trail: ["in"] }, { streamMode: "updates" });
    await t.stream(graph, { trail: ["in"] }, { streamMode: ["values"] });
    await t.stream(graph, { trail: ["in"] }, { streamMode: ["updates", "values"] });
    await t.stream(graph, { trail: ["in"] }, {});
  }),

  scenario("the custom stream carries what nodes write, in order with the rest", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", (_state, config) => {
        config.writer?.({ from: "the argument" });
        lg.getWriter()?.(3);
        return { trail: ["a"] };
      })
      .addEdge(lg.START, "a")
      .compile();
    await t.stream(graph, {}, { streamMode: "custom" });
    await t.stream(graph, {}, { streamMode: ["custom", "updates", "values"] });
    await t.stream(graph, {}, { streamMode: "updates" });
    await t.invoke(graph, {});
  }),

  scenario("invoke with a stream mode", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile();
    t.note("updates", await graph.invoke({}, { streamMode: "updates" }));
    t.note("values", await graph.invoke({}, { streamMode: "values" }));
  }),

  scenario("a consumer that stops early ends the run quietly", async (lg, t) => {
    const ran: string[] = [];
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => {
        ran.push("a");
        return { trail: ["a"] };
      })
      .addNode("b", leaves("b"))
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .compile();
    for await (const chunk of await graph.stream({}, { streamMode: "updates" })) {
      t.note("first", chunk);
      break;
    }
    t.note("ran", ran);
  }),

  scenario("the values stream of a second turn starts from the thread's state", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addEdge(lg.START, "a")
      .compile({ checkpointer: t.saver() });
    await t.stream(graph, { trail: ["one"] }, { ...thread("1"), streamMode: "values" });
    await t.stream(graph, { trail: ["two"] }, { ...thread("1"), streamMode: "values" });
  }),

  scenario("batch runs several inputs and keeps their order", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addEdge(lg.START, "a")
      .compile();
    t.note("batch", await graph.batch([{ trail: ["1"] }, { trail: ["2"] }, { trail: ["3"] }]));
  }),

  scenario("a graph with its config bound", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", (_state, config) => ({ last: String(config.configurable?.["user"]) }))
      .addEdge(lg.START, "a")
      .compile();
    t.note("bound", await graph.withConfig({ configurable: { user: "bound" } }).invoke({}));
  }),

  scenario(
    "updates of a node that writes nothing, and of one that writes a key twice by Commands",
    async (lg, t) => {
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("a", () => ({}))
        .addNode(
          "b",
          () => [new lg.Command({ update: { trail: ["1"] } }), { trail: ["2"], last: "x" }] as never,
        )
        .addEdge(lg.START, "a")
        .addEdge("a", "b")
        .compile();
      await t.stream(graph, {}, { streamMode: "updates" });
    },
  ),

  scenario("updates of parallel tasks appear as each of them finishes", async (lg, t) => {
    const done = [0, 1, 2].map(() => gate());
    const build = (saver?: BaseCheckpointSaver) =>
      new lg.StateGraph(trailState(lg))
        .addNode("work", async ({ item }: { item: number }) => {
          // the last one first, each long after the one before
          if (item < 2) await done[item + 1]?.promise;
          setTimeout(() => done[item]?.resolve(), 5);
          return { trail: [`work ${item}`] };
        })
        .addConditionalEdges(lg.START, () => [0, 1, 2].map((item) => new lg.Send("work", { item })), ["work"])
        .compile(saver === undefined ? {} : { checkpointer: saver });
    await t.stream(build(), {}, { streamMode: ["updates", "values"] });
    for (const i of done.keys()) done[i] = gate();
    await t.stream(build(t.saver()), {}, { ...thread("1"), streamMode: ["updates", "values"] });
  }),

  scenario(
    "the config of a streamed checkpoint has the members that the call gave, no others",
    async (lg, t) => {
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("one", leaves("one"))
        .addEdge(lg.START, "one")
        .compile({ checkpointer: t.saver() });
      for (const given of [{}, { maxConcurrency: 2, runName: "named" }]) {
        const config = { ...thread("1"), ...given, streamMode: "checkpoints" as const };
        const payloads = [];
        for await (const payload of await graph.stream({ last: "in" }, config)) payloads.push(payload);
        t.note(
          "members",
          payloads.map(({ config }) => Object.keys(config ?? {}).sort()),
        );
      }
    },
  ),

  scenario("a stream that is being read may be cancelled, which stops the run", async (lg, t) => {
    type Opened = {
      cancel(): Promise<void>;
      next(): Promise<unknown>;
      getReader(): { read(): Promise<unknown> };
    };
    for (const kind of ["chunks", "text", "events"]) {
      for (const by of ["next", "reader"]) {
        const [begun, ended] = [gate(), gate()];
        const graph = new lg.StateGraph(trailState(lg))
          .addNode("one", leaves("one"))
          .addNode("endless", (_, { signal }) => {
            signal?.addEventListener("abort", ended.resolve);
            begun.resolve();
            return new Promise<never>(() => {});
          })
          .addEdge(lg.START, "one")
          .addEdge("one", "endless")
          .compile({ checkpointer: t.saver() });
        const config = { ...thread("1"), durability: "sync" } as const;
        const opened: unknown =
          kind === "events"
            ? graph.streamEvents({}, { ...config, version: "v2" })
            : graph.stream({}, kind === "text" ? { ...config, encoding: "text/event-stream" } : config);
        const stream = (await opened) as Opened;
        await (by === "next" ? stream.next() : stream.getReader().read());
        await begun.promise;
        await stream.cancel();
        await ended.promise;
        t.note(`${kind} by ${by}`, (await graph.getState(config)).next);
      }
    }
  }),

  scenario(
    "a reader finds a chunk as it was, also of a list that the reducer changes in place",
    async (lg, t) => {
      const state = lg.Annotation.Root({
        list: lg.Annotation<string[]>({
          reducer: (list, more) => {
            list.push(...more);
            return list;
          },
          default: () => [],
        }),
      });
      const build = () =>
        new lg.StateGraph(state)
          .addSequence({ a: listed("a"), b: listed("b"), c: listed("c") })
          .addEdge(lg.START, "a");
      const modes = ["values", "updates", "tasks", "debug", "checkpoints"] as const;
      for (const checkpointer of [undefined, t.saver()]) {
        for (const streamMode of [...modes, ["values" as const, "tasks" as const]]) {
          const graph = build().compile(checkpointer === undefined ? {} : { checkpointer });
          const seen: unknown[] = [];
          const options = { ...thread(String(streamMode)), streamMode };
          for await (const chunk of await graph.stream({ list: ["in"] }, options)) {
            seen.push(JSON.stringify(chunk).match(/"(list|name)":("\w+"|\[[^\]]*\])/g));
          }
          t.note(String(streamMode), seen);
        }
      }
    },
  ),

  scenario("a reader finds chunks of a graph within as they were", async (lg, t) => {
    const own = lg.Annotation.Root({
      own: lg.Annotation<string[]>({
        reducer: (list, more) => {
          list.push(...more);
          return list;
        },
        default: () => [],
      }),
    });
    const inner = new lg.StateGraph(own)
      .addSequence({ a: owned("a"), b: owned("b"), c: owned("c") })
      .addEdge(lg.START, "a")
      .compile();
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("inner", inner)
      .addEdge(lg.START, "inner")
      .compile();
    for (const streamMode of ["values", "tasks"] as const) {
      const seen: unknown[] = [];
      for await (const chunk of await graph.stream({}, { streamMode, subgraphs: true })) {
        seen.push(JSON.stringify(chunk).match(/"own":\[[^\]]*\]/));
      }
      t.note(streamMode, seen);
    }
  }),
];
