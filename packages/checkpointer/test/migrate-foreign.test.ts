import {
  type BaseCheckpointSaver,
  type CheckpointTuple,
  MemorySaver as LangGraphMemory,
  type SerializerProtocol,
} from "@langchain/langgraph-checkpoint";
import type { RunnableConfig } from "@langchain/core/runnables";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { migrateThread } from "../src/index.ts";
import { MemorySaver } from "../src/memory/index.ts";
import { at, checkpoint } from "./support/puts.ts";

/** Stores whatever there is, also what no codec takes. */
class Anything implements SerializerProtocol {
  readonly #held: unknown[] = [];
  async dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
    const at = this.#held.push(value) - 1;
    return ["held", new TextEncoder().encode(String(at))];
  }
  async loadsTyped(_type: string, data: Uint8Array | string): Promise<unknown> {
    return this.#held[Number(typeof data === "string" ? data : new TextDecoder().decode(data))];
  }
}

const foreign = () => new LangGraphMemory(new Anything());

async function put(saver: BaseCheckpointSaver, id: string, parent: string | undefined, list: unknown) {
  const values = { list };
  const metadata = { source: "update" as const, step: 0, parents: {} };
  await saver.put(at(parent), checkpoint(id, values, Number(id)), metadata, { list: Number(id) });
}

const listOf = async (saver: BaseCheckpointSaver, id: string): Promise<unknown> =>
  (await saver.getTuple(at(id)))?.checkpoint.channel_values["list"];

const run = () => 1;

describe("a migration from a saver of somebody else", () => {
  it.each([
    ["a value", { run }],
    ["an element", [{ run }]],
    ["an element with an id", [{ id: "a", run }, { id: "b" }]],
  ])("to another takes over what our codec does not: %s", async (_, value) => {
    const [from, to] = [foreign(), foreign()];
    await put(from, "1", undefined, value);
    await put(from, "2", "1", value);
    expect(await migrateThread(from, to, { threadId: "t" })).toEqual({ checkpoints: 2, of: 2 });
    expect(await listOf(to, "1")).toEqual(value);
    expect(await listOf(to, "2")).toEqual(value);
  });

  it("and ours says what it does not take", async () => {
    const from = foreign();
    await put(from, "1", undefined, [{ id: "a", run }]);
    const to = new MemorySaver();
    await expect(migrateThread(from, to, { threadId: "t" })).rejects.toMatchObject({
      code: "UNSTORABLE_VALUE",
    });
    expect(await to.listThreads()).toEqual([]);
  });

  it.each([
    ["ours", () => new MemorySaver()],
    ["another", foreign],
  ])("to %s keeps apart a hole in a list and what is undefined", async (_, open) => {
    const [from, to] = [foreign(), open()];
    const lists = [
      [{ id: "a" }, undefined],
      [{ id: "a" }, undefined],
      [{ id: "a" }, undefined],
    ] as unknown[][];
    delete lists[1]?.[1];
    for (const [i, list] of lists.entries()) await put(from, `${i + 1}`, i === 0 ? undefined : `${i}`, list);
    await migrateThread(from, to, { threadId: "t" });
    for (const [i, list] of lists.entries()) expect(await listOf(to, `${i + 1}`)).toStrictEqual(list);
  });

  it("forgets what a checkpoint held that was removed meanwhile, and what came before it", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    let held: WeakRef<object> | undefined;
    let isFree = false;
    class Removing extends LangGraphMemory {
      override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
        const id = config.configurable?.["checkpoint_id"] as string | undefined;
        if (id === "2") return undefined;
        if (id === "3") {
          // a turn of the loop lets go of what the copy of the first one awaited
          await new Promise(setImmediate);
          collect();
          isFree = held?.deref() === undefined;
        }
        const tuple = await super.getTuple(config);
        if (id === "1") held = new WeakRef(tuple?.checkpoint.channel_values["list"] as object);
        return tuple;
      }
    }
    const [from, to] = [new Removing(), new LangGraphMemory()];
    await put(from, "1", undefined, { note: "first" });
    await put(from, "2", "1", { note: "second" });
    await put(from, "3", "2", { note: "third" });
    expect(await migrateThread(from, to, { threadId: "t" })).toEqual({ checkpoints: 2, of: 3 });
    expect(held).toBeDefined();
    expect(isFree).toBe(true);
  });
});
