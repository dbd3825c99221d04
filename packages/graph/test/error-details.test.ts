import { readFileSync } from "node:fs";
import { join } from "node:path";
import { GraphError } from "@skein/errors";
import { Annotation, Command, interrupt, MemorySaver, START, StateGraph } from "@skein/graph";
import { LastValue } from "@skein/graph/channels";
import { Channel, Pregel } from "@skein/graph/pregel";
import { expect, it } from "vitest";
import { z } from "zod";

const State = Annotation.Root({ a: Annotation<string> });
const thread = { configurable: { thread_id: "1" } };
const waiting = async () => {
  const graph = new StateGraph(State)
    .addNode("one", () => ({ a: interrupt("one?") }))
    .addNode("two", () => void interrupt("two?"))
    .addEdge(START, "one")
    .addEdge(START, "two")
    .compile({ checkpointer: new MemorySaver() });
  await graph.invoke({ a: "x" }, thread);
  return graph;
};
const builder = () => new StateGraph(State).addNode("n", () => ({})).addEdge(START, "n");

/** Programs that give a code, by the code. */
const programs: Record<string, readonly (() => unknown)[]> = {
  AMBIGUOUS_RESUME: [async () => (await waiting()).invoke(new Command({ resume: "both" }), thread)],
  NOTHING_TO_RESUME: [
    async () => (await waiting()).invoke(new Command({ resume: { ["0".repeat(32)]: "x" } }), thread),
  ],
  UNKNOWN_NODE: [
    () =>
      builder()
        .addEdge("n", "nowhere" as never)
        .compile(),
    () =>
      builder()
        .compile()
        .invoke(new Command({ goto: "nowhere" }) as never),
    () =>
      builder()
        .compile({ checkpointer: new MemorySaver() })
        .getState({ configurable: { ...thread.configurable, checkpoint_ns: "nowhere" } }),
  ],
  INVALID_INPUT: [
    () =>
      new StateGraph(State, z.object({ user: z.string() }))
        .addNode("n", () => ({}))
        .addEdge(START, "n")
        .compile()
        .invoke({ a: "x" }, { context: { user: 5 } as never }),
  ],
  UNKNOWN_CHANNEL: [
    () =>
      new Pregel({
        nodes: { n: Channel.subscribeTo("in").pipe(Channel.writeTo(["nowhere"])) },
        channels: { in: new LastValue() },
        inputChannels: "in",
        outputChannels: "in",
      }),
  ],
};

const folder = join(import.meta.dirname, "../../../docs/errors");
const promised = (code: string): string[] => {
  const page = readFileSync(join(folder, `${code}.md`), "utf8");
  return [...page.matchAll(/`details\.(\w+)`/g)].map(([, name = ""]) => name);
};

it.each(Object.entries(programs))("%s has the details that its page promises", async (code, failing) => {
  const found = new Set<string>();
  for (const program of failing) {
    const error = await Promise.resolve()
      .then(program)
      .catch((thrown: unknown) => thrown);
    if (!GraphError.is(error, code as never)) throw error;
    for (const name of Object.keys(error.details)) found.add(name);
  }
  const names = promised(code);
  expect(names).not.toEqual([]);
  expect([...found]).toEqual(expect.arrayContaining(names));
});

it("no other page of an engine's code promises details", () => {
  expect(promised("RESERVED_NAME")).toEqual([]);
  expect(promised("INVALID_EDGE")).toEqual([]);
  expect(promised("DUPLICATE_NODE")).toEqual([]);
});
