import { InMemoryCache } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { scenario } from "../scenario.ts";
import { late, leaves, thread, type Trail, trailState } from "./kit.ts";

const quick = { initialInterval: 1, jitter: false, logWarning: false };

const fails = (): never => {
  throw new Error("user: failed");
};

/** Which keys a node was given, and one of them. */
const seen = (state: object): string =>
  `${Object.keys(state).sort().join()} ${(state as Partial<Trail>).last}`;

/** Options of nodes together: with each other, with defaults, and with Sends. */
export const nodeOptions = [
  scenario(
    "keys of the input, of the output and of other nodes are not for a node that names none",
    async (lg, t) => {
      const State = trailState(lg);
      const { trail } = State.spec;
      const graph = new lg.StateGraph(State, {
        input: lg.Annotation.Root({ last: lg.Annotation<string>(), asked: lg.Annotation<string>() }),
        output: lg.Annotation.Root({ trail, answer: lg.Annotation<string>() }),
      })
        .addNode("own", (state) => ({ trail: [seen(state)], answer: "yes", secret: "s" }) as object, {
          input: lg.Annotation.Root({ asked: lg.Annotation<string>(), secret: lg.Annotation<string>() }),
        })
        .addNode("plain", (state) => ({ trail: [seen(state)] }))
        .addEdge(lg.START, "own")
        .addEdge("own", "plain")
        .addConditionalEdges("plain", (state) => (seen(state).includes("secret") ? lg.END : "own"))
        .compile({ checkpointer: t.saver() });
      const input = { last: "x", asked: "?" } as never;
      await t.invoke(graph, input, thread("1"));
      await t.state(graph, thread("1"));
      await t.stream(graph, input, { ...thread("2"), streamMode: ["values", "updates", "tasks"] });
    },
  ),

  scenario("options of a node that are null are as if they were left out", async (lg, t) => {
    for (const option of [
      "retryPolicy",
      "cachePolicy",
      "timeout",
      "ends",
      "metadata",
      "defer",
      "subgraphs",
    ]) {
      const one = (act: () => object) =>
        new lg.StateGraph(trailState(lg))
          .addNode("a", act, { [option]: null })
          .addEdge(lg.START, "a")
          .compile({ cache: new InMemoryCache() });
      await t.invoke(one(leaves("a")), {});
      await t.fails(() => one(fails).invoke({}));
    }
    for (const option of ["retryPolicy", "cachePolicy", "timeout"]) {
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("a", fails)
        .addEdge(lg.START, "a")
        .setNodeDefaults({ [option]: null })
        .compile({ cache: new InMemoryCache(), store: null as never, interruptBefore: null as never });
      await t.fails(() => graph.invoke({}));
    }
  }),

  scenario(
    "defaults that cannot work are refused when they are set, and later ones replace members",
    async (lg, t) => {
      let ran = 0;
      const builder = new lg.StateGraph(trailState(lg))
        .addNode("a", () => {
          ran += 1;
          return fails();
        })
        .addEdge(lg.START, "a")
        .setNodeDefaults({
          retryPolicy: { ...quick, maxAttempts: 2 },
          errorHandler: () => ({ trail: ["first"] }),
        });
      await t.fails(() => builder.setNodeDefaults({ timeout: 0 }));
      await t.fails(() => builder.setNodeDefaults({ timeout: { idleTimeout: -1 } }));
      builder.setNodeDefaults({ errorHandler: () => ({ trail: ["second"] }) });
      await t.invoke(builder.compile(), {});
      t.note("ran", ran);
    },
  ),

  scenario("an error handler of all nodes gets what the node that failed got", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("some", fails, { input: lg.Annotation.Root({ last: lg.Annotation<string>() }) })
      .addNode("all", fails)
      .addConditionalEdges(lg.START, () => [
        "some",
        new lg.Send("all", { last: "sent" }),
        new lg.Send("some", { last: "too" }),
      ])
      .setNodeDefaults({
        errorHandler: (state, { node }) => ({ trail: [`${node} ${seen(state as object)}`] }),
      })
      .compile();
    await t.steps(graph, { last: "in", total: 3 });
  }),

  scenario("every option of a node in tuples and sequences", async (lg, t) => {
    let ran = 0;
    const graph = new lg.StateGraph(trailState(lg))
      .addNode([
        ["a", () => (ran++ === 0 ? fails() : leaves("a")()), { retryPolicy: { ...quick, maxAttempts: 2 } }],
        ["b", leaves("b"), { cachePolicy: { ttl: 10 }, metadata: { kind: "b" } }],
        ["e", leaves("e"), { defer: true, timeout: 500 }],
      ])
      .addSequence([
        [
          "c",
          fails,
          { errorHandler: () => new lg.Command({ update: { trail: ["handled"] }, goto: "e" }), ends: ["e"] },
        ],
        ["d", leaves("d")],
      ])
      .addSequence({ f: leaves("f"), g: leaves("g") })
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .addEdge("b", "c")
      .addEdge(lg.START, "f")
      .compile({ cache: new InMemoryCache(), checkpointer: t.saver() });
    await t.steps(graph, {}, thread("1"));
    await t.steps(graph, {}, thread("2"));
    t.note("drawn", (await graph.getGraphAsync()).drawMermaid());
  }),

  scenario("error handlers, retries and a time limit of tasks that Sends start", async (lg, t) => {
    const tries: Record<string, number> = {};
    let sent = ["ok", "slow", "bad", "once"];
    const work = async ({ last }: Trail) => {
      tries[last] = (tries[last] ?? 0) + 1;
      if (last === "slow") await late(3_000);
      if (last === "bad" || (last === "once" && tries["once"] === 1)) fails();
      return { trail: [last] };
    };
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("work", work, {
        retryPolicy: { ...quick, maxAttempts: 2 },
        timeout: 800,
        ends: ["end"],
        errorHandler: ({ last }, { error }) =>
          new lg.Command({ update: { trail: [`${last}: ${error.name}`] }, goto: "end" }),
      })
      .addNode("end", leaves("end"))
      .addConditionalEdges(lg.START, () => sent.map((last) => new lg.Send("work", { last })))
      .compile({ checkpointer: t.saver() });
    await t.invoke(graph, {}, thread("1"));
    t.note("tries", tries);
    // a time limit is waited for in full, in each attempt
    sent = ["ok", "bad", "once"];
    await t.steps(graph, { trail: ["again"] }, thread("1"));
  }),

  scenario("questions of error handlers of several Sends are answered by their ids", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("work", ({ last }) => (last === "ok" ? { trail: ["ok"] } : fails()), {
        errorHandler: ({ last }, _error, config) => ({
          trail: [`${last}: ${config?.interrupt?.(`mend ${last}?`) as string}`],
        }),
      })
      .addConditionalEdges(lg.START, () => ["ok", "a", "b"].map((last) => new lg.Send("work", { last })))
      .compile({ checkpointer: t.saver() });
    const asked = (await graph.invoke({}, thread("1"))) as unknown as {
      __interrupt__: { id: string; value: string }[];
    };
    const answers = asked.__interrupt__.map(({ id, value }) => [id, `answer to ${value}`]);
    t.note("questions", asked.__interrupt__.map(({ value }) => value).sort());
    await t.invoke(graph, new lg.Command({ resume: Object.fromEntries(answers) }), thread("1"));
  }),

  scenario(
    "a cached result ends with its time, and a key function that fails fails the run",
    async (lg, t) => {
      let ran = 0;
      const one = (keyFunc: () => string) =>
        new lg.StateGraph(trailState(lg))
          .addNode("a", () => ({ trail: [`run ${(ran += 1)}`] }), { cachePolicy: { ttl: 0.5, keyFunc } })
          .addEdge(lg.START, "a")
          .compile({ cache: new InMemoryCache() });
      const graph = one(() => "key");
      await t.invoke(graph, { last: "1" });
      await t.invoke(graph, { last: "2" });
      await late(600);
      await t.invoke(graph, { last: "3" });
      await t.fails(() => one(fails).invoke({}));
    },
  ),

  scenario("a deferred node in a loop with Sends", async (lg, t) => {
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", leaves("a"))
      .addNode("b", leaves("b"))
      .addNode("work", ({ last }) => ({ trail: [`work ${last ?? ""}`] }))
      .addNode("end", ({ trail }) => ({ trail: [`end ${trail.length}`], total: 1 }), { defer: true })
      .addEdge(lg.START, "a")
      .addEdge("a", "b")
      .addEdge("a", "end")
      .addConditionalEdges("b", ({ total }) => (total < 4 ? ["a", new lg.Send("work", { last: "s" })] : []), [
        "a",
        "work",
      ])
      .addEdge("work", "end")
      .addConditionalEdges("end", ({ total }) => (total < 7 ? "b" : lg.END), ["b", lg.END])
      .compile({ checkpointer: t.saver() });
    await t.steps(graph, {}, thread("1"));
    await t.history(graph, thread("1"));
  }),

  scenario("a deferred graph that a Command goes to and sends to asks twice", async (lg, t) => {
    const inner = new lg.StateGraph(trailState(lg))
      .addNode("x", (_state, config) => ({ last: `x ${config.interrupt?.("?") as string}` }))
      .addEdge(lg.START, "x")
      .compile();
    const goto = ["d", "b", new lg.Send("d", { trail: [], last: "sent" })] as never;
    const graph = new lg.StateGraph(trailState(lg))
      .addNode("a", () => new lg.Command({ update: { trail: ["a"] }, goto }), { ends: ["d", "b"] })
      .addNode("b", leaves("b"))
      .addNode("c", leaves("c"))
      .addNode("d", inner, { defer: true })
      .addEdge(lg.START, "a")
      .addEdge("b", "c")
      .compile({ checkpointer: t.saver() });
    const { __interrupt__: asked } = await t.invoke(graph, {}, thread("1"));
    const ids = (asked as { id: string }[]).map(({ id }) => [id, "yes"]);
    await t.invoke(graph, new lg.Command({ resume: Object.fromEntries(ids) }), thread("1"));
    await t.state(graph, thread("1"));
  }),

  scenario("a Send's own time limit takes the place of its node's", async (lg, t) => {
    const graph = (own: object, sent: ConstructorParameters<typeof lg.Send>[2]) =>
      new lg.StateGraph(trailState(lg))
        .addNode(
          "work",
          async () => {
            await late(50);
            return { trail: ["work"] };
          },
          own,
        )
        .addNode("go", () => new lg.Command({ goto: new lg.Send("work", {}, sent) }), { ends: ["work"] })
        .addEdge(lg.START, "go")
        .compile();
    await t.invoke(graph({ timeout: 10 }, { timeout: 2_000 }), {});
    await t.fails(() => graph({ timeout: 2_000 }, { timeout: 10 }).invoke({}));
    await t.fails(() => graph({}, { timeout: { idleTimeout: 10 } }).invoke({}));
    for (const timeout of [0, -1, Number.NaN, { runTimeout: 0 }]) {
      await t.fails(() => new lg.Send("work", {}, { timeout }));
    }
  }),

  scenario(
    "a context that is required and not given refuses the call; configurable may hold it",
    async (lg, t) => {
      const graph = (context: z.ZodObject) =>
        new lg.StateGraph({ state: trailState(lg), context })
          .addNode("a", (_state, config) => ({ trail: [JSON.stringify(config.context ?? "none")] }))
          .addEdge(lg.START, "a")
          .compile();
      const required = graph(z.object({ level: z.number() }));
      t.note("missing", await required.invoke({}).catch(() => "refused"));
      t.note("batch", await required.batch([{}], {}).catch(() => "refused"));
      await t.invoke(required, {}, { configurable: { level: 1 } });
      await t.invoke(required, {}, { context: { level: 2 } });
      t.note("null", await required.invoke({}, { context: null as never }).catch(() => "refused"));
      await t.invoke(graph(z.object({ level: z.number().optional() })), {});
    },
  ),
];
