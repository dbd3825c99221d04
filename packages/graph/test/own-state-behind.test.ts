import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { Annotation, START, StateGraph } from "@skein/graph";
import { expect, test } from "vitest";

/** Loses one checkpoint of the root graph, and takes its time to say so. */
class LosesOne extends MemorySaver {
  state: "keeps" | "loses" | "has lost" = "keeps";

  override async put(...given: Parameters<MemorySaver["put"]>) {
    if (given[0].configurable?.["checkpoint_ns"] === "" && this.state === "loses") {
      this.state = "has lost";
      await new Promise((resolve) => setTimeout(resolve, 10));
      throw new Error("the disk is gone");
    }
    return super.put(...given);
  }
}

const appended = () => Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] });

test.each(["async", "sync"] as const)(
  "a graph that keeps its state is not ahead of its caller, a step of which could not be stored (%s)",
  async (durability) => {
    const sub = new StateGraph(Annotation.Root({ heard: appended() }))
      .addNode("hears", () => ({ heard: ["answer"] }))
      .addEdge(START, "hears")
      .compile({ checkpointer: true });
    const saver = new LosesOne();
    const graph = new StateGraph(Annotation.Root({ said: appended(), heard: Annotation<string[]> }))
      .addNode("says", () => {
        if (saver.state === "keeps") saver.state = "loses";
        return { said: ["says"] };
      })
      .addNode("asks", async (_state, config) => {
        const { heard } = await sub.invoke({ heard: ["question"] }, config);
        await new Promise((resolve) => setTimeout(resolve, 20));
        return { heard };
      })
      .addEdge(START, "says")
      .addEdge("says", "asks")
      .compile({ checkpointer: saver });
    const config = { configurable: { thread_id: "t" }, durability };
    await expect(graph.invoke({}, config)).rejects.toThrow("the disk is gone");
    expect(await graph.invoke(null, config)).toEqual({ said: ["says"], heard: ["question", "answer"] });
  },
);
