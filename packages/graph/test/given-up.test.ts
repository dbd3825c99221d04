import type { RunnableConfig } from "@langchain/core/runnables";
import { type BaseCheckpointSaver, MemorySaver } from "@langchain/langgraph-checkpoint";
import type { ChangeSets } from "@skein/checkpointer";
import { START, StateGraph } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { FakeSaver } from "./support/fake-change-sets.ts";
import { Notes, thread } from "./support/notes.ts";
import { SAVERS_AND_FAKE } from "./support/savers.ts";

const writing = (checkpointer?: BaseCheckpointSaver | true) =>
  new StateGraph(Notes)
    .addNode("a", () => ({ notes: ["a"] }))
    .addEdge(START, "a")
    .compile({ checkpointer });

const later = (ms = 1): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A saver that opens a thread when it is told to. */
class SlowSaver extends FakeSaver {
  answer!: () => void;
  readonly #told = new Promise<void>((resolve) => (this.answer = resolve));

  get [Symbol.for("skein.changeSets")](): ChangeSets {
    const sets = super[Symbol.for("skein.changeSets") as never] as ChangeSets;
    return { ...sets, open: (address, options) => this.#told.then(() => sets.open(address, options)) };
  }
}

describe("a call that is aborted", () => {
  it("before its thread is open leaves the thread free, and nothing in it", async () => {
    const saver = new SlowSaver();
    const graph = writing(saver);
    const stop = new AbortController();
    const call = graph.invoke({ topic: "x" }, { ...thread, signal: stop.signal });
    await later();
    stop.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    saver.answer();
    await later();
    expect(saver.calls).toEqual(["open", "release"]);
    expect((await graph.invoke({ topic: "y" }, thread)).notes).toEqual(["a"]);
  });

  it("before its callbacks have answered tells them that it failed when they do", async () => {
    const told: string[] = [];
    let answer!: () => void;
    const started = new Promise<void>((resolve) => (answer = resolve));
    const stop = new AbortController();
    const handler = {
      awaitHandlers: true,
      handleChainStart: () => started,
      handleChainError: (error: Error) => void told.push(error.message),
    };
    const call = writing().invoke({ topic: "x" }, { signal: stop.signal, callbacks: [handler] });
    await later();
    stop.abort(new Error("enough"));
    await expect(call).rejects.toThrow("enough");
    answer();
    await later();
    expect(told).toEqual(["enough"]);
  });

  it("tells callbacks before it throws, as far as they answer", async () => {
    const told: string[] = [];
    const stop = new AbortController();
    const graph = new StateGraph(Notes)
      .addNode("a", async () => {
        await later();
        stop.abort(new Error("enough"));
        await later(20);
        return {};
      })
      .addEdge(START, "a")
      .compile();
    const quick = { handleChainError: (error: Error) => void told.push(error.message) };
    const silent = { handleChainError: () => new Promise<void>(() => {}) };
    const callbacks = [quick, silent].map((handler) => ({ ...handler, awaitHandlers: true }));
    await expect(graph.invoke({}, { signal: stop.signal, callbacks })).rejects.toThrow("enough");
    expect(told).toContain("enough");
  });
});

it.each(["put", "putWrites"] as const)(
  "a node's error is what the call throws, also when %s fails after it and nobody waits for that",
  async (method) => {
    const saver = new MemorySaver();
    saver[method] = async () => {
      await later(5);
      throw new Error("disk full");
    };
    const failure = new RangeError("of the node");
    const graph = new StateGraph(Notes)
      .addNode("bad", async () => {
        await later();
        throw failure;
      })
      .addEdge(START, "bad")
      .compile({ checkpointer: saver });
    await expect(graph.invoke({ topic: "x" }, thread)).rejects.toBe(failure);
  },
);

const within = (saver: BaseCheckpointSaver, ask: (config: RunnableConfig) => Promise<string[]>) =>
  new StateGraph(Notes)
    .addNode("asks", async (_state, config) => ({ notes: await ask(config) }))
    .addEdge(START, "asks")
    .compile({ checkpointer: saver });

describe.each(SAVERS_AND_FAKE)("states of graphs within the run of a node, %s", (_name, make) => {
  it("are updated under the claim of the run", async () => {
    const child = writing();
    const graph = within(make(), async (config) => {
      await child.updateState(config, { notes: ["update"] }, "a");
      await child.invoke({ topic: "in" }, config);
      return (await child.getState(config)).values.notes;
    });
    expect((await graph.invoke({ topic: "x" }, thread)).notes).toEqual(["update", "a"]);
  });

  it("are those of a graph with a memory of its own, too", async () => {
    const child = writing(true);
    const graph = within(make(), async (config) => {
      await child.updateState(config, { notes: ["update"] }, "a");
      return (await child.getState(config)).values.notes;
    });
    expect((await graph.invoke({ topic: "x" }, thread)).notes).toEqual(["update"]);
    expect((await graph.invoke({ topic: "y" }, thread)).notes).toEqual(["update", "update", "update"]);
  });

  it("are kept from run to run under a name that the node gives", async () => {
    const child = writing();
    const graph = within(make(), async (config) => {
      const named = { ...config, configurable: { ...config.configurable, checkpoint_ns: "mine" } };
      await child.invoke({ topic: "in" }, named);
      return (await child.getState(named)).values.notes;
    });
    expect((await graph.invoke({ topic: "x" }, thread)).notes).toEqual(["a"]);
    expect((await graph.invoke({ topic: "y" }, thread)).notes).toEqual(["a", "a", "a"]);
  });
});
