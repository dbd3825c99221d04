import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { START, StateGraph, StateSchema } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { compactMessages, createAgent, dualTrackMessages, type ReactAgent } from "../src/index.ts";
import { SAVERS } from "./savers.ts";
import { ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "1" } };
const first = new HumanMessage({ id: "u1", content: "my iban is DE44" });

/** As a server sends LangChain's messages: `{ lc: 1, type: "constructor", id: [...], kwargs }`. */
const json = (messages: readonly BaseMessage[]) => JSON.parse(JSON.stringify(messages)) as BaseMessage[];
const texts = (messages: readonly BaseMessage[]): string[] => messages.map(({ text }) => text);

// a saver of whole states has no revisions
const [memory, sqlite] = SAVERS;

describe.each([memory!, sqlite!])("a conversation posted back as LangChain's JSON, on %s", (_name, make) => {
  /** A question, a call, its result and an answer; the next answer is there, too. */
  async function begun() {
    const look = tool(() => "a result", { name: "look", description: "looks", schema: z.object({}) });
    const asking = new AIMessage({ content: "", tool_calls: [{ id: "1", name: "look", args: {} }] });
    const model = new ScriptedModel(asking, "one", "two");
    const agent = createAgent({ model, tools: [look], checkpointer: make() }) as unknown as ReactAgent;
    const history = async () => (await agent.history(thread)).messages;
    const post = (...messages: unknown[]) => agent.invoke({ messages } as never, thread);
    const revisions = async () => {
      const ids = (await history()).map(({ id }) => id as string);
      return Promise.all(ids.map(async (id) => (await agent.revisions(thread, id)).length));
    };
    await post(first);
    return { agent, history, post, revisions, shown: await history() };
  }

  it("revises nothing", async () => {
    const { history, post, revisions, shown } = await begun();
    await post(...json(shown), { role: "user", content: "q2" });
    expect((await history()).slice(0, 4)).toEqual(shown);
    expect(await revisions()).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it("has an edit among it, under the time of what it takes the place of", async () => {
    const { history, post, revisions, shown } = await begun();
    await post(...json([new HumanMessage({ id: "u1", content: "edited" }), ...shown.slice(1)]));
    expect(await revisions()).toEqual([2, 1, 1, 1, 1]);
    const [edited] = await history();
    expect(edited).toMatchObject({ text: "edited", additional_kwargs: shown[0]?.additional_kwargs });
  });

  it("does not bring back what was erased, nor does it reach stored inputs", async () => {
    const { agent, history, post, shown } = await begun();
    await agent.eraseMessage(thread, "u1");
    await post(...json(shown), { role: "user", content: "q2" });
    expect(texts(await history())).toEqual(["[erased]", "", "a result", "one", "q2", "two"]);
    const saver = agent.checkpointer as ReturnType<typeof make>;
    for await (const stored of saver.list(thread)) expect(JSON.stringify(stored)).not.toContain("DE44");
  });

  it("does not undo a compaction", async () => {
    let next: unknown = { messages: compactMessages({ remove: ["u1"] }) };
    const graph = new StateGraph(new StateSchema(dualTrackMessages()))
      .addNode("node", () => next as { messages: BaseMessage[] })
      .addEdge(START, "node")
      .compile({ checkpointer: make() });
    await graph.invoke({ messages: [first, new HumanMessage({ id: "u2", content: "two" })] }, thread);
    next = {};
    const { full_messages } = (await graph.getState(thread)).values;
    await graph.invoke({ messages: [...json(full_messages), new HumanMessage("three")] }, thread);
    const { values } = await graph.getState(thread);
    expect(texts(values.messages)).toEqual(["two", "three"]);
    expect(texts(values.full_messages)).toEqual([first.text, "two", "three"]);
  });
});
