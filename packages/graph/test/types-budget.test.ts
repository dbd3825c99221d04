import { expect, test } from "vitest";
import { checkTypes, declarationErrors, wideProgram } from "./support/type-cost.ts";

const BUDGET = 5000;

test("30 fields and 40 nodes cost the type checker no more than the budget", () => {
  const { instantiations, errors } = checkTypes(wideProgram(), import.meta.dirname);
  expect(errors).toEqual([]);
  expect(instantiations).toBeGreaterThan(500);
  expect(instantiations).toBeLessThanOrEqual(BUDGET);
}, 120_000);

test("the program that is measured is checked: a wrong key in it is an error", () => {
  const wrong = wideProgram().replace("f1: state.f1", "f1: 5");
  expect(checkTypes(wrong, import.meta.dirname).errors.join()).toContain("not assignable");
}, 120_000);

test("a library may export an agent and a graph: their types can be written as declarations", () => {
  const text = `
    import { MessagesAnnotation, START, StateGraph } from "@skein/graph";
    import { createReactAgent } from "@skein/graph/prebuilt";
    declare const llm: Parameters<typeof createReactAgent>[0]["llm"];
    export const agent = createReactAgent({ llm, tools: [] });
    export const graph = new StateGraph(MessagesAnnotation)
      .addNode("agent", agent)
      .addEdge(START, "agent")
      .compile();`;
  expect(declarationErrors(text, import.meta.dirname)).toEqual([]);
}, 120_000);
