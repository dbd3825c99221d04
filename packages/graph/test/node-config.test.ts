import { inspect } from "node:util";
import { mergeConfigs, type RunnableConfig } from "@langchain/core/runnables";
import { describe, expect, it } from "vitest";
import { Annotation, END, type LangGraphRunnableConfig, START, StateGraph } from "@skein/graph";

/** What a node of a graph sees of its config. */
async function seen<T>(look: (config: LangGraphRunnableConfig) => T): Promise<T> {
  const found: T[] = [];
  await new StateGraph(Annotation.Root({ key: Annotation<string>() }))
    .addNode("node", (_state, config) => {
      found.push(look(config as LangGraphRunnableConfig));
      return {};
    })
    .addEdge(START, "node")
    .addEdge("node", END)
    .compile()
    .invoke({ key: "value" }, { configurable: { user: "Ann" } });
  return found[0] as T;
}

const MEMBERS = ["tags", "metadata", "configurable", "executionInfo", "signal", "interrupt", "writer"];

/** The config is made when a node looks at it: whatever way it looks, all of it is there. */
describe("a node's config, looked at first", () => {
  it("by one of its members", async () => {
    expect((await seen((config) => config.configurable))?.["user"]).toBe("Ann");
    expect(await seen((config) => config.executionInfo?.nodeAttempt)).toBe(1);
  });

  it("by copying it", async () => {
    const copy = await seen((config) => ({ ...config }));
    expect(Object.keys(copy)).toEqual(expect.arrayContaining(MEMBERS));
    expect(copy.configurable?.["checkpoint_ns"]).toBe(`node:${copy.executionInfo?.taskId}`);
  });

  it("by its keys, and by whether it has one", async () => {
    expect(await seen((config) => Object.keys(config))).toEqual(expect.arrayContaining(MEMBERS));
    expect(await seen((config) => "executionInfo" in config)).toBe(true);
    expect(await seen((config) => Object.hasOwn(config, "configurable"))).toBe(true);
  });

  it("by LangChain, which merges it", async () => {
    const merged = await seen((config) => mergeConfigs<RunnableConfig>(config as never, { tags: ["mine"] }));
    expect(merged.tags).toEqual(["mine"]);
    expect(merged.metadata?.["langgraph_node"]).toBe("node");
  });

  it("by the console", async () => {
    const shown = await seen((config) => inspect(config, { depth: 2 }));
    expect(shown).toContain("nodeAttempt: 1");
    expect(shown).not.toContain("nodejs.util.inspect");
  });

  it("by writing to it: what is written stays, and so does the rest", async () => {
    const config = await seen((own) => {
      own.tags = ["mine"];
      return own;
    });
    expect(config.tags).toEqual(["mine"]);
    expect(config.metadata?.["langgraph_node"]).toBe("node");
  });

  it("by taking a member away", async () => {
    const config = await seen((own) => {
      delete own.metadata;
      return own;
    });
    expect(Object.keys(config)).not.toContain("metadata");
  });

  it("by freezing it", async () => {
    const config = await seen((own) => Object.freeze(own));
    expect(Object.isFrozen(config)).toBe(true);
    expect(config.executionInfo?.nodeAttempt).toBe(1);
  });

  it("when its task is long over", async () => {
    const config = await seen((own) => own);
    expect(config.executionInfo?.nodeFirstAttemptTime).toBeLessThanOrEqual(Date.now());
    expect(config.metadata).toMatchObject({ langgraph_node: "node", langgraph_step: 1 });
  });
});
