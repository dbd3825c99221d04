import { AIMessage } from "@langchain/core/messages";
import { z } from "zod";
import type { LangGraph } from "../engines.ts";
import { type Scenario, scenario } from "../scenario.ts";
import { says } from "../agents/kit.ts";
import { thread } from "../scenarios/kit.ts";

type Given = { configurable?: Record<string, unknown> } | undefined;
type Send = (writes: [key: string, value: unknown][]) => void;
type Read = (keys: string | string[], fresh?: boolean) => unknown;

// what packages on LangGraph use (deepagents, the SDK's typedUi), by the names that they use
const sendOf = (config: Given) => config?.configurable?.["__pregel_send"] as Send;
const readOf = (config: Given) => config?.configurable?.["__pregel_read"] as Read;

const notes = (lg: LangGraph) =>
  lg.Annotation.Root({
    ...lg.MessagesAnnotation.spec,
    notes: lg.Annotation<string[], string>({ reducer: (all, one) => [...all, one], default: () => [] }),
    title: lg.Annotation<string>,
  });

/** Writes twice what it does not return, and asks what it has written. */
const writing = (lg: LangGraph) =>
  new lg.StateGraph(notes(lg))
    .addNode("write", async (_, config) => {
      sendOf(config)([["notes", "first"]]);
      await Promise.resolve();
      sendOf(lg.getConfig())([
        ["notes", "second"],
        ["title", "sent"],
      ]);
      return { messages: [new AIMessage({ id: "a", content: "done" })] };
    })
    .addNode("look", () => ({}))
    .addEdge(lg.START, "write")
    .addEdge("write", "look");

function refused(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return "refused";
  }
}

const MODES = ["updates", "values", "tasks", "checkpoints", "custom", "messages"];

/** What packages find in the config of the node or tool that they run in. */
export const within: readonly Scenario[] = [
  ...MODES.map((mode) =>
    scenario(`a package writes to the state while its node runs: mode ${mode}`, async (lg, t) => {
      const graph = writing(lg).compile({ checkpointer: t.saver() });
      await t.stream(graph, says("hi"), { ...thread("1"), streamMode: mode });
    }),
  ),

  scenario("what a condition sends comes after what its node returned", async (lg, t) => {
    const graph = new lg.StateGraph(notes(lg))
      .addNode("write", (_, config) => {
        sendOf(config)([["notes", "first"]]);
        return { notes: "second" };
      })
      .addNode("end", () => ({}))
      .addEdge(lg.START, "write")
      .addConditionalEdges(
        "write",
        async (_, config) => {
          await Promise.resolve();
          sendOf(config)([["notes", "third"]]);
          return "end";
        },
        ["end"],
      )
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, says("hi"), thread("1"));
  }),

  scenario("what a package wrote while its node ran is stored with the rest", async (lg, t) => {
    const saver = t.saver();
    const graph = writing(lg).compile({ checkpointer: saver });
    await t.invoke(graph, says("hi"), thread("1"));
    await t.history(graph, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a package reads the state, with and without what its node has written", async (lg, t) => {
    const graph = new lg.StateGraph(notes(lg))
      .addNode("first", () => ({ notes: "before" }))
      .addNode("read", () => {
        const config = lg.getConfig();
        const look = (what: string) =>
          t.note(what, [
            readOf(config)("notes"),
            readOf(config)("notes", true),
            readOf(config)("title"),
            readOf(config)("title", true),
            readOf(config)(["notes", "title"], true),
            readOf(config)(["notes", "title"]),
          ]);
        look("nothing written");
        sendOf(config)([["notes", "within"]]);
        look("a note");
        sendOf(config)([["title", "t"]]);
        sendOf(config)([["notes", "again"]]);
        look("a title and one more");
        return { notes: "returned" };
      })
      .addEdge(lg.START, "first")
      .addEdge("first", "read")
      .compile();
    await t.invoke(graph, says("hi"));
  }),

  scenario("a package that reads what the state does not have is refused, and may go on", async (lg, t) => {
    const graph = new lg.StateGraph(notes(lg))
      .addNode("read", () => {
        const read = readOf(lg.getConfig());
        t.note("read", [refused(() => read("files")), refused(() => read(["files"], true))]);
        sendOf(lg.getConfig())([["files", "nowhere"]]);
        return { notes: "read" };
      })
      .addEdge(lg.START, "read")
      .compile();
    await t.invoke(graph, says("hi"));
  }),

  scenario("a package writes to the graph that it runs in, not to the one around it", async (lg, t) => {
    const saver = t.saver();
    const inner = writing(lg).compile();
    const outer = new lg.StateGraph(notes(lg))
      .addNode("inner", async (_, config) => {
        sendOf(config)([["notes", "outer"]]);
        const { title } = await inner.invoke(says("in"), config);
        t.note("outer still reads", readOf(lg.getConfig())("notes", true));
        return { title: `${title} within` };
      })
      .addEdge(lg.START, "inner")
      .compile({ checkpointer: saver });
    await t.invoke(outer, says("hi"), thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("what an attempt that failed wrote does not count", async (lg, t) => {
    let tries = 0;
    const graph = new lg.StateGraph(notes(lg))
      .addNode(
        "write",
        (_, config) => {
          tries += 1;
          sendOf(config)([["notes", `try ${tries}`]]);
          if (tries === 1) throw new Error("user: once");
          return {};
        },
        { retryPolicy: { initialInterval: 1, jitter: false, logWarning: false } },
      )
      .addEdge(lg.START, "write")
      .compile();
    await t.invoke(graph, says("hi"));
  }),

  scenario("a package writes, and its node asks and is answered", async (lg, t) => {
    const graph = new lg.StateGraph(notes(lg))
      .addNode("write", (_, config) => {
        sendOf(config)([["notes", "asked"]]);
        return { title: lg.interrupt("title?") as string };
      })
      .addEdge(lg.START, "write")
      .compile({ checkpointer: t.saver() });
    await graph.invoke(says("hi"), thread("1"));
    await t.state(graph, thread("1"));
    await t.invoke(graph, new lg.Command({ resume: "yes" }), thread("1"));
    await t.state(graph, thread("1"));
  }),

  scenario("a branch sees what a package wrote in its node", async (lg, t) => {
    const graph = new lg.StateGraph(notes(lg))
      .addNode("write", (_, config) => {
        sendOf(config)([["title", "left"]]);
        return {};
      })
      .addNode("left", () => ({ notes: "left" }))
      .addNode("right", () => ({ notes: "right" }))
      .addEdge(lg.START, "write")
      .addConditionalEdges("write", ({ title }) => (title === "left" ? "left" : "right"))
      .compile();
    await t.invoke(graph, says("hi"));
  }),

  scenario("a branch sees a message that its node pushed", async (lg, t) => {
    const graph = new lg.StateGraph(notes(lg))
      .addNode("push", () => {
        lg.pushMessage(new AIMessage({ id: "p", content: "left" }));
        return {};
      })
      .addNode("left", () => ({ notes: "left" }))
      .addNode("right", () => ({ notes: "right" }))
      .addEdge(lg.START, "push")
      .addConditionalEdges("push", ({ messages }) => (messages.at(-1)?.text === "left" ? "left" : "right"))
      .compile();
    await t.invoke(graph, says("hi"));
  }),

  scenario("a limit that is bound to a graph holds for its events, too", async (lg, t) => {
    const graph = new lg.StateGraph(notes(lg))
      .addNode("again", ({ notes }) => ({ notes: `${notes.length}` }))
      .addEdge(lg.START, "again")
      .addConditionalEdges("again", ({ notes }) => (notes.length < 30 ? "again" : lg.END))
      .compile()
      .withConfig({ recursionLimit: 40 });
    const seen: string[] = [];
    for await (const { event, name } of graph.streamEvents(says("hi"), { version: "v2" })) {
      if (name === "again") seen.push(event);
    }
    t.note("events", seen);
    await t.fails(async () => {
      const events = graph.streamEvents(says("hi"), { version: "v2", recursionLimit: 10 });
      for await (const _ of events);
    });
  }),

  scenario("a graph that is named after it was compiled runs under that name", async (lg, t) => {
    const build = (name?: string) =>
      new lg.StateGraph(notes(lg))
        .addNode("only", () => ({ notes: "only" }))
        .addEdge(lg.START, "only")
        .compile(name === undefined ? {} : { name });
    const look = async (graph: ReturnType<typeof build>) => {
      const started: string[] = [];
      for await (const { event, name } of graph.streamEvents(says("hi"), { version: "v2" })) {
        if (event === "on_chain_start") started.push(name);
      }
      t.note("names", [graph.name, graph.getName(), started]);
    };
    for (const graph of [build(), build("early")]) {
      await look(graph);
      graph.name = "late";
      await look(graph);
      await look(graph.withConfig({ tags: ["bound"] }));
      await look(graph.withConfig({ runName: "run" }));
      const outer = new lg.StateGraph(notes(lg))
        .addNode("inner", graph as never)
        .addEdge(lg.START, "inner")
        .compile();
      await look(outer as never);
    }
  }),

  ...schemas().map(([what, build]) =>
    scenario(`a server finds the schemas of a builder: ${what}`, async (lg, t) => {
      const builder = build(lg) as Readonly<Record<string, unknown>>;
      const found = ["_schemaRuntimeDefinition", "_inputRuntimeDefinition", "_outputRuntimeDefinition"];
      t.note(
        "found",
        [...found, "_configRuntimeSchema"].map((name) => kindOf(builder[name])),
      );
    }),
  ),
];

/** Graphs by what their schemas are, as servers that describe graphs tell them apart. */
function schemas(): readonly [string, (lg: LangGraph) => object][] {
  const A = z.object({ a: z.string() });
  const B = z.object({ b: z.number() });
  return [
    ["Annotation", (lg) => new lg.StateGraph(notes(lg))],
    ["zod", (lg) => new lg.StateGraph(A)],
    ["zod, with a context", (lg) => new lg.StateGraph(A, B)],
    [
      "zod, all four",
      (lg) => new lg.StateGraph({ state: A.extend(B.shape), input: A, output: B, context: A }),
    ],
    ["StateSchema", (lg) => new lg.StateGraph(new lg.StateSchema({ a: z.string() }))],
    [
      "an Annotation with an input of zod",
      (lg) => new lg.StateGraph({ stateSchema: notes(lg), input: z.object({ title: z.string() }) } as never),
    ],
  ];
}

/** What a server can make a JSON schema of, and the JSON schema. */
function kindOf(schema: unknown): unknown {
  const { getJsonSchema, getInputJsonSchema } = (schema ?? {}) as Record<string, unknown>;
  if (typeof getJsonSchema === "function" && typeof getInputJsonSchema === "function") {
    return [getJsonSchema.call(schema), getInputJsonSchema.call(schema)];
  }
  if (schema instanceof z.ZodObject) return z.toJSONSchema(schema);
  return typeof schema === "symbol" ? String(schema) : undefined;
}
