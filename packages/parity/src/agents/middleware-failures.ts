import { thread } from "../scenarios/kit.ts";
import { add, call, flaky, says } from "./kit.ts";
import { scenario } from "./langchains.ts";
import { ScriptedModel } from "./model.ts";
import { atOnce } from "./middleware.ts";

const busy = () => ScriptedModel.saying(new Error("user: busy"), new Error("user: busy"));

/** Limits, retries and what takes over. */
export const failures = [
  scenario("the limit of model calls ends a run, and counts over the thread", async (lc, t) => {
    const saver = t.saver();
    const agent = lc.createAgent({
      model: ScriptedModel.saying([call("add", { a: 1, b: 2 })], "3", "more", "never said"),
      tools: [add],
      checkpointer: saver,
      middleware: [lc.modelCallLimitMiddleware({ threadLimit: 3, runLimit: 2 })],
    });
    for (const text of ["one", "two", "three"]) await t.invoke(agent, says(text), thread("1"));
    await t.state(agent, thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("the limit of model calls as an error", async (lc, t) => {
    const agent = lc.createAgent({
      model: ScriptedModel.saying([call("add", { a: 1, b: 2 })], "never said"),
      tools: [add],
      middleware: [lc.modelCallLimitMiddleware({ runLimit: 1, exitBehavior: "error" })],
    });
    await t.fails(() => agent.invoke(says("one")));
  }),

  scenario("the limit of tool calls: the model is told to stop", async (lc, t) => {
    const calls = [call("add", { a: 1, b: 2 }, "c1"), call("add", { a: 3, b: 4 }, "c2")];
    const model = ScriptedModel.saying(calls, "one of them");
    const agent = lc.createAgent({
      model,
      tools: [add],
      middleware: [lc.toolCallLimitMiddleware({ runLimit: 1 })],
    });
    await t.invoke(agent, says("go"));
    t.note("prompts", model.prompts);
  }),

  scenario("the limit of one tool's calls ends the run, another thread is not counted", async (lc, t) => {
    const agent = lc.createAgent({
      model: ScriptedModel.saying(
        [call("add", { a: 1, b: 2 }, "c1")],
        [call("add", { a: 1, b: 2 }, "c2")],
        "fresh",
      ),
      tools: [add],
      checkpointer: t.saver(),
      middleware: [lc.toolCallLimitMiddleware({ toolName: "add", threadLimit: 1, exitBehavior: "end" })],
    });
    await t.invoke(agent, says("go"), thread("1"));
    await t.state(agent, thread("1"));
    await t.invoke(agent, says("go"), thread("2"));
  }),

  scenario("the limit of tool calls as an error", async (lc, t) => {
    const agent = lc.createAgent({
      model: ScriptedModel.saying([call("add", { a: 1, b: 2 }, "c1"), call("add", { a: 1, b: 2 }, "c2")]),
      tools: [add],
      middleware: [lc.toolCallLimitMiddleware({ runLimit: 1, exitBehavior: "error" })],
    });
    await t.fails(() => agent.invoke(says("go")));
  }),

  scenario("a model that fails is tried again", async (lc, t) => {
    const model = ScriptedModel.saying(new Error("user: busy"), new Error("user: busy"), "at last");
    const agent = lc.createAgent({
      model,
      tools: [],
      middleware: [lc.modelRetryMiddleware({ maxRetries: 2, ...atOnce })],
    });
    await t.invoke(agent, says("go"));
    t.note("asked", model.prompts.length);
  }),

  scenario("a model that goes on failing: a message, or the error", async (lc, t) => {
    const told = lc.modelRetryMiddleware({ maxRetries: 1, ...atOnce, onFailure: () => "no model" });
    await t.invoke(lc.createAgent({ model: busy(), tools: [], middleware: [told] }), says("go"));
    const thrown = lc.modelRetryMiddleware({ maxRetries: 1, ...atOnce, onFailure: "error" });
    await t.fails(() =>
      lc.createAgent({ model: busy(), tools: [], middleware: [thrown] }).invoke(says("go")),
    );
  }),

  scenario("a tool that fails is tried again", async (lc, t) => {
    const agent = lc.createAgent({
      model: ScriptedModel.saying([call("flaky", {})], "ok"),
      tools: [flaky(2)],
      middleware: [lc.toolRetryMiddleware({ maxRetries: 2, ...atOnce })],
    });
    await t.invoke(agent, says("go"));
  }),

  scenario("a tool that goes on failing: a message, or the error", async (lc, t) => {
    const failing = (onFailure: "continue" | "error") =>
      lc.createAgent({
        model: ScriptedModel.saying([call("flaky", {})], "ok"),
        tools: [flaky(9)],
        middleware: [lc.toolRetryMiddleware({ maxRetries: 1, ...atOnce, onFailure })],
      });
    await t.invoke(failing("continue"), says("go"));
    await t.fails(() => failing("error").invoke(says("go")));
  }),

  scenario("a tool's error in words of one's own", async (lc, t) => {
    const agent = lc.createAgent({
      model: ScriptedModel.saying([call("flaky", {})], "ok"),
      tools: [flaky(9)],
      middleware: [lc.toolErrorMiddleware({ onError: (error) => `told: ${error.message}` })],
    });
    await t.invoke(agent, says("go"));
  }),

  scenario("another model takes over when the first fails", async (lc, t) => {
    const first = ScriptedModel.saying(new Error("user: down"), new Error("user: down"));
    const second = ScriptedModel.saying(new Error("user: down too"), "second");
    const third = ScriptedModel.saying("third");
    const agent = lc.createAgent({
      model: first,
      tools: [],
      checkpointer: t.saver(),
      middleware: [lc.modelFallbackMiddleware(second, third)],
    });
    await t.invoke(agent, says("one"), thread("1"));
    await t.invoke(agent, says("two"), thread("1"));
    t.note("asked", [first.prompts.length, second.prompts.length, third.prompts.length]);
  }),
];
