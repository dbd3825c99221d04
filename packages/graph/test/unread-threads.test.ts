import { type ChangeSets, MemorySaver, type Opened } from "@skein/checkpointer";
import { DeltaValue, GraphError, START, StateGraph, StateSchema } from "@skein/graph";
import { describe, expect, it, test } from "vitest";
import { z } from "zod";
import { FakeSaver } from "./support/fake-change-sets.ts";
import { Notes, thread } from "./support/notes.ts";

/** Answers later, as a database does: channels too, or only that it found them. */
class LateSaver extends FakeSaver {
  loads: "later" | "at once" = "later";
  failRelease = false;

  get [Symbol.for("skein.changeSets")](): ChangeSets {
    const sets = super[Symbol.for("skein.changeSets") as never] as ChangeSets;
    return {
      ...sets,
      open: async (address, options) => this.#late(await sets.open(address, options)),
      release: async (claim) => {
        await sets.release(claim);
        if (this.failRelease) throw new GraphError("STORAGE_UNAVAILABLE", "the connection was lost, too");
      },
    };
  }
  #late(opened: Opened): Opened {
    const { checkpoint } = opened;
    if (checkpoint === undefined || this.loads === "at once") return opened;
    const channels = [...checkpoint.channels].map(
      ([name, image]) => [name, { ...image, load: async () => image.load() }] as const,
    );
    return { ...opened, checkpoint: { ...checkpoint, channels: new Map(channels) as never } };
  }
}

const graphOn = (checkpointer: FakeSaver) =>
  new StateGraph(Notes)
    .addNode("a", () => ({ notes: ["a"] }))
    .addEdge(START, "a")
    .compile({ checkpointer });

const unreadable = { code: "STORAGE_CORRUPT" };

describe.each(["later", "at once"] as const)("of a saver that loads channels %s, a thread", (loads) => {
  const open = async () => {
    const saver = new LateSaver();
    saver.loads = loads;
    const graph = graphOn(saver);
    await graph.invoke({ notes: ["in"] }, thread);
    saver.corrupt = "notes";
    return { saver, graph };
  };

  it("that a run cannot read is given back", async () => {
    const { saver, graph } = await open();
    await expect(graph.invoke({ topic: "x" }, thread)).rejects.toMatchObject(unreadable);
    saver.corrupt = undefined;
    expect((await graph.invoke({ topic: "y" }, thread)).notes).toEqual(["in", "a", "a"]);
  });

  it("that an update cannot read is given back", async () => {
    const { saver, graph } = await open();
    await expect(graph.updateState(thread, { topic: "x" }, "a")).rejects.toMatchObject(unreadable);
    saver.corrupt = undefined;
    await graph.updateState(thread, { topic: "y" }, "a");
    expect((await graph.getState(thread)).values).toEqual({ topic: "y", notes: ["in", "a"] });
  });

  it("that cannot be given back either is told as unreadable", async () => {
    const { saver, graph } = await open();
    saver.failRelease = true;
    await expect(graph.invoke({ topic: "x" }, thread)).rejects.toMatchObject(unreadable);
    await expect(graph.updateState(thread, { topic: "x" }, "a")).rejects.toMatchObject(unreadable);
  });

  it("is not taken from a run because a subgraph of it cannot be read", async () => {
    const saver = new LateSaver();
    saver.loads = loads;
    const inner = new StateGraph(Notes)
      .addNode("b", () => ({ notes: ["b"] }))
      .addEdge(START, "b")
      .compile({ checkpointer: true });
    let told: unknown;
    const outer = new StateGraph(Notes)
      .addNode("call", async ({ notes }) => {
        if (notes.length > 1) saver.corrupt = "notes";
        told = await inner.invoke({ topic: "of the inner one" }).catch((error: unknown) => error);
        saver.corrupt = undefined;
        return { notes: ["called"] };
      })
      .addEdge(START, "call")
      .compile({ checkpointer: saver });
    await outer.invoke({ notes: ["in"] }, thread);
    expect(told).toMatchObject({ notes: ["b"] });
    expect((await outer.invoke({ topic: "x" }, thread)).notes).toEqual(["in", "called", "called"]);
    expect(told).toMatchObject(unreadable);
  });
});

test("an update that fails says why, also where its thread cannot be given back", async () => {
  const saver = new LateSaver();
  const graph = graphOn(saver);
  saver.failRelease = true;
  await expect(graph.updateState(thread, { topic: "x" }, "nobody")).rejects.toMatchObject({
    code: "UNKNOWN_NODE",
  });
});

test.each(["rejects", "throws"] as const)(
  "a thread is given back where a history that replays a channel %s",
  async (how) => {
    const State = new StateSchema({
      log: new DeltaValue(
        z.array(z.unknown()).default(() => []),
        { inputSchema: z.unknown(), reducer: (log, lines) => [...log, ...lines] },
      ),
    });
    const saver = new MemorySaver();
    const logging = (checkpointer: MemorySaver) =>
      new StateGraph(State)
        .addNode("a", () => ({ log: "a" }))
        .addEdge(START, "a")
        .compile({ checkpointer });
    // driven as any other saver, it holds the writes of the channel
    const plain = new Proxy(saver, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
    await logging(plain).invoke({ log: "in" }, thread);
    const lost = new GraphError("STORAGE_UNAVAILABLE", "the connection was lost");
    saver.getDeltaChannelHistory = () => {
      if (how === "throws") throw lost;
      return Promise.reject(lost);
    };
    await expect(logging(saver).invoke({ log: "two" }, thread)).rejects.toBe(lost);
    delete (saver as Partial<MemorySaver>).getDeltaChannelHistory;
    expect((await logging(saver).invoke({ log: "two" }, thread)).log).toEqual(["in", "a", "two", "a"]);
  },
);
