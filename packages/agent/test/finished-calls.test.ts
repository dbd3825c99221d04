import { HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { tool, type ToolRuntime } from "@langchain/core/tools";
import { Command, interrupt, Overwrite, ReducedValue, StateSchema } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, createMiddleware, type AnyAgentMiddleware } from "../src/index.ts";
import { cancelled, said } from "./said.ts";
import { SAVERS } from "./savers.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };
const fields = { description: "", schema: z.object({}) };

function agentOn(checkpointer: (typeof SAVERS)[number][1], ...more: { beforeModel?: () => undefined }[]) {
  const ran: string[] = [];
  const charge = tool(() => (ran.push("charge"), "receipt 4711"), { name: "charge", ...fields });
  const ask = tool(() => `answer ${String(interrupt("sure?"))}`, { name: "ask", ...fields });
  const model = new ScriptedModel(calls(["charge", {}, "c"], ["ask", {}, "a"]), "after", "later");
  const middleware = more.map((hooks, at) => createMiddleware({ name: `m${at}`, ...hooks }));
  const agent = createAgent({ model, tools: [charge, ask], checkpointer: checkpointer(), middleware });
  return { agent, model, ran };
}

describe.each(SAVERS)("a message that comes while one of several calls waits, %s", (_, make) => {
  it.each([
    ["", []],
    [", behind hooks", [{ beforeModel: () => undefined }, { beforeModel: () => undefined }]],
  ])("loses no result of those that have ended%s", async (_name, hooks) => {
    const { agent, model, ran } = agentOn(make, ...hooks);
    await agent.invoke({ messages: "pay" }, thread);
    await agent.invoke({ messages: "never mind" }, thread);
    expect(said(model.sent[1] ?? [])).toEqual(["pay", "", "c: receipt 4711", cancelled, "never mind"]);
    const kept = ["pay", "", "never mind", "c: receipt 4711", "after"];
    const { values } = await agent.getState(thread);
    expect(said(values.messages)).toEqual(kept);
    expect(said(values.full_messages)).toEqual(kept);
    await agent.invoke({ messages: "and now?" }, thread);
    expect(said(model.sent[2] ?? []).slice(0, 4)).toEqual(["pay", "", "c: receipt 4711", cancelled]);
    expect(ran).toEqual(["charge"]);
  });

  it("hooks see them before the model does, also one that asks", async () => {
    const seen: string[][] = [];
    const beforeModel = (
      state: { messages: BaseMessage[] },
      runtime: { interrupt?: (q: unknown) => unknown },
    ) => {
      if (state.messages.length === 1) return undefined;
      runtime.interrupt?.("go on?");
      seen.push(said(state.messages));
      return undefined;
    };
    const { agent, model } = agentOn(make, { beforeModel: beforeModel as never });
    await agent.invoke({ messages: "pay" }, thread);
    await agent.invoke({ messages: "never mind" }, thread);
    await agent.invoke(new Command({ resume: "yes" }), thread);
    expect(seen).toEqual([["pay", "", "never mind", "c: receipt 4711"]]);
    expect(said(model.sent[1] ?? [])).toEqual(["pay", "", "c: receipt 4711", cancelled, "never mind"]);
  });

  it.each([
    ["", []],
    [", behind a hook", [{ beforeModel: () => undefined }]],
  ])("loses nothing else that they wrote%s", async (_name, hooks) => {
    const order = tool(
      (_: unknown, { toolCallId }: ToolRuntime) => {
        const said = [
          new ToolMessage({ content: "ordered", tool_call_id: toolCallId }),
          new HumanMessage("photo"),
        ];
        return new Command({ update: { orders: ["O1"], last: "O1", messages: said } });
      },
      { name: "order", ...fields },
    );
    const other = tool(
      (_: unknown, { toolCallId }: ToolRuntime) =>
        new Command({
          update: { orders: ["O2"], messages: [new ToolMessage({ content: "2", tool_call_id: toolCallId })] },
        }),
      { name: "other", ...fields },
    );
    const ask = tool(() => `answer ${String(interrupt("sure?"))}`, { name: "ask", ...fields });
    const agent = createAgent({
      model: new ScriptedModel(
        calls(["order", {}, "o"], ["other", {}, "p"], ["ask", {}, "a"]),
        "after",
        "later",
      ),
      tools: [order, other, ask],
      stateSchema: new StateSchema({
        orders: new ReducedValue(z.array(z.string()).default([]), { reducer: (a, b) => [...a, ...b] }),
        last: z.string().optional(),
        any: z.unknown(),
      }),
      middleware: hooks.map((one) => createMiddleware({ name: "m", ...one })),
      checkpointer: make(),
    });
    await agent.invoke({ messages: "order" }, thread);
    await agent.invoke({ messages: "never mind" }, thread);
    const { messages, orders, last } = await agent.invoke({ messages: "and now?" }, thread);
    expect(said(messages)).toEqual([
      "order",
      "",
      "never mind",
      "o: ordered",
      "photo",
      "p: 2",
      "after",
      "and now?",
      "later",
    ]);
    expect([orders, last]).toEqual([["O1", "O2"], "O1"]);
  });

  it("tells none as cancelled when that turn is stopped before its first node has ended", async () => {
    const stop = new AbortController();
    const stopping = () => {
      if (model.sent.length > 0) stop.abort();
      return undefined;
    };
    const { agent, model, ran } = agentOn(make, { beforeModel: stopping });
    await agent.invoke({ messages: "pay" }, thread);
    const stopped = agent.invoke({ messages: "never mind" }, { ...thread, signal: stop.signal });
    await expect(stopped).rejects.toThrow("aborted");
    await agent.invoke({ messages: "and now?" }, thread);
    expect(said(model.sent[1] ?? [])).toEqual([
      "pay",
      "",
      "c: receipt 4711",
      cancelled,
      "never mind",
      "and now?",
    ]);
    expect(ran).toEqual(["charge"]);
  });

  it("an answer is as ever", async () => {
    const { agent, ran } = agentOn(make);
    await agent.invoke({ messages: "pay" }, thread);
    const { messages } = await agent.invoke(new Command({ resume: "yes" }), thread);
    expect(said(messages)).toEqual(["pay", "", "c: receipt 4711", "a: answer yes", "after"]);
    expect(ran).toEqual(["charge"]);
  });
});

const State = new StateSchema({
  orders: new ReducedValue(z.array(z.string()).default([]), { reducer: (a, b) => [...a, ...b] }),
  sum: new ReducedValue(z.number().default(0), { reducer: (a, b) => a + b }),
  last: z.string().optional(),
  any: z.unknown(),
  __mine: z.string().optional(),
  "branch:x": z.string().optional(),
});

/** An agent whose calls have ended with these updates, beside one that waits. */
async function waitingAfter(
  make: (typeof SAVERS)[number][1],
  updates: readonly (readonly [string, unknown])[][],
  ...middleware: AnyAgentMiddleware[]
) {
  const tools = updates.map((update, at) =>
    tool(
      (_: unknown, { toolCallId }: ToolRuntime) => {
        const result = new ToolMessage({ content: "done", tool_call_id: toolCallId });
        return new Command({ update: [...update, ["messages", [result]]] as [string, unknown][] });
      },
      { name: `write${at}`, ...fields },
    ),
  );
  const ask = tool(() => `answer ${String(interrupt("sure?"))}`, { name: "ask", ...fields });
  const writing = tools.map(({ name }, at): [string, Record<string, unknown>, string] => [
    name,
    {},
    `w${at}`,
  ]);
  const model = new ScriptedModel(calls(...writing, ["ask", {}, "a"]), "after", "later");
  const agent = createAgent({
    model,
    tools: [...tools, ask],
    stateSchema: State,
    middleware,
    checkpointer: make(),
  });
  // two that wrote a key of one value fail here, as in any graph
  await agent.invoke({ messages: "write" }, thread).catch(() => undefined);
  return agent;
}

const nothing = createMiddleware({ name: "nothing", beforeModel: () => undefined });
const hookWrites = createMiddleware({
  name: "hook",
  stateSchema: State,
  beforeModel: ({ messages }) => (messages.length > 1 ? { last: "own", orders: ["own"] } : undefined),
});
const wrapWrites = createMiddleware({
  name: "wrap",
  wrapModelCall: (request, handler) =>
    request.messages.length > 1
      ? (new Command({ update: { last: "own", orders: ["own"] } }) as never)
      : handler(request),
});

describe.each(SAVERS)("what finished calls wrote is written as in steps of their own, %s", (_, make) => {
  const both = [
    [
      ["last", "A"],
      ["orders", ["A"]],
    ],
    [
      ["last", "B"],
      ["orders", ["B"]],
    ],
  ] as [string, unknown][][];

  it.each([
    ["the model's node", [], "B", ["A", "B"]],
    ["a hook", [nothing], "B", ["A", "B"]],
    ["a hook that writes the keys as well", [hookWrites], "own", ["A", "B", "own"]],
    ["a wrap that writes the keys as well", [wrapWrites], "own", ["A", "B", "own"]],
  ] as const)("by %s", async (_name, middleware, last, orders) => {
    const agent = await waitingAfter(make, both, ...middleware);
    const values = await agent.invoke({ messages: "never mind" }, thread);
    expect([values.last, values.orders]).toEqual([last, orders]);
  });

  it("by healing, each of several writes of one call", async () => {
    const stop = new AbortController();
    const stopping = createMiddleware({
      name: "stopping",
      beforeModel: ({ messages }) => (messages.length > 1 ? stop.abort() : undefined),
    });
    const sums = both.map((one): [string, unknown][] => [["sum", 1], ["sum", 2], ...one]);
    const agent = await waitingAfter(make, sums, stopping);
    const stopped = agent.invoke({ messages: "never mind" }, { ...thread, signal: stop.signal });
    await expect(stopped).rejects.toThrow("aborted");
    await agent.heal(thread);
    const { values } = await agent.getState(thread);
    expect([values.sum, values.last, values.orders]).toEqual([6, "B", ["A", "B"]]);
  });

  it("also an Overwrite, the last one", async () => {
    const agent = await waitingAfter(make, [
      [["orders", new Overwrite(["A"])]],
      [["orders", new Overwrite(["B"])]],
    ]);
    expect(await agent.invoke({ messages: "never mind" }, thread)).toMatchObject({ orders: ["B"] });
  });

  it("also data that only looks like an Overwrite (I10)", async () => {
    const order = { __overwrite__: "A" };
    const agent = await waitingAfter(make, [[["any", order]]]);
    expect(await agent.invoke({ messages: "never mind" }, thread)).toMatchObject({ any: order });
  });

  it("under any key that a state may have", async () => {
    const agent = await waitingAfter(make, [
      [
        ["__mine", "kept"],
        ["branch:x", "kept"],
      ],
    ]);
    await agent.invoke({ messages: "never mind" }, thread);
    const { values } = await agent.getState(thread);
    expect(values).toMatchObject({ __mine: "kept", "branch:x": "kept" });
  });

  it("beside an edit of an earlier message", async () => {
    const edit = tool(
      (_: unknown, { toolCallId }: ToolRuntime) => {
        const result = new ToolMessage({ content: "edited", tool_call_id: toolCallId });
        return new Command({
          update: { messages: [new HumanMessage({ id: "u", content: "EDITED" }), result] },
        });
      },
      { name: "edit", ...fields },
    );
    const ask = tool(() => `answer ${String(interrupt("sure?"))}`, { name: "ask", ...fields });
    const model = new ScriptedModel(calls(["edit", {}, "e"], ["ask", {}, "a"]), "after");
    const agent = createAgent({ model, tools: [edit, ask], checkpointer: make() });
    await agent.invoke({ messages: [new HumanMessage({ id: "u", content: "edit" })] }, thread);
    const { messages } = await agent.invoke({ messages: "never mind" }, thread);
    expect(said(model.sent[1] ?? [])).toEqual(["EDITED", "", "e: edited", cancelled, "never mind"]);
    expect(said(messages)).toEqual(["EDITED", "", "never mind", "e: edited", "after"]);
  });
});
