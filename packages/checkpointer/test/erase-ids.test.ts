import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { Document } from "@langchain/core/documents";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SAVERS, type Saver } from "./savers.ts";
import { at, idOf } from "./turns.ts";

const call = (id: string, card: string) =>
  new AIMessage({ content: "", tool_calls: [{ id, name: "pay", args: { card } }] });

describe.each(SAVERS)("what eraseMessage of $name takes for the message (B9)", (kind) => {
  let saver: Saver;
  let close: () => Promise<void>;
  beforeEach(() => ({ saver, close } = kind.open()));
  afterEach(() => close());

  const put = (channel_values: Record<string, unknown>, metadata: object = {}) =>
    saver.put(
      { configurable: { thread_id: "t", checkpoint_ns: "" } },
      {
        v: 4,
        id: idOf(1),
        ts: "2026-01-01T00:00:00.000Z",
        channel_values,
        channel_versions: {},
        versions_seen: {},
      },
      { source: "update", step: 0, parents: {}, ...metadata },
      Object.fromEntries(Object.keys(channel_values).map((channel) => [channel, 1])),
    );
  const values = async () => (await saver.getTuple(at("t")))?.checkpoint.channel_values ?? {};

  const OTHERS = {
    todos: [{ id: "1", title: "Buy milk" }],
    user: { id: "1", name: "Ada", role: "admin", type: "person" },
    note: { id: "1", type: "note", content: "a note is no message" },
    page: new Document({ id: "1", pageContent: "a page", metadata: { of: "a book" } }),
    block: [{ type: "tool_use", id: "1", name: "f", input: { q: "keep me" } }],
  };

  it("is no object of another kind that has the same id", async () => {
    const ai = new AIMessage({
      id: "2",
      content: "",
      tool_calls: [{ id: "1", name: "f", args: { q: "keep me" } }],
    });
    await put({ messages: [new HumanMessage({ id: "1", content: "secret" }), ai], ...OTHERS });
    expect(await saver.eraseMessage(at("t"), "1")).toMatchObject({ threads: ["t"] });
    expect(await values()).toMatchObject({
      messages: [
        { id: "1", content: "[erased]" },
        { id: "2", tool_calls: [{ id: "1", args: { q: "keep me" } }] },
      ],
      ...OTHERS,
    });
  });

  it("is nothing where no message has the id", async () => {
    await put({ messages: [new HumanMessage({ id: "h", content: "hello" })], ...OTHERS });
    expect(await saver.eraseMessage(at("t"), "1")).toEqual({
      threads: [],
      items: 0,
      writes: 0,
      checkpoints: 0,
    });
    expect(await values()).toMatchObject(OTHERS);
  });

  const plain: unknown = JSON.parse(JSON.stringify(new HumanMessage({ id: "1", content: "secret" })));
  it.each([
    ["an object with a role", { id: "1", role: "user", content: "secret" }],
    ["an object with a type", { id: "1", type: "human", content: [{ type: "text", text: "secret" }] }],
    ["a constructor in JSON", plain],
    ["a message of an older store", new HumanMessage({ id: "1", content: "secret" }).toDict()],
  ])("is %s", async (_, message) => {
    await put({ kept: [message, { ...(message as object) }] });
    expect(await saver.eraseMessage(at("t"), "1")).toMatchObject({ threads: ["t"] });
    const text = JSON.stringify(await values());
    expect(text).toContain("[erased]");
    expect(text).not.toContain("secret");
  });

  it("is no message without an id that says nothing, as it does, but one with its calls", async () => {
    const ai = new AIMessage({ ...call("c1", "secret"), id: "1" } as never);
    await put({ messages: [ai], drafts: [call("c1", "secret"), call("c2", "keep me")] });
    await saver.eraseMessage(at("t"), "1");
    const text = JSON.stringify(await values());
    expect(text).not.toContain("secret");
    expect(text).toContain("keep me");
  });

  it("is what older versions of LangGraph tell of updates in metadata", async () => {
    const writes = { __start__: { messages: ["ok", ["user", "ok"]], topic: "ok" } };
    await put({ messages: [new HumanMessage({ id: "1", content: "ok" })] }, { writes });
    await saver.eraseMessage(at("t"), "1");
    expect((await saver.getTuple(at("t")))?.metadata).toMatchObject({
      writes: { __start__: { messages: ["[erased]", ["user", "[erased]"]], topic: "ok" } },
    });
  });
});
