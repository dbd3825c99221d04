import { RunTrees, type TracedRun } from "../run-tree.ts";
import { add, call, says } from "./kit.ts";
import { scenario } from "./langchains.ts";
import { ScriptedModel } from "./model.ts";

/** What a tracer shows people: models, tools and nodes, below one another. */
function outline({ run, node, step, within }: TracedRun): unknown[] {
  const below = within.flatMap(outline);
  const inner = run.startsWith("chain ") && run !== `chain ${String(node)}` && node !== undefined;
  // sequences that LangChain wraps its nodes in
  return inner ? below : [[run, step, below]];
}

export const tracing = [
  scenario("the tree of runs that a tracer hears of", async (lc, t) => {
    const agent = lc.createAgent({
      model: ScriptedModel.saying([call("add", { a: 1, b: 2 })], "it is 3"),
      tools: [add],
      name: "adder",
      middleware: [lc.createMiddleware({ name: "watching", beforeModel: () => undefined })],
    });
    const tracer = new RunTrees();
    await agent.invoke(says("1 + 2?"), { callbacks: [tracer] });
    t.note("trees", tracer.trees.map(outline));
  }),
];
