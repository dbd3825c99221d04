import type { RunnableConfig } from "@langchain/core/runnables";
import {
  type BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointMetadata,
  MemorySaver,
  type PendingWrite,
} from "@langchain/langgraph-checkpoint";
import { Annotation, Command, type Durability, interrupt, START, StateGraph } from "@skein/graph";
import { describe, expect, it } from "vitest";

/** What many write themselves: reads all there is, changes it, writes it back. It takes no time, but awaits. */
class NaiveSaver extends MemorySaver {
  override put(config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata) {
    return this.#edit((all) => all.put(config, checkpoint, metadata));
  }
  override putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string) {
    return this.#edit((all) => all.putWrites(config, writes, taskId));
  }
  async #edit<T>(edit: (all: MemorySaver) => Promise<T>): Promise<T> {
    const all = new MemorySaver();
    Object.assign(all, structuredClone({ storage: this.storage, writes: this.writes }));
    const result = await edit(all);
    await undefined;
    Object.assign(this, { storage: all.storage, writes: all.writes });
    return result;
  }
}

const thread = { configurable: { thread_id: "t" } };
const State = Annotation.Root({
  log: Annotation<string[], string>({ reducer: (left, right) => [...left, right], default: () => [] }),
});
const asks = (question: string) => () => ({ log: `${question}: ${interrupt(question)}` });

type Program = (saver: BaseCheckpointSaver, durability: Durability) => Promise<void>;
const PROGRAMS: Readonly<Record<string, Program>> = {
  "nodes in a row": async (checkpointer, durability) => {
    const graph = new StateGraph(State)
      .addSequence({ a: () => ({ log: "a" }), b: async () => ({ log: "b" }), c: () => ({ log: "c" }) })
      .addEdge(START, "a")
      .compile({ checkpointer });
    await graph.invoke({ log: "in" }, { ...thread, durability });
    await graph.updateState(thread, { log: "by hand" }, "a");
    await graph.invoke(null, { ...thread, durability });
  },
  "nodes side by side that finish, ask and fail": async (checkpointer, durability) => {
    let failures = 1;
    const graph = new StateGraph(State)
      .addNode("a", () => ({ log: "a" }))
      .addNode("b", async () => ({ log: "b" }))
      .addNode("p", asks("p"))
      .addNode("q", asks("q"))
      .addNode("end", () => {
        if (failures-- > 0) throw new Error("once");
        return { log: "end" };
      })
      .addEdge(["a", "b", "p", "q"], "end")
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge(START, "p")
      .addEdge(START, "q")
      .compile({ checkpointer });
    await graph.invoke({ log: "in" }, { ...thread, durability });
    const { tasks } = await graph.getState(thread);
    const ids = tasks.flatMap(({ interrupts }) => interrupts.map(({ id }) => id as string));
    const resume = Object.fromEntries(ids.map((id) => [id, "yes"]));
    await expect(graph.invoke(new Command({ resume }), { ...thread, durability })).rejects.toThrow("once");
    await graph.invoke(null, { ...thread, durability });
  },
  "a subgraph that asks": async (checkpointer, durability) => {
    const inner = new StateGraph(State)
      .addSequence({ first: () => ({ log: "first" }), asking: asks("inner") })
      .addEdge(START, "first")
      .compile();
    const graph = new StateGraph(State)
      .addSequence({ a: () => ({ log: "a" }), inner, z: () => ({ log: "z" }) })
      .addEdge(START, "a")
      .compile({ checkpointer });
    await graph.invoke({ log: "in" }, { ...thread, durability });
    await graph.invoke(new Command({ resume: "yes" }), { ...thread, durability });
  },
};

/** What the thread has, without its ids. */
async function stored(saver: BaseCheckpointSaver): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const { checkpoint, metadata, pendingWrites, config } of saver.list(thread)) {
    const namespace = String(config.configurable?.["checkpoint_ns"]).replace(/:.*/, "");
    const channels = (pendingWrites ?? []).map(([, channel]) => channel).toSorted();
    all.push([namespace, metadata?.step, metadata?.source, checkpoint.channel_values["log"], channels]);
  }
  return all;
}

describe.each(Object.entries(PROGRAMS))("a saver that writes back all it read keeps all of %s", (_, run) => {
  it.each(["sync", "async", "exit"] as const)("in durability %s", async (durability) => {
    const [plain, naive] = [new MemorySaver(), new NaiveSaver()];
    await run(plain, durability);
    await run(naive, durability);
    expect(await stored(naive)).toEqual(await stored(plain));
  });
});
