import { type BaseCheckpointSaver, MemorySaver } from "@langchain/langgraph-checkpoint";
import { Command, interrupt, INTERRUPT, isInterrupted, START, StateGraph } from "@skein/graph";
import { expect, test } from "vitest";
import { dyingAfter } from "./support/dying-saver.ts";
import { Notes, thread } from "./support/notes.ts";
import { SAVERS } from "./support/savers.ts";

const RIGHT: Readonly<Record<string, string>> = { "first?": "one", "second?": "two", "third?": "one" };

/** What the test needs of either graph. */
interface Asking {
  invoke(input: object | null, config: object): Promise<unknown>;
  getState(config: object): Promise<{ values: typeof Notes.State; next: readonly string[] }>;
}

const ask = (...questions: string[]) => ({
  notes: questions.map((question) => `${question} ${interrupt<string, string>(question)}`),
});

/** A graph within that asks, stops at its own breakpoint, and asks two questions in one node. */
function stopping(checkpointer: BaseCheckpointSaver): Asking {
  const inner = new StateGraph(Notes)
    .addNode("asks", () => ask("first?"))
    .addNode("held", () => ask("second?", "third?"))
    .addEdge(START, "asks")
    .addEdge("asks", "held")
    .compile({ interruptBefore: ["held"] });
  return new StateGraph(Notes).addNode("within", inner).addEdge(START, "within").compile({ checkpointer });
}

/** A node that asks three times. */
function asking(checkpointer: BaseCheckpointSaver): Asking {
  return new StateGraph(Notes)
    .addNode("asks", () => ask("first?", "second?", "third?"))
    .addEdge(START, "asks")
    .compile({ checkpointer });
}

const shapes = [
  ["within a graph that stops", stopping],
  ["of one node", asking],
] as const;

test.each(SAVERS.flatMap(([name, saver]) => shapes.map(([of, graph]) => [of, name, graph, saver] as const)))(
  "an answer %s is neither lost nor used twice, whatever write a process dies before (%s)",
  async (_of, _name, build, saver) => {
    let died = true;
    for (let writes = 0; died; writes += 1) {
      const stored = saver();
      const graph = build(stored);
      const go = async (input: object | null): Promise<(string | undefined)[]> => {
        const output = await graph.invoke(input, { ...thread, durability: "sync" });
        return isInterrupted<string>(output) ? output[INTERRUPT].map(({ value }) => value) : [];
      };
      await go({});
      const revive = dyingAfter(stored, writes);
      died = await go(new Command({ resume: "one" })).then(
        () => false,
        () => true,
      );
      revive();
      let asked = await go(null);
      // it was taken in: nobody is asked again
      expect(asked.includes("first?") && writes > 0).toBe(false);
      for (let call = 0; call < 6 && (await graph.getState(thread)).next.length > 0; call += 1) {
        const [question] = asked;
        asked = await go(question === undefined ? null : new Command({ resume: RIGHT[question] ?? "?" }));
      }
      const { values } = await graph.getState(thread);
      expect(values.notes).toEqual(["first? one", "second? two", "third? one"]);
    }
  },
);

const odd: Readonly<Record<string, (n: number) => unknown>> = {
  "a bigint": (n) => BigInt(n),
  "an object with a bigint": (n) => ({ n: BigInt(n) }),
  "a map": (n) => new Map([["n", n]]),
  "a set": (n) => new Set([n]),
  "a date": (n) => new Date(n),
};

/** LangGraph's savers store as JSON, which has none of these. */
const KEEPING = SAVERS.filter(([, saver]) => !(saver() instanceof MemorySaver));

test.each(
  KEEPING.flatMap(([name, saver]) =>
    Object.entries(odd).map(([of, make]) => [of, name, make, saver] as const),
  ),
)(
  "%s as an answer is known from the one before it when its process died (%s)",
  async (_of, _name, make, saver) => {
    const stored = saver();
    const seen: unknown[][] = [];
    const graph = new StateGraph(Notes)
      .addNode("asks", () => {
        const answers: unknown[] = [];
        seen.push(answers);
        for (const question of ["first?", "second?", "third?"]) answers.push(interrupt(question));
        return {};
      })
      .addEdge(START, "asks")
      .compile({ checkpointer: stored });
    const sync = { ...thread, durability: "sync" } as const;
    await graph.invoke({}, sync);
    await graph.invoke(new Command({ resume: make(1) }), sync);
    const revive = dyingAfter(stored, 1);
    await expect(graph.invoke(new Command({ resume: make(2) }), sync)).rejects.toThrow("the process died");
    revive();
    const output = await graph.invoke(null, sync);
    expect(isInterrupted(output) && output[INTERRUPT][0]?.value).toBe("third?");
    expect(seen.at(-1)).toEqual([make(1), make(2)]);
  },
);
