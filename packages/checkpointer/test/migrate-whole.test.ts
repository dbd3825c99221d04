import {
  emptyCheckpoint,
  MemorySaver as LangGraphMemory,
  type BaseCheckpointSaver,
} from "@langchain/langgraph-checkpoint";
import { expect, it } from "vitest";
import { migrateThread, type MigrateProgress } from "../src/index.ts";
import { MemorySaver } from "../src/memory/index.ts";

const at = (namespace: string, id?: string, thread = "t") => ({
  configurable: { thread_id: thread, checkpoint_ns: namespace, ...(id && { checkpoint_id: id }) },
});

async function put(saver: BaseCheckpointSaver, namespace: string, id: string, parent?: string) {
  const checkpoint = {
    ...emptyCheckpoint(),
    id,
    channel_values: { n: id },
    channel_versions: { n: Number(id) },
  };
  const parents: Record<string, string> = namespace === "" ? {} : { "": "1" };
  await saver.put(
    at(namespace, parent),
    checkpoint,
    { source: "loop", step: Number(id), parents },
    checkpoint.channel_versions,
  );
}

async function source() {
  const saver = new LangGraphMemory();
  await put(saver, "", "1");
  await put(saver, "within:1", "2");
  await put(saver, "within:1", "3", "2");
  await put(saver, "", "4", "1");
  await saver.putWrites(
    at("", "4"),
    [
      ["log", "a"],
      ["log", "b"],
      ["log", "c"],
    ],
    "task",
  );
  return saver;
}

const TARGETS = [
  ["ours", () => new MemorySaver()],
  ["another", () => new LangGraphMemory()],
] as const;

it.each(TARGETS)("a subgraph keeps its parents, a task the order of its writes, to %s", async (_, open) => {
  const [from, to] = [await source(), open()];
  const seen: MigrateProgress[] = [];
  await migrateThread(from, to, { threadId: "t", onProgress: (progress) => void seen.push(progress) });
  expect(seen).toEqual([1, 2, 3, 4].map((checkpoints) => ({ checkpoints, of: 4 })));
  const tuple = await to.getTuple(at("within:1", "3"));
  expect(tuple?.parentConfig).toEqual(at("within:1", "2"));
  expect(tuple?.metadata?.parents).toEqual({ "": "1" });
  expect((await to.getTuple(at("", "4")))?.pendingWrites?.map((write) => write[2])).toEqual(["a", "b", "c"]);
});

it.each(TARGETS)("a thread under the new id is not written over, in %s", async (_, open) => {
  const [from, to] = [await source(), open()];
  await to.put(
    at("", undefined, "u"),
    { ...emptyCheckpoint(), id: "9" },
    { source: "input", step: -1, parents: {} },
    {},
  );
  await expect(migrateThread(from, to, { threadId: "t", as: "u" })).rejects.toMatchObject({
    code: "INVALID_CONFIGURATION",
  });
  expect((await to.getTuple(at("", undefined, "u")))?.checkpoint.id).toBe("9");
  expect(await to.getTuple(at("", "1", "u"))).toBeUndefined();
});
