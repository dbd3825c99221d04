import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@skein/checkpointer";
import type { GraphRunStream, StreamTransformer } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, createMiddleware, isPartial } from "../src/index.ts";
import { deferred } from "./deferred.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "1" } };

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** A tool that begins and waits until it is let go. */
function waiting() {
  const [begun, go] = [deferred(), deferred()];
  const wait = tool(
    async () => {
      begun.resolve();
      await go.done;
      return "waited";
    },
    { name: "wait", description: "Waits", schema: z.object({}) },
  );
  return { wait, begun: begun.done, go: () => go.resolve() };
}

async function heals(agent: ReturnType<typeof createAgent>): Promise<void> {
  for (let left = 200; left > 0; left -= 1) {
    const { next } = await agent.getState(thread);
    if (next.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const naming =
  (name: string): (() => StreamTransformer<Record<string, string>>) =>
  () => ({ init: () => ({ [name]: name }), process: () => true });

describe("streamEvents of an agent, with version v3", () => {
  it("shows calls of tools with their results while the run goes on", async () => {
    const { wait, begun, go } = waiting();
    const agent = createAgent({ model: new ScriptedModel(calls(["wait", {}, "c"]), "done"), tools: [wait] });
    const run = await agent.streamEvents({ messages: "go" }, { version: "v3" });
    for await (const call of run.toolCalls) {
      await begun;
      expect([call.name, call.callId, call.input]).toEqual(["wait", "c", {}]);
      go();
      expect([await call.output, await call.status, await call.error]).toEqual([
        "waited",
        "finished",
        undefined,
      ]);
    }
    const words: string[] = [];
    for await (const message of run.messages) words.push(...(await all(message.text)));
    expect(words).toEqual(["done"]);
    expect((await run.output).messages.at(-1)?.text).toBe("done");
  });

  it("takes transformers of the agent, its middleware and the call", async () => {
    const agent = createAgent({
      model: new ScriptedModel("hello"),
      streamTransformers: [naming("agents")],
      middleware: [createMiddleware({ name: "watch", streamTransformers: [naming("middlewares")] })],
    });
    const run = await agent.streamEvents(
      { messages: "hi" },
      { version: "v3", transformers: [naming("own")] },
    );
    await run.output;
    expect(run.extensions).toEqual({ middlewares: "middlewares", agents: "agents", own: "own" });
    expect(() => createMiddleware({ name: "bad", streamTransformers: "x" as never })).toThrow(
      /streamTransformers/u,
    );
  });

  it("closes the turn of a run that is aborted: its open call is answered (E8)", async () => {
    const { wait, begun, go } = waiting();
    const model = new ScriptedModel(calls(["wait", {}, "c"]), "done");
    const agent = createAgent({ model, tools: [wait], checkpointer: new MemorySaver() });
    const run = await agent.streamEvents({ messages: "go" }, { version: "v3", ...thread });
    await begun;
    run.abort(new Error("enough"));
    await expect(run.output).rejects.toThrow("enough");
    go();
    await heals(agent as never);
    const { messages } = (await agent.getState(thread)).values;
    expect(messages.map((message) => message.type)).toEqual(["human", "ai", "tool"]);
    expect(messages.at(-1)).toMatchObject({ status: "error", tool_call_id: "c" });
  });

  it("keeps what the model had said of a reply when the run is aborted", async () => {
    const agent = createAgent({
      model: new ScriptedModel("several words that take their time"),
      checkpointer: new MemorySaver(),
    });
    const run: GraphRunStream<object> = await agent.streamEvents(
      { messages: "go" },
      { version: "v3", ...thread },
    );
    for await (const { method, params } of run) {
      if (method !== "messages" || (params.data as { event: string }).event !== "content-block-delta")
        continue;
      run.abort();
      break;
    }
    await run.output.catch(() => undefined);
    await heals(agent as never);
    const last = (await agent.getState(thread)).values.messages.at(-1);
    expect(last !== undefined && isPartial(last)).toBe(true);
    expect(last?.text).toMatch(/^several /u);
  });

  it("waits for its thread, or is refused it, as the agent says", async () => {
    const { wait, begun, go } = waiting();
    const model = new ScriptedModel(calls(["wait", {}, "c"]), "first", "second");
    const agent = createAgent({ model, tools: [wait], checkpointer: new MemorySaver() });
    const first = await agent.streamEvents({ messages: "1" }, { version: "v3", ...thread });
    await begun;
    const refused = agent.streamEvents({ messages: "no" }, { version: "v3", ...thread });
    await expect(refused).rejects.toMatchObject({ code: "THREAD_CONFLICT" });
    const queued = agent.streamEvents({ messages: "2" }, { version: "v3", ...thread, onBusy: "queue" });
    go();
    await first.output;
    const { messages } = await (await queued).output;
    expect(messages.map((message) => message.text)).toEqual(["1", "", "waited", "first", "2", "second"]);
  });

  it("does not end the process when nobody asks why a tool failed", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    try {
      const fails = tool(
        () => {
          throw new Error("disk full");
        },
        { name: "fails", description: "Fails", schema: z.object({}) },
      );
      const agent = createAgent({
        model: new ScriptedModel(calls(["fails", {}, "c"]), "sorry"),
        tools: [fails],
      });
      const run = await agent.streamEvents({ messages: "go" }, { version: "v3" });
      await run.output;
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(unhandled).toEqual([]);
      const [call] = await all(run.toolCalls);
      expect([await call?.status, await call?.error]).toEqual(["error", "disk full"]);
    } finally {
      process.off("unhandledRejection", note);
    }
  });
});

it.each(["v2", "v3"])(
  "events of an agent on a thread come encoded as well, with version %s",
  async (version) => {
    const agent = createAgent({ model: new ScriptedModel("ok"), checkpointer: new MemorySaver() });
    const options = { ...thread, version, encoding: "text/event-stream" };
    const chunks: unknown = await agent.streamEvents({ messages: "go" }, options as never);
    const text = (await all(chunks as AsyncIterable<Uint8Array>)).map((chunk) =>
      new TextDecoder().decode(chunk),
    );
    expect(text.join("")).toContain("event: ");
  },
);
