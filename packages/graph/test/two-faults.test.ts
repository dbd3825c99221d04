import { MemorySaver as ForeignSaver } from "@langchain/langgraph-checkpoint";
import type { ChangeSets, Opened } from "@skein/checkpointer";
import { Annotation, START, StateGraph, StateSchema } from "@skein/graph";
import { afterEach, beforeEach, expect, it } from "vitest";
import { FakeSaver } from "./support/fake-change-sets.ts";
import { Notes, thread } from "./support/notes.ts";

// a rejection that nobody hears of ends the process
const unheard: unknown[] = [];
const note = (reason: unknown): void => void unheard.push(reason);
beforeEach(() => {
  unheard.length = 0;
  process.on("unhandledRejection", note);
});
afterEach(() => void process.off("unhandledRejection", note));

const nextTurns = () => new Promise<void>((resolve) => setTimeout(resolve, 10));
const later = async (what: string): Promise<never> => {
  await nextTurns();
  throw new Error(what);
};

/** Answers later; one channel cannot be decoded, and the connection that reads another is lost. */
class DamagedSaver extends FakeSaver {
  lost: string | undefined;

  get [Symbol.for("skein.changeSets")](): ChangeSets {
    const sets = super[Symbol.for("skein.changeSets") as never] as ChangeSets;
    return { ...sets, open: async (address, options) => this.#late(await sets.open(address, options)) };
  }
  #late(opened: Opened): Opened {
    const { checkpoint } = opened;
    if (checkpoint === undefined) return opened;
    const channels = [...checkpoint.channels].map(([name, image]) =>
      name === this.lost
        ? ([name, { ...image, load: () => later("lost") }] as const)
        : ([name, image] as const),
    );
    return { ...opened, checkpoint: { ...checkpoint, channels: new Map(channels) as never } };
  }
}

it("a channel that cannot be read is told, and the read that fails beside it is heard", async () => {
  const saver = new DamagedSaver();
  const graph = new StateGraph(Notes)
    .addNode("a", () => ({ notes: ["a"] }))
    .addEdge(START, "a")
    .compile({ checkpointer: saver });
  await graph.invoke({ topic: "x", notes: ["in"] }, thread);
  for (const [lost, corrupt] of [
    ["topic", "notes"],
    ["notes", "topic"],
  ]) {
    Object.assign(saver, { lost, corrupt });
    await expect(graph.invoke({ topic: "y" }, thread)).rejects.toThrow(/cannot be read|lost/);
    await expect(graph.getState(thread)).rejects.toThrow(/cannot be read|lost/);
    await nextTurns();
  }
  expect(unheard).toEqual([]);
});

const schema = (validate: (value: unknown) => never | Promise<never>) =>
  ({ "~standard": { version: 1, vendor: "test", validate } }) as const;

it("of two schemas that fail, the one that takes its time is heard, too", async () => {
  const State = new StateSchema({
    slow: schema(() => later("of the slow one")),
    quick: schema(() => {
      throw new Error("of the quick one");
    }),
  });
  const graph = new StateGraph(State)
    .addNode("a", () => ({ slow: "a", quick: "b" }) as never)
    .addEdge(START, "a")
    .compile();
  await expect(graph.invoke({})).rejects.toThrow("of the quick one");
  await nextTurns();
  await nextTurns();
  expect(unheard).toEqual([]);
});

it("a saver that throws at once leaves no call before it unheard", async () => {
  const n = Annotation<number[], number>({ reducer: (a, b) => [...a, b], default: () => [] });
  const State = Annotation.Root({ n });
  let calls = 0;
  class Throwing extends ForeignSaver {
    override putWrites(): Promise<void> {
      calls += 1;
      if (calls === 4) throw new Error("thrown");
      if (calls === 1) return nextTurns();
      return later("rejected");
    }
  }
  let graph = new StateGraph(State);
  for (const name of ["a", "b", "c", "d"])
    graph = graph.addNode(name, () => ({ n: 1 })).addEdge(START, name as never) as never;
  const run = graph.compile({ checkpointer: new Throwing() }).invoke({ n: 0 }, thread);
  await expect(run).rejects.toThrow(/thrown|rejected/);
  await nextTurns();
  await nextTurns();
  expect(calls).toBeGreaterThan(3);
  expect(unheard).toEqual([]);
});
