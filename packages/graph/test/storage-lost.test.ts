import type { ChangeSets } from "@skein/checkpointer";
import { expect, test } from "vitest";
import { Annotation, END, GraphError, START, StateGraph } from "@skein/graph";
import { FakeSaver } from "./support/fake-change-sets.ts";

async function record(): Promise<void> {
  await Promise.resolve();
  throw new GraphError("STORAGE_UNAVAILABLE", "the connection was lost");
}

/** A storage that is gone when a task's writes are recorded. */
class LostSaver extends FakeSaver {
  get [Symbol.for("skein.changeSets")](): ChangeSets {
    return { ...(super[Symbol.for("skein.changeSets") as never] as ChangeSets), record };
  }
}

test("a storage lost while a sibling is at work fails the run, and not the process", async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  const State = Annotation.Root({ a: Annotation<number>, b: Annotation<number> });
  const graph = new StateGraph(State)
    .addNode("quick", () => ({ a: 1 }))
    .addNode("slow", async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return { b: 1 };
    })
    .addEdge(START, "quick")
    .addEdge(START, "slow")
    .addEdge("quick", END)
    .addEdge("slow", END)
    .compile({ checkpointer: new LostSaver() });
  const config = { configurable: { thread_id: "1" }, durability: "sync" as const };
  await expect(graph.invoke({ a: 0 }, config)).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});
