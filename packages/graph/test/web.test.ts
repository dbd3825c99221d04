import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { bundleForBrowser } from "./support/bundle-for-browser.ts";
import { bundleSize, LARGEST } from "./support/bundle-size.ts";

const entry = (name: string): string => fileURLToPath(new URL(`../src/${name}`, import.meta.url));

const bundle = (contents: string): Promise<string> =>
  bundleForBrowser(contents, fileURLToPath(new URL("..", import.meta.url)));

const PROGRAM = `
import { AIMessage } from "@langchain/core/messages";
import { Annotation, entrypoint, MemorySaver, START, StateGraph } from ${JSON.stringify(entry("web.ts"))};
import { ToolNode, toolsCondition } from ${JSON.stringify(entry("prebuilt.ts"))};
const State = Annotation.Root({ count: Annotation<number>() });
const graph = new StateGraph(State)
  .addNode("ask", (state, config) => ({ count: state.count + config.interrupt("how many?") }))
  .addEdge(START, "ask")
  .compile({ checkpointer: new MemorySaver() });
const thread = { configurable: { thread_id: "1" } };
const waits = await graph.invoke({ count: 1 }, thread);
const workflow = entrypoint("double", async (n) => n * 2);
console.log(JSON.stringify({
  waits: waits.__interrupt__?.map(({ value }) => value),
  doubled: await workflow.invoke(2),
  condition: toolsCondition([new AIMessage("x")]),
  node: new ToolNode([]).getName(),
}));
`;

describe("./web", () => {
  it.each(["web.ts", "prebuilt.ts"])("%s bundles for a browser without anything of Node's", async (name) => {
    expect(await bundle(`export * from ${JSON.stringify(entry(name))};`)).not.toBe("");
  });

  it("the check is one: the main entry does not bundle for a browser", async () => {
    await expect(bundle(`export * from ${JSON.stringify(entry("index.ts"))};`)).rejects.toThrow(
      "node:async_hooks",
    );
  });

  it("a bundle runs graphs, entrypoints and tools without AsyncLocalStorage", async () => {
    const run = spawnSync(process.execPath, ["--input-type=module"], {
      input: await bundle(PROGRAM),
      encoding: "utf8",
    });
    expect(run.stderr).toBe("");
    expect(JSON.parse(run.stdout)).toEqual({
      waits: ["how many?"],
      doubled: 4,
      condition: "__end__",
      node: "tools",
    });
  });

  it("offers what the main entry offers", async () => {
    const [web, main] = await Promise.all([import("../src/web.ts"), import("../src/index.ts")]);
    expect(Object.keys(web).toSorted()).toEqual(Object.keys(main).toSorted());
  });
});

describe("what a page loads for a StateGraph, beside @langchain/core", () => {
  it("stays within 71 KiB gzipped at once, and 81 KiB with what it may load later", async () => {
    const { atOnce, all } = await bundleSize(
      `export { StateGraph, Annotation, START, END } from "${entry("web.ts")}";`,
      fileURLToPath(new URL("..", import.meta.url)),
    );
    expect(atOnce).toBeLessThanOrEqual(LARGEST.atOnce);
    expect(all).toBeLessThanOrEqual(LARGEST.all);
    // the serializer of LangGraph's savers is not loaded at once
    expect(all).toBeGreaterThan(atOnce);
  });
});
