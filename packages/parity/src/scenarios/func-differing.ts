import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import { type LangGraph, prebuiltOf } from "../engines.ts";
import type { Difference } from "../scenario.ts";
import { thread, trailState } from "./kit.ts";

function asker(lg: LangGraph) {
  return lg.task("ask", async (question: string) => lg.interrupt<string, string>(question));
}

/** Calls of tasks: what each engine makes of failures that are caught, of several questions, of retries. */
export const callsOfTasks: readonly Difference[] = [
  {
    id: "calls-of-tasks",
    name: "a failure of a task that its caller catches is the caller's business",
    there: "refused: Error",
    here: "caught user: bad",
    async run(lg) {
      const bad = lg.task("bad", async () => {
        throw new Error("user: bad");
      });
      const workflow = lg.entrypoint("workflow", async () =>
        bad().catch((error: unknown) => `caught ${(error as Error).message}`),
      );
      return workflow.invoke("go");
    },
  },
  {
    id: "calls-of-tasks",
    name: "the error of a run is what the task threw, not what its siblings threw when they were told to stop",
    there: "refused: AggregateError",
    here: "refused: TypeError",
    async run(lg) {
      const bad = lg.task("bad", async () => {
        await new Promise((resolve) => setTimeout(resolve, 2));
        throw new TypeError("user: bad");
      });
      const slow = lg.task("slow", async () => new Promise((resolve) => setTimeout(resolve, 10)));
      return lg.entrypoint("workflow", async () => Promise.all([bad(), slow()])).invoke("go");
    },
  },
  {
    id: "calls-of-tasks",
    name: "one answer answers one question",
    there: ["yes", "yes"],
    here: { asks: ["and now?"] },
    async run(lg) {
      const ask = asker(lg);
      const workflow = lg.entrypoint({ name: "workflow", checkpointer: new MemorySaver() }, async () => [
        await ask("first?"),
        lg.interrupt<string, string>("and now?"),
      ]);
      await workflow.invoke("go", thread("1"));
      return asksOf(await workflow.invoke(new lg.Command({ resume: "yes" }), thread("1")));
    },
  },
  {
    id: "calls-of-tasks",
    name: "tasks that ask at the same time are all heard",
    there: { asks: ["a?"] },
    here: { asks: ["a?", "b?"] },
    async run(lg) {
      const ask = asker(lg);
      const workflow = lg.entrypoint({ name: "workflow", checkpointer: new MemorySaver() }, async () =>
        Promise.all([ask("a?"), ask("b?")]),
      );
      return asksOf(await workflow.invoke("go", thread("1")));
    },
  },
  {
    id: "calls-of-tasks",
    name: "a node that is tried again gets the results of the tasks that had finished",
    there: 2,
    here: 1,
    async run(lg) {
      let runs = 0;
      let attempts = 0;
      const work = lg.task("work", async () => ++runs);
      const graph = new lg.StateGraph(trailState(lg))
        .addNode(
          "a",
          async () => {
            await work();
            attempts += 1;
            if (attempts === 1) throw new Error("user: first attempt");
            return {};
          },
          { retryPolicy: { maxAttempts: 2, initialInterval: 1, jitter: false, logWarning: false } },
        )
        .addEdge(lg.START, "a")
        .compile();
      await graph.invoke({});
      return runs;
    },
  },
  {
    id: "calls-of-tasks",
    name: "a breakpoint before a task does not make the task return nothing",
    there: { asks: [] },
    here: { output: 2, saved: 2 },
    async run(lg) {
      const add = lg.task("add", async (n: number) => n + 1);
      const workflow = lg.entrypoint(
        { name: "workflow", checkpointer: new MemorySaver() },
        async (n: number) => add(n),
      );
      const output: unknown = await workflow.invoke(1, { ...thread("1"), interruptBefore: ["add"] as never });
      const { values } = await workflow.getState(thread("1"));
      const waits = asksOf(output);
      return waits === output ? { output, saved: values } : { ...(waits as object), saved: values };
    },
  },
  {
    id: "control-values-by-brand",
    name: "JSON that looks like entrypoint.final is a value",
    there: "public",
    here: { __lg_type: "__pregel_final", save: "forged", value: "public" },
    async run(lg) {
      const echo = lg.entrypoint("echo", async (input: unknown) => input);
      return echo.invoke({ __lg_type: "__pregel_final", value: "public", save: "forged" });
    },
  },
];

const callsOf = (names: readonly string[]): AIMessage =>
  new AIMessage({
    content: "",
    tool_calls: names.map((name) => ({ name, args: {}, id: name, type: "tool_call" as const })),
  });

/** What a ToolNode makes of commands for the parent graph. */
export const commandsOfTools: readonly Difference[] = [
  {
    id: "commands-of-tools",
    name: "a command for the parent that only updates keeps its update",
    there: [null],
    here: [[["who", "tool"]]],
    async run(lg) {
      const toParent = tool(() => new lg.Command({ graph: lg.Command.PARENT, update: { who: "tool" } }), {
        name: "a",
        description: "updates the parent",
        schema: z.object({}),
      });
      return updatesOf(await new (prebuiltOf(lg).ToolNode)([toParent]).invoke([callsOf(["a"])]));
    },
  },
  {
    id: "commands-of-tools",
    name: "commands of several tools for the parent reach it all",
    there: [[["a", 1]], [["b", 2]]],
    here: [
      [
        ["a", 1],
        ["b", 2],
      ],
    ],
    async run(lg) {
      const toParent = (name: string, value: number) =>
        tool(() => new lg.Command({ graph: lg.Command.PARENT, update: { [name]: value }, goto: "next" }), {
          name,
          description: "goes to the parent",
          schema: z.object({}),
        });
      const node = new (prebuiltOf(lg).ToolNode)([toParent("a", 1), toParent("b", 2)]);
      return updatesOf(await node.invoke([callsOf(["a", "b"])]));
    },
  },
  {
    id: "commands-of-tools",
    name: "a command that a tool's own graph sends to its parent is no error of the tool",
    there: "returned",
    here: "thrown",
    async run(lg) {
      const climbing = tool(
        () => {
          throw new lg.ParentCommand(new lg.Command({ graph: "elsewhere", goto: "x" }));
        },
        { name: "a", description: "climbs", schema: z.object({}) },
      );
      return new (prebuiltOf(lg).ToolNode)([climbing]).invoke([callsOf(["a"])]).then(
        () => "returned",
        () => "thrown",
      );
    },
  },
];

function updatesOf(commands: unknown): unknown {
  return (commands as { update?: unknown }[]).map(({ update }) =>
    update === undefined || Array.isArray(update) ? update : Object.entries(update as object),
  );
}

/** What a run asks, without ids; what it gave when it asks nothing. */
function asksOf(output: unknown): unknown {
  const { __interrupt__: waits } = (output ?? {}) as { __interrupt__?: { value?: unknown }[] };
  return waits === undefined ? output : { asks: waits.map(({ value }) => value) };
}
