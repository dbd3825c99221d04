import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BaseCheckpointSaver, MemorySaver as ForeignSaver } from "@langchain/langgraph-checkpoint";
import type { ChangeSets } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import {
  Annotation,
  DeltaValue,
  type Durability,
  interrupt,
  START,
  StateGraph,
  StateSchema,
} from "@skein/graph";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { FakeSaver } from "./support/fake-change-sets.ts";

const State = Annotation.Root({
  log: Annotation<string[], string>({ reducer: (left, right) => [...left, right], default: () => [] }),
});
const at = (id: string) => ({ configurable: { thread_id: id } });
const thread = at("t");

const items = () => z.array(z.string()).default(() => []);

/** Steps whose checkpoints a saver has, in order. */
async function stepsIn(saver: BaseCheckpointSaver): Promise<unknown[]> {
  const steps: unknown[] = [];
  for await (const { metadata } of saver.list(thread)) steps.unshift(metadata?.step);
  return steps;
}

/** Three nodes in a row, each of which looks before it writes. */
const threeNodes = (look: (name: string) => Promise<unknown>) => {
  const node = (name: string) => async () => {
    await look(name);
    return { log: name };
  };
  return new StateGraph(State).addSequence({ a: node("a"), b: node("b"), c: node("c") }).addEdge(START, "a");
};

describe("F2 what another connection finds in the file, node by node", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "skein-durability-"));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  async function seenIn(durability: Durability): Promise<{ seen: unknown[]; after: unknown[] }> {
    const saver = SqliteSaver.fromConnString(join(folder, "threads.db"));
    const reader = SqliteSaver.fromConnString(join(folder, "threads.db"));
    const seen: unknown[] = [];
    const graph = threeNodes(async () => seen.push(await stepsIn(reader))).compile({ checkpointer: saver });
    await graph.invoke({ log: "in" }, { ...thread, durability });
    const after = await stepsIn(reader);
    await Promise.all([saver.close(), reader.close()]);
    return { seen, after };
  }

  it("sync: everything up to the step before", async () => {
    expect(await seenIn("sync")).toEqual({
      seen: [
        [-1, 0],
        [-1, 0, 1],
        [-1, 0, 1, 2],
      ],
      after: [-1, 0, 1, 2, 3],
    });
  });
  it("sync: the same for each of many runs at once, which are stored together", async () => {
    const saver = SqliteSaver.fromConnString(join(folder, "threads.db"));
    const reader = SqliteSaver.fromConnString(join(folder, "threads.db"));
    const ids = Array.from({ length: 20 }, (_, i) => `t${i}`);
    const seen: Record<string, unknown[]> = {};
    const State = Annotation.Root({ id: Annotation<string>() });
    const look = async ({ id }: { id: string }): Promise<object> => {
      (seen[id] ??= []).push((await reader.getTuple(at(id)))?.metadata?.step);
      return {};
    };
    const graph = new StateGraph(State)
      .addSequence({ a: look, b: look, c: look })
      .addEdge(START, "a")
      .compile({ checkpointer: saver });
    await Promise.all(ids.map((id) => graph.invoke({ id }, { ...at(id), durability: "sync" })));
    expect(seen).toEqual(Object.fromEntries(ids.map((id) => [id, [0, 1, 2]])));
    for (const id of ids) expect((await reader.getTuple(at(id)))?.metadata?.step).toBe(3);
    // each gave its thread back
    await Promise.all(ids.map((id) => graph.invoke({ id }, at(id))));
    await Promise.all([saver.close(), reader.close()]);
  });
  it("async: a prefix, never a gap; all of it when the call returns", async () => {
    const { seen, after } = await seenIn("async");
    expect(after).toEqual([-1, 0, 1, 2, 3]);
    for (const [index, steps] of (seen as unknown[][]).entries()) {
      expect(steps).toEqual(after.slice(0, steps.length));
      expect(steps.length).toBeLessThanOrEqual(index + 2);
    }
  });
  it("exit: nothing, then the last state", async () => {
    expect(await seenIn("exit")).toEqual({ seen: [[], [], []], after: [3] });
  });

  it("sync: of a step that waits, what its finished task wrote", async () => {
    const saver = SqliteSaver.fromConnString(join(folder, "threads.db"));
    const reader = SqliteSaver.fromConnString(join(folder, "threads.db"));
    const found: unknown[] = [];
    const graph = new StateGraph(State)
      .addNode("quick", () => ({ log: "quick" }))
      .addNode("slow", async () => {
        for (let tries = 0; found.length === 0 && tries < 500; tries++) {
          const tuple = await reader.getTuple(thread);
          found.push(...(tuple?.pendingWrites ?? []).map(([, channel, value]) => [channel, value]));
        }
        return { log: String(interrupt("?")) };
      })
      .addEdge(START, "quick")
      .addEdge(START, "slow")
      .compile({ checkpointer: saver });
    await graph.invoke({ log: "in" }, { ...thread, durability: "sync" });
    expect(found).toEqual([["log", "quick"]]);
    await Promise.all([saver.close(), reader.close()]);
  });
});

/** A saver whose puts wait until they are let through. */
class GatedSaver extends ForeignSaver {
  readonly waiting: (() => void)[] = [];
  readonly stored: unknown[] = [];
  override async put(...args: Parameters<ForeignSaver["put"]>): ReturnType<ForeignSaver["put"]> {
    await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.stored.push(args[2].step);
    return super.put(...args);
  }
}

describe("F2 a saver that takes its time", () => {
  it("async: nodes do not wait for it, and it is never given two checkpoints at once", async () => {
    const saver = new GatedSaver();
    const ran: string[] = [];
    const graph = threeNodes(async (name) => ran.push(name)).compile({ checkpointer: saver });
    let over = false;
    const run = graph.invoke({ log: "in" }, { ...thread, durability: "async" }).finally(() => (over = true));
    while (ran.length < 3) await new Promise((resolve) => setImmediate(resolve));
    expect([saver.stored, saver.waiting.length, over]).toEqual([[], 1, false]);
    while (saver.stored.length < 5) {
      expect(saver.waiting.length).toBeLessThanOrEqual(1);
      saver.waiting.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await run;
    expect(saver.stored).toEqual([-1, 0, 1, 2, 3]);
  });

  it("async: what the next node edits in place is not in the checkpoint before it, where the saver is quick", async () => {
    const graph = new StateGraph(Annotation.Root({ list: Annotation<string[]> }))
      .addNode("before", () => ({}))
      .addNode("makes", () => ({ list: ["made"] }))
      .addNode("edits", ({ list }) => {
        list.push("edited in place");
        throw new Error("fails");
      })
      .addEdge(START, "before")
      .addEdge("before", "makes")
      .addEdge("makes", "edits")
      .compile({ checkpointer: new ForeignSaver() });
    const config = { ...thread, durability: "async" as const };
    await expect(graph.invoke({}, config)).rejects.toThrow("fails");
    expect((await graph.getState(thread)).values).toEqual({ list: ["made"] });
  });

  it("async: the same for deltas that a saver takes its time to store", async () => {
    class Slow extends ForeignSaver {
      override async putWrites(...args: Parameters<ForeignSaver["putWrites"]>) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        return super.putWrites(...args);
      }
    }
    const log = new DeltaValue(items(), {
      inputSchema: z.string(),
      reducer: (lines: string[], more: string[]) => [...lines, ...more],
    });
    const graph = new StateGraph(new StateSchema({ log, list: items() }))
      .addNode("makes", () => ({ log: "makes", list: ["made"] }))
      .addNode("edits", ({ list }) => {
        list.push("edited in place");
        throw new Error("fails");
      })
      .addEdge(START, "makes")
      .addEdge("makes", "edits")
      .compile({ checkpointer: new Slow() });
    const config = { ...thread, durability: "async" as const };
    await expect(graph.invoke({ log: "in" }, config)).rejects.toThrow("fails");
    expect((await graph.getState(thread)).values).toEqual({ log: ["in", "makes"], list: ["made"] });
  });

  it("sync: a node waits until the step before it is stored", async () => {
    const saver = new GatedSaver();
    const before: unknown[] = [];
    const graph = threeNodes(async () => before.push([...saver.stored])).compile({ checkpointer: saver });
    const run = graph.invoke({ log: "in" }, { ...thread, durability: "sync" });
    while (saver.stored.length < 5) {
      saver.waiting.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await run;
    expect(before).toEqual([
      [-1, 0],
      [-1, 0, 1],
      [-1, 0, 1, 2],
    ]);
  });
});

describe("a foreign saver that fails once", () => {
  /** Fails at the first checkpoint. */
  class Failing extends ForeignSaver {
    failed = false;
    override async put(...args: Parameters<ForeignSaver["put"]>) {
      if (this.failed) return super.put(...args);
      this.failed = true;
      throw new Error("the disk was full");
    }
  }

  it.each(["sync", "async", "exit"] as const)(
    "%s: stores nothing that follows a checkpoint that it does not have",
    async (durability) => {
      const saver = new Failing();
      const graph = threeNodes(async () => {}).compile({ checkpointer: saver });
      const call = graph.invoke({ log: "in" }, { ...thread, durability });
      await expect(call).rejects.toThrow("the disk was full");
      expect(await stepsIn(saver)).toEqual([]);
      const { log } = await graph.invoke({ log: "in" }, { ...thread, durability });
      expect(log).toEqual(["in", "a", "b", "c"]);
    },
  );
});

it("exit: the error of the checkpoint that could not be stored, not that of what was to stand under it", async () => {
  const saver = new FakeSaver();
  saver.failCommit = true;
  const key = Symbol.for("skein.changeSets");
  const sets = Reflect.get(saver, key) as ChangeSets;
  const remote: ChangeSets = {
    ...sets,
    commit: async (...given) => sets.commit(...given),
    record: async (...given) => sets.record(...given),
  };
  Object.defineProperty(saver, key, { value: remote });
  const graph = new StateGraph(State)
    .addNode("asks", () => ({ log: String(interrupt("?")) }))
    .addEdge(START, "asks")
    .compile({ checkpointer: saver });
  await expect(graph.invoke({ log: "in" }, { ...thread, durability: "exit" })).rejects.toThrow(
    "the disk is full",
  );
});
