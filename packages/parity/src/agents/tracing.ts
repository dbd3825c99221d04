import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { RunTrees, type TracedRun } from "../run-tree.ts";
import { add, call, looking, says } from "./kit.ts";
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
  scenario("the names by which an agent is heard that a tool of another one calls", async (lc, t) => {
    for (const handsOn of [false, true]) {
      const inner = lc.createAgent({ model: ScriptedModel.saying("inner says"), name: "inner" });
      const ask = looking("ask", async (_text, config) => {
        await inner.invoke(says("ask"), handsOn ? config : undefined);
        return "asked";
      });
      const outer = lc.createAgent({
        model: ScriptedModel.saying([call("ask", {})], "over"),
        tools: [ask],
        name: "outer",
      });
      const names: unknown[] = [];
      const hear = BaseCallbackHandler.fromMethods({
        handleChatModelStart(_model, _messages, _runId, _parent, _params, _tags, metadata) {
          names.push(metadata?.["lc_agent_name"]);
        },
      });
      await outer.invoke(says("go"), { callbacks: [hear] });
      t.note(handsOn ? "the config is handed on" : "it is not", names);
    }
  }),
];
