import { z } from "zod";
import type { Snapshot } from "../recorder.ts";
import { thread } from "../scenarios/kit.ts";
import { add, call, echo, says } from "./kit.ts";
import { scenario } from "./langchains.ts";
import { ScriptedModel } from "./model.ts";

/** Calls of tools that a person decides about. */
export const people = [
  scenario("a person approves a call", async (lc, t, lg) => {
    const saver = t.saver();
    const agent = lc.createAgent({
      model: ScriptedModel.saying([call("add", { a: 1, b: 2 })], "3"),
      tools: [add],
      checkpointer: saver,
      middleware: [lc.humanInTheLoopMiddleware({ interruptOn: { add: true } })],
    });
    await t.invoke(agent, says("1 + 2?"), thread("1"));
    await t.state(agent, thread("1"));
    await t.invoke(agent, new lg.Command({ resume: { decisions: [{ type: "approve" }] } }), thread("1"));
    await t.history(agent, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a person edits a call", async (lc, t, lg) => {
    const agent = lc.createAgent({
      model: ScriptedModel.saying([call("add", { a: 1, b: 2 })], "it is what it is"),
      tools: [add],
      checkpointer: t.saver(),
      middleware: [lc.humanInTheLoopMiddleware({ interruptOn: { add: true } })],
    });
    await t.invoke(agent, says("1 + 2?"), thread("1"));
    const edited = { type: "edit", editedAction: { name: "add", args: { a: 10, b: 20 } } };
    await t.stream(agent, new lg.Command({ resume: { decisions: [edited] } }), {
      ...thread("1"),
      streamMode: ["updates", "values"],
    });
  }),

  scenario("a person rejects one of two calls, and the model hears why", async (lc, t, lg) => {
    const saver = t.saver();
    const model = ScriptedModel.saying(
      [call("add", { a: 1, b: 2 }, "c1"), call("echo", { text: "x" }, "c2")],
      "then not",
    );
    const agent = lc.createAgent({
      model,
      tools: [add, echo],
      checkpointer: saver,
      middleware: [
        lc.humanInTheLoopMiddleware({ interruptOn: { add: { allowedDecisions: ["approve", "reject"] } } }),
      ],
    });
    await t.invoke(agent, says("both"), thread("1"));
    const decisions = [{ type: "reject", message: "no sums" }];
    await t.invoke(agent, new lg.Command({ resume: { decisions } }), thread("1"));
    t.note("prompts", model.prompts);
    await t.saved(saver, "1");
  }),

  scenario("a decision that is not allowed fails, and the question stays open", async (lc, t, lg) => {
    const agent = lc.createAgent({
      model: ScriptedModel.saying([call("add", { a: 1, b: 2 })], "3"),
      tools: [add],
      checkpointer: t.saver(),
      middleware: [lc.humanInTheLoopMiddleware({ interruptOn: { add: { allowedDecisions: ["approve"] } } })],
    });
    await t.invoke(agent, says("1 + 2?"), thread("1"));
    const resume = (type: string) => new lg.Command({ resume: { decisions: [{ type }] } });
    await t.fails(() => agent.invoke(resume("reject"), thread("1")));
    const { values, tasks } = (await agent.getState(thread("1"))) as Snapshot;
    t.note("left open", [values, tasks]);
  }),

  scenario("calls that need nobody run without a question", async (lc, t) => {
    const agent = lc.createAgent({
      model: ScriptedModel.saying([call("echo", { text: "x" })], "ok"),
      tools: [add, echo],
      checkpointer: t.saver(),
      middleware: [lc.humanInTheLoopMiddleware({ interruptOn: { add: true, echo: false } })],
    });
    await t.invoke(agent, says("go"), thread("1"));
  }),

  scenario("a tool without a body: the client answers two calls of it", async (lc, t, lg) => {
    const where = lc.tool({
      name: "where",
      description: "Tells where the user is",
      schema: z.object({ exact: z.boolean().default(false) }),
    });
    const agent = lc.createAgent({
      model: ScriptedModel.saying([call("where", {}), call("where", { exact: true }, "c2")], "near"),
      tools: [where, add],
      checkpointer: t.saver(),
    });
    await t.invoke(agent, says("where am I?"), thread("1"));
    const { tasks } = (await t.state(agent, thread("1"))) as Snapshot;
    const asked = tasks.flatMap(({ interrupts }) => interrupts.map(({ id }) => id));
    const answers = Object.fromEntries(asked.map((id, at) => [id, { metres: at }]));
    await t.invoke(agent, new lg.Command({ resume: answers }), thread("1"));
  }),
];
