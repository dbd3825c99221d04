import { Annotation, END, Send, START, StateGraph } from "../src/index.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

describe("many tasks that listen to the run's signal", () => {
  const warnings: string[] = [];
  const note = (warning: Error): number => warnings.push(warning.name);
  beforeEach(() => {
    warnings.length = 0;
    process.on("warning", note);
  });
  afterEach(() => {
    process.off("warning", note);
  });

  it("cause no warning about listeners", async () => {
    const State = Annotation.Root({
      heard: Annotation<number>({ reducer: (left, right) => left + right, default: () => 0 }),
    });
    const graph = new StateGraph(State)
      .addNode("listen", async (_state, config) => {
        config.signal?.addEventListener("abort", () => {});
        await new Promise((resolve) => setTimeout(resolve, 5));
        return { heard: 1 };
      })
      .addConditionalEdges(START, () => Array.from({ length: 40 }, () => new Send("listen", {})), ["listen"])
      .addEdge("listen", END)
      .compile();
    expect((await graph.invoke({ heard: 0 })).heard).toBe(40);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(warnings).toEqual([]);
  });

  it("cause none either where Node does not say how it keeps its limit", async () => {
    const found = vi.spyOn(Object, "getOwnPropertySymbols").mockReturnValue([]);
    // a second time, beside the one that other tests have loaded
    const again = "../src/run/abort.ts?again";
    const { RunAbort } = (await import(again)) as typeof import("../src/run/abort.ts");
    const { signal } = new RunAbort();
    found.mockRestore();
    for (let at = 0; at < 40; at += 1) signal.addEventListener("abort", () => {});
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(warnings).toEqual([]);
  });
});
