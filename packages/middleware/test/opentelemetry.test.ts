import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { context, trace } from "@opentelemetry/api";
import { createAgent } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { Annotation, Command, interrupt, START, StateGraph } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { OpenTelemetryHandler, openTelemetryMiddleware } from "../src/opentelemetry/index.ts";
import { summarizationMiddleware } from "../src/summarization/index.ts";
import { RecordingTracer } from "./recording-tracer.ts";
import { saying as replies } from "./replies.ts";

const add = tool(({ a, b }: { a: number; b: number }) => String(a + b), {
  name: "add",
  description: "Adds",
  schema: z.object({ a: z.number(), b: z.number() }),
});
/** LangChain's types leave no place for usage in a plain message. */
const reply = (content: string, input: number, output: number, fields: object = {}): AIMessage =>
  Object.assign(new AIMessage({ content, ...fields }), {
    usage_metadata: { input_tokens: input, output_tokens: output, total_tokens: input + output },
  });
const calling = (name: string, args: Record<string, unknown>) =>
  reply("", 10, 2, {
    tool_calls: [{ name, args, id: "c", type: "tool_call" }],
    response_metadata: { finish_reason: "tool_calls", model_name: "small-1" },
  });
const saying = (text: string) => reply(text, 20, 3);

describe("OpenTelemetry spans", () => {
  it("are made of run, steps, tasks, models and tools, with counts of tokens", async () => {
    const tracer = new RecordingTracer();
    const agent = createAgent({
      model: replies(calling("add", { a: 1, b: 2 }), saying("3")),
      tools: [add],
      name: "adder",
      checkpointer: new MemorySaver(),
      middleware: [openTelemetryMiddleware({ tracer })],
    });
    await agent.invoke({ messages: "1 + 2?" }, { configurable: { thread_id: "t" } });
    expect(tracer.tree()).toEqual([
      "invoke_agent adder",
      "  step 1",
      "    task model_request",
      "      chat Replies",
      "  step 2",
      "    task tools",
      "      execute_tool add",
      "  step 3",
      "    task model_request",
      "      chat Replies",
    ]);
    expect(tracer.named("invoke_agent adder").attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "adder",
      "gen_ai.conversation.id": "t",
      "gen_ai.usage.input_tokens": 30,
      "gen_ai.usage.output_tokens": 5,
    });
    expect(tracer.named("chat Replies").attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.usage.input_tokens": 10,
      "gen_ai.usage.output_tokens": 2,
      "gen_ai.response.model": "small-1",
      "gen_ai.response.finish_reasons": ["tool_calls"],
      "skein.source": "agent",
    });
    expect(tracer.named("execute_tool add").attributes).toMatchObject({ "gen_ai.tool.call.id": "c" });
    // what was said is nobody's who reads traces
    expect(JSON.stringify(tracer.spans.map(({ attributes }) => attributes))).not.toContain("1 + 2");
  });

  it("hold what was said when they are told to", async () => {
    const tracer = new RecordingTracer();
    const agent = createAgent({
      model: replies(calling("add", { a: 1, b: 2 }), saying("3")),
      tools: [add],
      middleware: [openTelemetryMiddleware({ tracer, recordContent: true })],
    });
    await agent.invoke({ messages: "1 + 2?" });
    expect(tracer.named("chat Replies").attributes).toMatchObject({
      "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"1 + 2?"}]}]',
      "gen_ai.output.messages":
        '[{"role":"assistant","parts":[{"type":"tool_call","id":"c","name":"add","arguments":{"a":1,"b":2}}]}]',
    });
    expect(tracer.named("execute_tool add").attributes).toMatchObject({ "gen_ai.tool.call.result": "3" });
  });

  it("hold what a tool's command updates, as JSON", async () => {
    const tracer = new RecordingTracer();
    const callbacks = [new OpenTelemetryHandler({ tracer, recordContent: true })];
    const itself: Record<string, unknown> = {};
    itself["itself"] = itself;
    for (const more of [{ count: 5n }, { itself }]) {
      const remember = tool(
        (_: object, { toolCall: { id } }) =>
          new Command({
            update: { messages: [new ToolMessage({ content: "kept", tool_call_id: id })], ...more },
          }),
        { name: "remember", description: "Remembers", schema: z.object({}) },
      );
      await remember.invoke({ name: "remember", args: {}, id: "c", type: "tool_call" }, { callbacks });
    }
    const kept = '[{"role":"tool","parts":[{"type":"tool_call_response","id":"c","response":"kept"}]}]';
    expect(tracer.spans.map(({ attributes }) => attributes["gen_ai.tool.call.result"])).toEqual([
      `{"messages":${kept},"count":"5"}`,
      // no JSON can be made of it
      "[object Object]",
    ]);
    expect(tracer.spans.map(({ ends }) => ends)).toEqual([1, 1]);
  });

  it("show a compaction by the tokens that it saved, and the summary's call as one of its own", async () => {
    const tracer = new RecordingTracer();
    const agent = createAgent({
      model: replies("ok"),
      middleware: [
        summarizationMiddleware({
          model: replies("they counted"),
          trigger: { messages: 5 },
          keep: { messages: 2 },
        }),
        openTelemetryMiddleware({ tracer }),
      ],
    });
    const messages = Array.from({ length: 6 }, (_, n) => new HumanMessage(`number ${n} `.repeat(50)));
    await agent.invoke({ messages });
    expect(tracer.tree().slice(0, 6)).toEqual([
      "invoke_agent",
      "  step 1",
      "    task SummarizationMiddleware.before_model",
      "      chat Replies",
      "      compaction",
      "  step 2",
    ]);
    const { attributes } = tracer.named("compaction");
    expect(attributes).toMatchObject({
      "skein.compaction.messages_before": 6,
      "skein.compaction.messages_removed": 4,
      "skein.compaction.summary_tokens": expect.any(Number),
    });
    const tokens = (which: string): number => attributes[`skein.compaction.tokens_${which}`] as number;
    expect(tokens("before")).toBeGreaterThan(tokens("after") * 2);
    const sources = tracer.spans.flatMap(({ attributes: its }) => its["skein.source"] ?? []);
    expect(sources).toEqual(["summarization", "agent"]);
  });

  it("of failures say so; an interrupt is none", async () => {
    const tracer = new RecordingTracer();
    const failing = createAgent({
      model: replies(new Error("overloaded")),
      middleware: [openTelemetryMiddleware({ tracer })],
    });
    await expect(failing.invoke({ messages: "hello" })).rejects.toThrow("overloaded");
    for (const name of ["invoke_agent", "task model_request", "chat Replies"]) {
      expect(tracer.named(name).status).toEqual({ code: 2, message: "overloaded" });
      expect(tracer.named(name).attributes["error.type"]).toBe("Error");
    }
    const asking = new RecordingTracer();
    const ask = tool(() => interrupt("sure?") as string, {
      name: "ask",
      description: "Asks",
      schema: z.object({}),
    });
    const agent = createAgent({
      model: replies(calling("ask", {}), saying("ok")),
      tools: [ask],
      checkpointer: new MemorySaver(),
      middleware: [openTelemetryMiddleware({ tracer: asking })],
    });
    const thread = { configurable: { thread_id: "t" } };
    await agent.invoke({ messages: "hello" }, thread);
    expect(asking.named("task tools").status.code).toBe(0);
    expect(asking.named("task tools").events).toEqual(["interrupted"]);
    await agent.invoke(new Command({ resume: "yes" }), thread);
    expect(asking.spans.every(({ status }) => status.code === 0)).toBe(true);
  });

  it("of a run that is stopped all end", async () => {
    const tracer = new RecordingTracer();
    const stop = new AbortController();
    const hang = tool(() => new Promise<string>(() => stop.abort()), {
      name: "hang",
      description: "Hangs",
      schema: z.object({}),
    });
    const agent = createAgent({
      model: replies(calling("hang", {})),
      tools: [hang],
      middleware: [openTelemetryMiddleware({ tracer })],
    });
    await expect(agent.invoke({ messages: "go" }, { signal: stop.signal })).rejects.toThrow(/abort/i);
    expect(tracer.tree()).toContain("      execute_tool hang");
    expect(tracer.tree()[0]).toBe("invoke_agent");
  });

  it("of an agent that another one asks stand below the call, once, though both have the middleware", async () => {
    const tracer = new RecordingTracer();
    const helper = createAgent({
      model: replies(saying("inner")),
      name: "helper",
      middleware: [openTelemetryMiddleware({ tracer })],
    });
    const ask = tool(async () => (await helper.invoke({ messages: "?" })).messages.at(-1)?.text, {
      name: "ask",
      description: "Asks",
      schema: z.object({}),
    });
    const agent = createAgent({
      model: replies(calling("ask", {}), saying("outer")),
      tools: [ask],
      name: "boss",
      middleware: [openTelemetryMiddleware({ tracer })],
    });
    await agent.invoke({ messages: "go" });
    expect(tracer.tree().slice(4, 11)).toEqual([
      "  step 2",
      "    task tools",
      "      execute_tool ask",
      "        invoke_agent helper",
      "          step 1",
      "            task model_request",
      "              chat Replies",
    ]);
    expect(tracer.tree()).toHaveLength(14);
  });

  it("are made of any graph, in parallel too, below the span that is active", async () => {
    const tracer = new RecordingTracer();
    const State = Annotation.Root({
      done: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
    });
    const graph = new StateGraph(State)
      .addNode("a", () => ({ done: ["a"] }))
      .addNode("b", () => ({ done: ["b"] }))
      .addNode("c", () => ({ done: ["c"] }))
      .addEdge(START, "a")
      .addEdge(START, "b")
      .addEdge(["a", "b"], "c")
      .compile({ name: "diamond" });
    const outer = tracer.startSpan("request");
    // no context manager is registered: `with` hands it on by hand
    const active = trace.setSpan(context.active(), outer);
    const { active: before } = context;
    context.active = () => active;
    try {
      await graph.invoke({ done: [] }, { callbacks: [new OpenTelemetryHandler({ tracer })] });
    } finally {
      context.active = before;
      outer.end();
    }
    expect(tracer.tree()).toEqual([
      "request",
      "  invoke_agent diamond",
      "    step 1",
      "      task a",
      "      task b",
      "    step 2",
      "      task c",
    ]);
  });
});
