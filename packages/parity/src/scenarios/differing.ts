import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { InMemoryCache, MemorySaver } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import type { Difference } from "../scenario.ts";
import { answersToQuestions } from "./answers-differing.ts";
import { bareAnswers } from "./bare-answers-differing.ts";
import { brandedValues } from "./brands-differing.ts";
import { meaninglessCalls } from "./calls-differing.ts";
import { deltaDifferences } from "./delta-differing.ts";
import { eventStreamDifferences } from "./event-streams-differing.ts";
import { exitDifferences } from "./exit-differing.ts";
import { afterFailures } from "./failures-differing.ts";
import { callsOfTasks, commandsOfTools } from "./func-differing.ts";
import { halfFinished } from "./half-finished-differing.ts";
import { editedInPlace } from "./in-place-differing.ts";
import { leaves, thread, trailState } from "./kit.ts";
import { ownSaverDifferences } from "./own-savers.ts";
import { commandsForTheParent } from "./parent-differing.ts";
import { remoteDifferences } from "./remote-differing.ts";
import { withinSubgraphs } from "./replay-differing.ts";
import { deafSiblings } from "./siblings.ts";
import { doneWhenAborted } from "./hangs.ts";
import { whatIsStored } from "./stored-differing.ts";
import { differingWrites } from "./writes-differing.ts";
import { storesInNodes } from "./stores-differing.ts";
import { zodDifferences } from "./zod-differing.ts";

const isZodError = (error: unknown) => error instanceof z.core.$ZodError;

/** Every intended difference, with what each engine makes of the same program. */
export const differing: readonly Difference[] = [
  ...deltaDifferences,
  ...eventStreamDifferences,
  ...exitDifferences,
  ...afterFailures,
  ...doneWhenAborted,
  ...whatIsStored,
  ...differingWrites,
  ...halfFinished,
  ...meaninglessCalls,
  ...answersToQuestions,
  ...bareAnswers,
  ...brandedValues,
  ...ownSaverDifferences,
  ...commandsForTheParent,
  ...remoteDifferences,
  {
    id: "cache-of-a-call",
    name: "a cache that comes with the call",
    there: ["run 1", "run 2"],
    here: ["run 1", "run 1"],
    async run(lg) {
      let ran = 0;
      const count = (): { trail: string[] } => ({ trail: [`run ${++ran}`] });
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("slow", count, { cachePolicy: true })
        .addEdge(lg.START, "slow")
        .compile();
      const cache = new InMemoryCache();
      const first = await graph.invoke({}, { cache });
      return [...first.trail, ...(await graph.invoke({}, { cache })).trail];
    },
  },

  {
    id: "guards-take-anything",
    name: "isGraphInterrupt(null) is false and does not throw",
    there: "refused: TypeError",
    here: false,
    run: async (lg) => lg.isGraphInterrupt(null as never),
  },

  {
    id: "guards-take-anything",
    name: "a node may throw what is no error",
    there: ["TypeError", null],
    here: ["string", "text"],
    async run(lg) {
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("a", () => {
          // oxlint-disable-next-line no-throw-literal -- programs do it
          throw "text";
        })
        .addEdge(lg.START, "a")
        .compile();
      return graph
        .invoke({})
        .catch((thrown: unknown) => [
          thrown instanceof Error ? thrown.name : typeof thrown,
          thrown instanceof Error ? null : thrown,
        ]);
    },
  },

  {
    id: "retried-subgraph",
    name: "a question of a subgraph's second attempt is asked once",
    there: "asks again",
    here: "answer yes",
    async run(lg) {
      const State = () => lg.Annotation.Root({ last: lg.Annotation<string>() });
      let failures = 1;
      const inner = new lg.StateGraph(State())
        .addNode("ask", () => {
          failures -= 1;
          if (failures >= 0) throw new Error("user: once");
          return { last: `answer ${lg.interrupt("?")}` };
        })
        .addEdge(lg.START, "ask")
        .compile();
      const graph = new lg.StateGraph(State())
        .addNode("sub", inner, {
          retryPolicy: { maxAttempts: 2, initialInterval: 1, jitter: false, logWarning: false },
        })
        .addEdge(lg.START, "sub")
        .compile({ checkpointer: new MemorySaver() });
      await graph.invoke({ last: "in" }, thread("1"));
      const { tasks } = await graph.getState(thread("1"));
      const id = String(tasks[0]?.interrupts[0]?.id);
      const output = await graph.invoke(new lg.Command({ resume: { [id]: "yes" } }), thread("1"));
      return lg.isInterrupted(output) ? "asks again" : output.last;
    },
  },

  {
    id: "questions-in-unstored-subgraphs",
    name: "a question in a subgraph with checkpointer: false is answered",
    there: "still open",
    here: "answer yes",
    async run(lg) {
      const State = () => lg.Annotation.Root({ last: lg.Annotation<string>() });
      const inner = new lg.StateGraph(State())
        .addNode("ask", () => ({ last: `answer ${lg.interrupt("?")}` }))
        .addEdge(lg.START, "ask")
        .compile({ checkpointer: false });
      const graph = new lg.StateGraph(State())
        .addNode("sub", inner)
        .addEdge(lg.START, "sub")
        .compile({ checkpointer: new MemorySaver() });
      await graph.invoke({ last: "in" }, thread("1"));
      const output = await graph.invoke(new lg.Command({ resume: "yes" }), thread("1"));
      return lg.isInterrupted(output) ? "still open" : output.last;
    },
  },

  {
    id: "context-defaults",
    name: "a context schema's defaults reach the nodes",
    there: { user: "ada" },
    here: { user: "ada", level: 3 },
    async run(lg) {
      const Context = z.object({ user: z.string(), level: z.number().default(3) });
      let seen: unknown;
      const graph = new lg.StateGraph(trailState(lg), Context)
        .addNode("a", (_state, runtime) => {
          seen = runtime.context;
          return {};
        })
        .addEdge(lg.START, "a")
        .compile();
      await graph.invoke({}, { context: { user: "ada" } as never });
      return seen;
    },
  },
  {
    id: "context-defaults",
    name: "a context that does not fit is refused with a code",
    there: "refused: $ZodError",
    here: "refused: INVALID_INPUT",
    run: async (lg) =>
      await new lg.StateGraph(trailState(lg), z.object({ user: z.string() }))
        .addNode("a", () => ({}))
        .addEdge(lg.START, "a")
        .compile()
        .invoke({}, { context: { user: 5 } as never }),
  },

  {
    id: "message-ids-when-recorded",
    name: "a message's id stands in the saved write already",
    there: false,
    here: true,
    async run(lg) {
      const saver = new MemorySaver();
      const graph = new lg.StateGraph(lg.MessagesAnnotation)
        .addNode("a", () => ({ messages: [new AIMessage("no id")] }))
        .addEdge(lg.START, "a")
        .compile({ checkpointer: saver });
      await graph.invoke({ messages: [new HumanMessage({ id: "h", content: "hi" })] }, thread("1"));
      const written: { id?: string; type: string }[] = [];
      for await (const { pendingWrites = [] } of saver.list(thread("1"))) {
        for (const [, channel, value] of pendingWrites)
          if (channel === "messages") written.push(...(value as []));
      }
      return written.find(({ type }) => type === "ai")?.id !== undefined;
    },
  },

  {
    id: "what-is-stored",
    name: "a question that a command has answered, bringing something along, is marked so",
    there: [false],
    here: [true],
    async run(lg) {
      const saver = new MemorySaver();
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("a", () => ({ trail: [String(lg.interrupt("?"))] }))
        .addEdge(lg.START, "a")
        .compile({ checkpointer: saver });
      await graph.invoke({ trail: ["in"] }, thread("1"));
      const { config } = await graph.getState(thread("1"));
      await graph.invoke(new lg.Command({ resume: "x", update: { trail: ["u"] } }), thread("1"));
      const { pendingWrites = [] } = (await saver.getTuple(config)) ?? {};
      const asked = pendingWrites.filter(([, channel]) => channel === "__interrupt__");
      return asked.map(([, , question]) => (question as { answered?: number }).answered !== undefined);
    },
  },

  {
    id: "shared-reducer-key",
    name: "a shared list key comes back from a subgraph once",
    there: { total: 3, trail: ["start", "before", "start", "before", "in"] },
    here: { total: 2, trail: ["start", "before", "in"] },
    async run(lg) {
      const inner = new lg.StateGraph(trailState(lg))
        .addNode("in", leaves("in"))
        .addEdge(lg.START, "in")
        .compile();
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("before", leaves("before"))
        .addNode("sub", inner)
        .addEdge(lg.START, "before")
        .addEdge("before", "sub")
        .compile();
      return graph.invoke({ trail: ["start"] });
    },
  },

  {
    id: "input-errors",
    name: "a zod object refuses an input of the wrong type with InvalidUpdateError, zod's own as its cause",
    there: [true, false],
    here: [false, true],
    async run(lg) {
      const graph = new lg.StateGraph(z.object({ name: z.string() }))
        .addNode("a", () => ({}))
        .addEdge(lg.START, "a")
        .compile();
      return graph.invoke({ name: 5 } as never).then(
        () => "accepted",
        (error: unknown) => [isZodError(error), isZodError((error as Error).cause)],
      );
    },
  },

  {
    id: "writer-writes",
    name: "the exported writer writes to the custom stream",
    there: [],
    here: ["x"],
    async run(lg) {
      const graph = new lg.StateGraph(trailState(lg))
        .addNode("a", () => {
          lg.writer("x");
          return {};
        })
        .addEdge(lg.START, "a")
        .compile();
      const chunks: unknown[] = [];
      for await (const chunk of await graph.stream({}, { streamMode: "custom" })) chunks.push(chunk);
      return chunks;
    },
  },

  ...storesInNodes,
  ...editedInPlace,
  ...withinSubgraphs,
  ...deafSiblings,
  ...zodDifferences,
  ...callsOfTasks,
  ...commandsOfTools,
];
