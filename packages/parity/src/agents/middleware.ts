import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { Snapshot } from "../recorder.ts";
import { thread } from "../scenarios/kit.ts";
import { add, call, echo, flaky, says } from "./kit.ts";
import { scenario } from "./langchains.ts";
import { ScriptedModel } from "./model.ts";

/** Retries at once: how long to wait is not what is compared. */
export const atOnce = { initialDelayMs: 0, jitter: false };

const chat = (...texts: readonly string[]) =>
  texts.map((text, index) =>
    index % 2 === 0
      ? new HumanMessage({ id: `h${index}`, content: text })
      : new AIMessage({ id: `a${index}`, content: text }),
  );

export const middleware = [
  scenario("summarization replaces old messages by a summary", async (lc, t) => {
    const saver = t.saver();
    const model = ScriptedModel.saying("ok");
    const summarizer = ScriptedModel.saying("they counted");
    const agent = lc.createAgent({
      model,
      tools: [],
      checkpointer: saver,
      middleware: [
        lc.summarizationMiddleware({ model: summarizer, trigger: { messages: 4 }, keep: { messages: 2 } }),
      ],
    });
    await t.invoke(agent, { messages: chat("one", "two", "three", "four", "five") }, thread("1"));
    t.note("prompts", [model.prompts, summarizer.prompts.length]);
    await t.saved(saver, "1");
  }),

  scenario("summarization keeps a tool's call and its result together", async (lc, t) => {
    const model = ScriptedModel.saying([call("add", { a: 1, b: 2 })], "3");
    const summarizer = ScriptedModel.saying("summary one", "summary two");
    const agent = lc.createAgent({
      model,
      tools: [add],
      middleware: [
        lc.summarizationMiddleware({ model: summarizer, trigger: { messages: 5 }, keep: { messages: 1 } }),
      ],
    });
    await t.invoke(agent, { messages: chat("one", "two", "three", "four", "five") });
    t.note("prompts", model.prompts);
  }),

  scenario("summarization stays out of the messages stream", async (lc, t) => {
    const summarizer = ScriptedModel.saying("they counted");
    const agent = lc.createAgent({
      model: ScriptedModel.saying("ok then"),
      tools: [],
      middleware: [
        lc.summarizationMiddleware({ model: summarizer, trigger: { messages: 4 }, keep: { messages: 2 } }),
      ],
    });
    const input = { messages: chat("one", "two", "three", "four", "five") };
    const chunks = await agent.stream(input, { streamMode: "messages" });
    for await (const [message, metadata] of chunks) t.note("chunk", [message, metadata["langgraph_node"]]);
  }),

  scenario("addresses are redacted before the model sees them, and in the thread", async (lc, t) => {
    const saver = t.saver();
    const model = ScriptedModel.saying("write to me@example.com");
    const agent = lc.createAgent({
      model,
      tools: [],
      checkpointer: saver,
      middleware: [lc.piiMiddleware("email", { strategy: "redact", applyToOutput: true })],
    });
    await t.invoke(agent, says("I am ada@example.com", "h"), thread("1"));
    t.note("prompts", model.prompts);
    await t.saved(saver, "1");
  }),

  scenario("card numbers are masked and addresses of machines hashed, in results of tools", async (lc, t) => {
    const model = ScriptedModel.saying([call("echo", { text: "4242 4242 4242 4242 at 10.0.0.1" })], "ok");
    const agent = lc.createAgent({
      model,
      tools: [echo],
      middleware: [
        lc.piiMiddleware("credit_card", { strategy: "mask", applyToToolResults: true }),
        lc.piiMiddleware("ip", { strategy: "hash", applyToToolResults: true }),
      ],
    });
    await t.invoke(agent, says("go"));
    t.note("prompts", model.prompts);
  }),

  scenario("an address that must not come in fails the run", async (lc, t) => {
    const agent = lc.createAgent({
      model: ScriptedModel.saying("never"),
      tools: [],
      middleware: [lc.piiMiddleware("email", { strategy: "block" })],
    });
    await t.fails(() => agent.invoke(says("ada@example.com")));
  }),

  scenario("a list of things to do is kept beside the messages", async (lc, t) => {
    const saver = t.saver();
    const todos = [
      { content: "count", status: "in_progress" },
      { content: "rest", status: "pending" },
    ];
    const model = ScriptedModel.saying([call("write_todos", { todos })], "planned");
    const agent = lc.createAgent({
      model,
      tools: [],
      checkpointer: saver,
      middleware: [lc.todoListMiddleware()],
    });
    await t.invoke(agent, says("plan"), thread("1"));
    await t.state(agent, thread("1"));
    t.note(
      "tools",
      model.prompts.map(({ tools }) => tools),
    );
    await t.saved(saver, "1");
  }),

  scenario("two lists at once are refused, and the model hears of it", async (lc, t) => {
    const calls = [call("write_todos", { todos: [] }, "c1"), call("write_todos", { todos: [] }, "c2")];
    const agent = lc.createAgent({
      model: ScriptedModel.saying(calls, "one at a time"),
      tools: [],
      middleware: [lc.todoListMiddleware()],
    });
    await t.invoke(agent, says("plan"));
  }),

  scenario("context editing clears old results of tools", async (lc, t) => {
    const model = ScriptedModel.saying(
      [call("echo", { text: "first" }, "c1")],
      [call("echo", { text: "second" }, "c2")],
      "done",
    );
    const agent = lc.createAgent({
      model,
      tools: [echo],
      checkpointer: t.saver(),
      middleware: [
        lc.contextEditingMiddleware({
          edits: [new lc.ClearToolUsesEdit({ trigger: { messages: 2 }, keep: { messages: 1 } })],
        }),
      ],
    });
    await agent.invoke(says("go"), thread("1"));
    t.note("prompts", model.prompts);
    const { messages } = ((await agent.getState(thread("1"))) as Snapshot).values as {
      messages: ToolMessage[];
    };
    // it edits the list that the node was handed: docs/decisions/2026-11-21-ids-of-edited-lists.md
    t.note(
      "thread",
      messages.map(({ type, text, tool_call_id: of }) => [type, text, of]),
    );
  }),

  scenario("context editing beside what hands the whole state back: each result once", async (lc, t) => {
    const others = {
      "a limit of calls": () => lc.modelCallLimitMiddleware({ runLimit: 9 }),
      "a limit of tools": () => lc.toolCallLimitMiddleware({ runLimit: 9 }),
    };
    for (const [name, other] of Object.entries(others)) {
      const model = ScriptedModel.saying(
        [call("echo", { text: "first" }, "c1")],
        [call("echo", { text: "second" }, "c2"), call("echo", { text: "third" }, "c3")],
        [call("echo", { text: "fourth" }, "c4")],
        "done",
        "again",
      );
      const agent = lc.createAgent({
        model,
        tools: [echo],
        checkpointer: t.saver(),
        middleware: [
          lc.contextEditingMiddleware({
            edits: [new lc.ClearToolUsesEdit({ trigger: { messages: 4 }, keep: { messages: 1 } })],
          }),
          other(),
        ],
      });
      for (const input of ["go", "on"]) await agent.invoke(says(input), thread("1"));
      const { messages } = ((await agent.getState(thread("1"))) as Snapshot).values as {
        messages: ToolMessage[];
      };
      t.note(
        name,
        messages.map(({ type, text, tool_call_id: of }) => [type, text, of]),
      );
      t.note("prompts", model.prompts);
    }
  }),

  scenario("a model selects the tools that another one is offered", async (lc, t) => {
    const model = ScriptedModel.saying([call("echo", { text: "x" })], "ok");
    const selector = new ScriptedModel({ replies: [], prompts: [], said: 0 }, { tools: ["echo"] });
    const agent = lc.createAgent({
      model,
      tools: [add, echo],
      middleware: [lc.llmToolSelectorMiddleware({ model: selector, maxTools: 1 })],
    });
    await t.invoke(agent, says("go"));
    t.note(
      "tools",
      model.prompts.map(({ tools }) => tools),
    );
  }),

  scenario("a model plays the tools", async (lc, t) => {
    const player = ScriptedModel.saying("about three");
    const agent = lc.createAgent({
      model: ScriptedModel.saying(
        [call("add", { a: 1, b: 2 }, "c1"), call("echo", { text: "x" }, "c2")],
        "ok",
      ),
      tools: [add, echo],
      middleware: [lc.toolEmulatorMiddleware({ tools: ["add"], model: player })],
    });
    await t.invoke(agent, says("go"));
    t.note("played", player.prompts);
  }),

  scenario("a system prompt that depends on state and context", async (lc, t) => {
    const model = ScriptedModel.saying("ok", "ok");
    const agent = lc.createAgent({
      model,
      tools: [],
      systemPrompt: "Base.",
      checkpointer: t.saver(),
      middleware: [lc.dynamicSystemPromptMiddleware((state) => ` ${state.messages.length} messages.`)],
    });
    await t.invoke(agent, says("one"), thread("1"));
    await t.invoke(agent, says("two"), thread("1"));
    t.note("prompts", model.prompts);
  }),

  scenario("several middlewares together: limits, a person, a list, retries", async (lc, t, lg) => {
    const saver = t.saver();
    const agent = lc.createAgent({
      model: ScriptedModel.saying(
        [call("write_todos", { todos: [{ content: "add", status: "pending" }] }, "c1")],
        [call("add", { a: 1, b: 2 }, "c2"), call("flaky", {}, "c3")],
        "all done",
      ),
      tools: [add, flaky(1)],
      checkpointer: saver,
      middleware: [
        lc.todoListMiddleware(),
        lc.toolRetryMiddleware({ maxRetries: 2, ...atOnce }),
        lc.modelCallLimitMiddleware({ runLimit: 5 }),
        lc.humanInTheLoopMiddleware({ interruptOn: { add: true } }),
      ],
    });
    await t.invoke(agent, says("go"), thread("1"));
    await t.invoke(agent, new lg.Command({ resume: { decisions: [{ type: "approve" }] } }), thread("1"));
    await t.saved(saver, "1");
  }),

  scenario("a conversation posted back as plain messages goes on", async (lc, t) => {
    const model = ScriptedModel.saying([call("add", { a: 1, b: 2 })], "3", "again");
    const agent = lc.createAgent({ model, tools: [add], checkpointer: t.saver() });
    const { messages } = (await t.invoke(agent, says("1 + 2?"), thread("1"))) as { messages: ToolMessage[] };
    const posted = messages.map(({ id, type, content }) => ({ id, type, content }));
    t.note(
      "posted",
      posted.map(({ type }) => type),
    );
    await t.invoke(agent, says("again"), thread("1"));
    t.note("prompts", model.prompts);
  }),
];
