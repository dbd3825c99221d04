import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { context, ROOT_CONTEXT, trace, type Context, type ContextManager } from "@opentelemetry/api";
import { createAgent, createMiddleware } from "@skein/agent";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { openTelemetryMiddleware } from "../src/opentelemetry/index.ts";
import { RecordingTracer } from "./recording-tracer.ts";
import { call, saying } from "./replies.ts";
import { ScriptedModel } from "./scripted-model.ts";

/** As the SDK for Node registers one; the SDK would bring a second copy of the packages that it is a peer of. */
class StorageContextManager implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT;
  }
  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    within: Context,
    fn: F,
    thisArg?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.#storage.run(within, () => fn.call(thisArg, ...args));
  }
  bind<T>(_within: Context, target: T): T {
    return target;
  }
  enable(): this {
    return this;
  }
  disable(): this {
    this.#storage.disable();
    return this;
  }
}

let tracer: RecordingTracer;
beforeEach(() => {
  tracer = new RecordingTracer();
  context.setGlobalContextManager(new StorageContextManager());
});
afterEach(() => context.disable());

/** What instrumented code does: a span below the active one, active while something is done. */
async function inSpan<Result>(name: string, what: () => Promise<Result>): Promise<Result> {
  const span = tracer.startSpan(name, {}, context.active());
  try {
    return await context.with(trace.setSpan(context.active(), span), what);
  } finally {
    span.end();
  }
}
const traced = (): ReturnType<typeof openTelemetryMiddleware> => openTelemetryMiddleware({ tracer });
/** A model whose calls go over an instrumented network. */
const remote = (reply: AIMessage) =>
  new ScriptedModel(() => {
    tracer.startSpan("HTTP POST", {}, context.active()).end();
    return reply;
  });
const noArguments = z.object({});

describe("within a call of a model or tool its span is active", () => {
  it("for spans of tools, of what they call, and of parallel calls each its own", async () => {
    const inner = createAgent({ model: saying("inner"), name: "inner", middleware: [traced()] });
    const query = tool(
      async ({ of }: { of: string }) => inSpan(`query ${of}`, () => sleep(of === "a" ? 20 : 5, of)),
      { name: "query", description: "Queries", schema: z.object({ of: z.string() }) },
    );
    const ask = tool(
      () => inSpan("asking", async () => (await inner.invoke({ messages: "?" })).messages.at(-1)?.text),
      {
        name: "ask",
        description: "Asks",
        schema: noArguments,
      },
    );
    const calls = [call("query", { of: "a" }, "1"), call("query", { of: "b" }, "2"), call("ask", {}, "3")];
    const agent = createAgent({ model: saying(calls, "ok"), tools: [query, ask], middleware: [traced()] });
    await inSpan("request", () => agent.invoke({ messages: "go" }));
    const tools = tracer.tree().slice(5, -3);
    expect(tools).toEqual([
      "    step 2",
      ...["a", "b"].flatMap((of) => [
        "      task tools",
        "        execute_tool query",
        `          query ${of}`,
      ]),
      "      task tools",
      "        execute_tool ask",
      "          asking",
      "            invoke_agent inner",
      "              step 1",
      "                task model_request",
      "                  chat Replies",
    ]);
    for (const of of ["a", "b"]) {
      const { parent } = tracer.named(`query ${of}`);
      expect([parent?.name, parent?.attributes["gen_ai.tool.call.id"]]).toEqual([
        "execute_tool query",
        of === "a" ? "1" : "2",
      ]);
    }
    expect(tracer.tree()[0]).toBe("request");
    expect(tracer.spans.every(({ ends }) => ends === 1)).toBe(true);
  });

  it("for what a model sends, in each attempt anew, and not for what comes after", async () => {
    const after: (string | undefined)[] = [];
    const twice = createMiddleware({
      name: "twice",
      wrapModelCall: async (request, handler) => {
        await handler(request);
        after.push((trace.getActiveSpan() as { name?: string } | undefined)?.name);
        return handler(request);
      },
    });
    const agent = createAgent({ model: remote(new AIMessage("ok")), middleware: [traced(), twice] });
    await agent.invoke({ messages: "go" });
    expect(tracer.tree()).toEqual([
      "invoke_agent",
      "  step 1",
      "    task model_request",
      "      chat ScriptedModel",
      "        HTTP POST",
      "      chat ScriptedModel",
      "        HTTP POST",
    ]);
    expect(after).toEqual([undefined]);
  });
});

it("the agent is the same with it: no tools node, no state of its own", () => {
  const plain = createAgent({ model: saying("ok") });
  const observed = createAgent({ model: saying("ok"), middleware: [traced()] });
  expect([...observed.graph.program.nodes.keys()]).toEqual([...plain.graph.program.nodes.keys()]);
  expect([...observed.graph.program.channels.keys()]).toEqual([...plain.graph.program.channels.keys()]);
});

it("around that is no function is refused", () => {
  const wrong = { name: "wrong", around: "nothing" };
  expect(() => createMiddleware(wrong as never)).toThrow("around must be a function");
});
