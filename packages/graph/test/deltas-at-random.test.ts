import type { RunnableConfig } from "@langchain/core/runnables";
import { type BaseCheckpointSaver, MemorySaver } from "@langchain/langgraph-checkpoint";
import { MemorySaver as ItemMemorySaver } from "@skein/checkpointer";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";
import {
  Command,
  DeltaValue,
  type Durability,
  interrupt,
  Overwrite,
  ReducedValue,
  START,
  StateGraph,
  StateSchema,
} from "../src/index.ts";

const thread = { configurable: { thread_id: "t" } };
const lines = z.array(z.string()).default(() => []);
const line = z.union([z.string(), z.array(z.string())]);

/** A line that begins the log anew leaves nothing of what stood before it. */
const add = (log: string[], more: string): string[] => (more.startsWith("anew") ? [more] : [...log, more]);

const KINDS = {
  deltas: new DeltaValue(lines, {
    inputSchema: line,
    reducer: (log: string[], some: (string | string[])[]) => some.flat().reduce(add, log),
    snapshotFrequency: 5,
  }),
  values: new ReducedValue(lines, {
    inputSchema: line,
    reducer: (log: string[], more: string | string[]) => [more].flat().reduce(add, log),
  }),
};

interface Shape {
  /** Whether the last node begins the log anew. */
  readonly clears: boolean;
  /** Whether both of the nodes that run at once ask, and not the second one only. */
  readonly bothAsk: boolean;
}

/** Two nodes at once; then one more. */
function asking(kind: keyof typeof KINDS, { clears, bothAsk }: Shape, checkpointer: BaseCheckpointSaver) {
  return new StateGraph(new StateSchema({ log: KINDS[kind] }))
    .addNode("a", () => ({ log: bothAsk ? `a${String(interrupt("?"))}` : "a" }))
    .addNode("q", () => ({ log: `q${String(interrupt("?"))}` }))
    .addNode("c", () => ({ log: clears ? "anew by c" : "c" }))
    .addEdge(START, "a")
    .addEdge(START, "q")
    .addEdge(["a", "q"], "c")
    .compile({ checkpointer });
}

/** What is done to a thread; `at` is the head that a call before it left, or none for the newest. */
interface Call {
  readonly does: "input" | "overwrite" | "go on" | "answer" | "update" | "anew";
  readonly as: "a" | "q" | "c";
  readonly at: number | undefined;
  readonly durability: Durability;
}

const shape: fc.Arbitrary<Shape> = fc.record({ clears: fc.boolean(), bothAsk: fc.boolean() });
const call: fc.Arbitrary<Call> = fc.record({
  does: fc.constantFrom("input", "overwrite", "go on", "answer", "answer", "update", "update", "anew"),
  as: fc.constantFrom("a", "q", "c"),
  at: fc.option(fc.nat(7), { nil: undefined, freq: 2 }),
  durability: fc.constantFrom("sync", "async", "exit"),
});

/** An answer to one of the questions: by its id, since there may be two. */
async function answerOf(
  graph: ReturnType<typeof asking>,
  at: RunnableConfig,
  text: string,
): Promise<unknown> {
  const { tasks } = await graph.getState(at);
  const [first] = tasks
    .toSorted((x, y) => (x.name < y.name ? -1 : 1))
    .flatMap(({ interrupts }) => interrupts);
  return first === undefined ? text : { [String(first.id)]: text };
}

/** What each call gave and left, sorted: writes of one step come in the order of their tasks' ids. */
async function outcomes(graph: ReturnType<typeof asking>, calls: readonly Call[]): Promise<unknown[]> {
  const heads: RunnableConfig[] = [];
  const seen: unknown[] = [];
  for (const [step, { does, as, at, durability }] of calls.entries()) {
    // run again, a state that an update made is copied where deltas are stored, and only there
    const named = at === undefined || does === "go on" ? undefined : heads[at % Math.max(heads.length, 1)];
    const config = { ...(named ?? thread), durability };
    const text = `${does}${String(step)}`;
    const inputs = {
      input: { log: text },
      overwrite: { log: new Overwrite([text]) as unknown as string },
      "go on": null,
      answer: new Command({ resume: await answerOf(graph, config, text) }),
    };
    const made =
      does === "update" || does === "anew"
        ? graph.updateState(config, { log: text }, as).then(() => undefined)
        : graph.invoke(inputs[does] as never, config).then(({ log }) => log.toSorted());
    const given = await made.catch((error: Error) => error.name);
    const { values, next, config: head } = await graph.getState(thread);
    seen.push({ given, log: values.log?.toSorted(), next: next.toSorted() });
    heads.push(head);
  }
  for (const head of heads) seen.push((await graph.getState(head)).values.log?.toSorted());
  return seen;
}

/** More in the long run. */
const runs = process.env["SKEIN_TESTS"] === "long" ? 150 : 40;

it("a delta value is what its reducer makes of it, whatever is done to the thread, on either saver", async () => {
  await fc.assert(
    fc.asyncProperty(shape, fc.array(call, { minLength: 2, maxLength: 8 }), async (of, calls) => {
      const expected = await outcomes(asking("values", of, new MemorySaver()), calls);
      expect(await outcomes(asking("deltas", of, new MemorySaver()), calls)).toEqual(expected);
      expect(await outcomes(asking("deltas", of, new ItemMemorySaver()), calls)).toEqual(expected);
    }),
    { numRuns: runs },
  );
});
