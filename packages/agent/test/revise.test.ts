import { AIMessage, HumanMessage, SystemMessage, type BaseMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, it } from "vitest";
import { compactMessages, createAgent, createMiddleware, isRemoved } from "../src/index.ts";
import { SAVERS } from "./savers.ts";
import { ScriptedModel } from "./scripted-model.ts";

const thread = { configurable: { thread_id: "t" } };
type Tracks = { messages: BaseMessage[]; full_messages: BaseMessage[] };
const said = (id: string): AIMessage => new AIMessage({ id, content: id });
const time = (message: BaseMessage): unknown => message.additional_kwargs["timestamp"];
const texts = (messages: readonly BaseMessage[]): string[] => messages.map(({ text }) => text);

/** A thread q1 a1 q2 a2, of which q1 and a1 are under a summary. */
async function compactedOn(checkpointer: BaseCheckpointSaver) {
  const forget = createMiddleware({
    name: "forget",
    beforeModel: ({ messages }) =>
      messages.length === 3
        ? {
            messages: compactMessages({
              remove: ["q1", "a1"],
              summary: new SystemMessage({ id: "s", content: "so far" }),
            }),
          }
        : undefined,
  });
  const agent = createAgent({
    model: new ScriptedModel(said("a1"), said("a2"), said("a3")),
    middleware: [forget],
    checkpointer,
  });
  for (const id of ["q1", "q2"])
    await agent.invoke({ messages: [new HumanMessage({ id, content: id })] }, thread);
  const tracks = async (): Promise<Tracks> => (await agent.getState(thread)).values as unknown as Tracks;
  return { agent, tracks };
}

describe.each(SAVERS)("reviseHistory on %s (B4)", (name, makeSaver) => {
  const keepsRevisions = !name.startsWith("a saver");

  it("changes the history, and the context where it shows the message; originals can be audited", async () => {
    const { agent, tracks } = await compactedOn(makeSaver());
    const before = await tracks();
    await agent.reviseHistory(thread, {
      replace: [
        { role: "user", id: "q1", content: "edited, covered" },
        new AIMessage({ id: "a2", content: "edited, shown" }),
      ],
    });
    const { messages, full_messages } = await tracks();
    expect(texts(full_messages)).toEqual(["edited, covered", "a1", "q2", "edited, shown"]);
    expect(texts(messages)).toEqual(["so far", "q2", "edited, shown"]);
    expect(full_messages.map(time)).toEqual(before.full_messages.map(time));
    const audited = texts(await agent.revisions(thread, "q1"));
    expect(audited).toEqual(keepsRevisions ? ["q1", "edited, covered"] : ["edited, covered"]);
    expect((await agent.getState(thread)).next).toEqual([]);
    expect(await agent.revisions(thread, "nobody")).toEqual([]);
  });

  it("a removed message leaves its place, and neither the context nor a page of before brings it back", async () => {
    const { agent, tracks } = await compactedOn(makeSaver());
    const { full_messages: shown } = await tracks();
    await agent.reviseHistory(thread, { remove: ["a1", "q2"] });
    const { messages, full_messages } = await tracks();
    expect(texts(full_messages)).toEqual(["q1", "[removed]", "[removed]", "a2"]);
    expect(full_messages.map(isRemoved)).toEqual([false, true, true, false]);
    expect(full_messages.map(({ type }) => type)).toEqual(["human", "ai", "human", "ai"]);
    expect(texts(messages)).toEqual(["so far", "a2"]);
    if (!keepsRevisions) return;
    expect(texts(await agent.revisions(thread, "q2"))).toEqual(["q2", "[removed]"]);
    await agent.invoke({ messages: [...shown, new HumanMessage({ id: "q3", content: "q3" })] }, thread);
    expect(texts((await tracks()).full_messages)).toEqual(["q1", "[removed]", "[removed]", "a2", "q3", "a3"]);
  });

  it("is of a branch, as everything", async () => {
    const { agent, tracks } = await compactedOn(makeSaver());
    const { config } = await agent.getState(thread);
    await agent.invoke({ messages: [new HumanMessage({ id: "q3", content: "q3" })] }, thread);
    const revised = await agent.reviseHistory(config, {
      replace: [{ role: "user", id: "q2", content: "other" }],
    });
    expect(texts(((await agent.getState(revised)).values as unknown as Tracks).full_messages)).toEqual([
      "q1",
      "a1",
      "other",
      "a2",
    ]);
    expect(texts((await tracks()).full_messages).slice(2, 3)).toEqual(["other"]);
  });
});

it.each([
  ["nothing", {}],
  ["a message without an id", { replace: [new HumanMessage("x")] }],
  ["one id twice", { remove: ["q1", "q1"] }],
  ["a message that is not there", { remove: ["nobody"] }],
  ["what is no message", { replace: [{ nonsense: 1 } as never] }],
])("a revision refuses %s, and changes nothing (B4)", async (_, revision) => {
  const { agent, tracks } = await compactedOn(new MemorySaver());
  const before = await tracks();
  await expect(agent.reviseHistory(thread, revision)).rejects.toMatchObject({ code: "INVALID_MESSAGE" });
  expect(await tracks()).toEqual(before);
});

type Hook = "beforeModel" | "afterModel" | "afterAgent";
const hooked = (hook: Hook) => createMiddleware({ name: "gone", [hook]: () => undefined });

/** A thread whose last step was a hook. */
async function endedBy(hook: Hook, answer: AIMessage | Error): Promise<MemorySaver> {
  const checkpointer = new MemorySaver();
  const agent = createAgent({ model: new ScriptedModel(answer), middleware: [hooked(hook)], checkpointer });
  const asked = agent.invoke({ messages: [new HumanMessage({ id: "q1", content: "q1" })] }, thread);
  await asked.catch(() => undefined);
  return checkpointer;
}

const edit = { replace: [{ role: "user", id: "q1", content: "edited" }] } as const;

describe("an agent that has lost a middleware whose hook ran last", () => {
  it("revises the thread, and a turn that a crash left open is answered still", async () => {
    const checkpointer = await endedBy("beforeModel", new Error("the model is down"));
    const model = new ScriptedModel(said("a1"));
    const agent = createAgent({ model, checkpointer });
    await agent.reviseHistory(thread, edit);
    const { messages } = await agent.invoke(null, thread);
    expect(texts(messages)).toEqual(["edited", "a1"]);
    expect(model.sent.map(texts)).toEqual([["edited"]]);
  });

  it.each(["afterModel", "afterAgent"] as const)("leaves a turn ended that ended by %s", async (hook) => {
    const agent = createAgent({
      model: new ScriptedModel(),
      checkpointer: await endedBy(hook, said("a1")),
    });
    await agent.reviseHistory(thread, edit);
    await agent.updateState(thread, { messages: [said("a2")] });
    const { next, values } = await agent.getState(thread);
    expect(next).toEqual([]);
    expect(texts((values as unknown as Tracks).messages)).toEqual(["edited", "a1", "a2"]);
    await expect(agent.updateState(thread, {}, "gone.before_model")).rejects.toMatchObject({
      code: "UNKNOWN_NODE",
    });
  });
});
