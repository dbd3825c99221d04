import { Annotation, START, StateGraph } from "@langchain/langgraph";
import { expect, it } from "vitest";
import { SAVERS } from "./savers.ts";

it.each(SAVERS)(
  "a list of texts, without ids, grows by what is added under LangGraph's engine: $name",
  async (kind) => {
    const { saver, close } = kind.open();
    const State = Annotation.Root({
      log: Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
    });
    const graph = new StateGraph(State)
      .addNode("add", ({ log }) => ({ log: [`${log.length} ${"x".repeat(200)}`] }))
      .addEdge(START, "add")
      .compile({ checkpointer: saver });
    const items: number[] = [];
    for (let turn = 0; turn < 40; turn += 1) {
      await graph.invoke({ log: [`turn ${turn} ${"y".repeat(200)}`] }, { configurable: { thread_id: "t" } });
      items.push((await saver.storageReport("t"))?.itemBytes ?? 0);
    }
    const [first, middle, last] = [items[4], items[22], items[39]] as [number, number, number];
    expect((last - middle) / 17 / ((middle - first) / 18)).toBeLessThan(1.2);
    await close();
  },
);
