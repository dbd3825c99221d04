import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ALL_SAVERS, type Saver } from "./savers.ts";
import { at, checkpoint } from "./support/puts.ts";

const SECRET = "my new address is 12 Wool Street, Knittingham, and nobody knows";
const LINK = "https://example.com/a/very/long/path/that/is?with=a+query";
const DIGITS = "123456789012345678901234567890123456";
/** A name that is as long as a quote. */
const TOOL = "look_up_where_somebody_lives_in_a_register";
const CALL = "call_0123456789abcdef0123456789abcdef";

/** Fields whose texts are names in messages, in calls and in tags. */
const FIELDS = [
  "$",
  "additional_kwargs",
  "args",
  "content",
  "id",
  "k",
  "kwargs",
  "lc",
  "name",
  "response_metadata",
  "role",
  "status",
  "tool_call_id",
  "type",
  "v",
];

describe.each(ALL_SAVERS)("what eraseMessage of $name takes for a text (B9)", (kind) => {
  let saver: Saver;
  let close: () => Promise<void>;
  beforeEach(() => ({ saver, close } = kind.open()));
  afterEach(() => close());

  const put = (values: Record<string, unknown>, metadata: object = {}) =>
    saver.put(
      at(),
      checkpoint("1", values),
      { source: "update", step: 0, parents: {}, ...metadata },
      Object.fromEntries(Object.keys(values).map((channel) => [channel, 1])),
    );
  const values = async () => (await saver.getTuple(at()))?.checkpoint.channel_values ?? {};
  const stored = async () => {
    let lines = "";
    for await (const line of saver.exportThread("t")) lines += line;
    return lines;
  };
  const secret = new HumanMessage({ id: "m", content: SECRET });

  it.each(FIELDS)('a quote in a field "%s" of an object of the state', async (field) => {
    const row = { [field]: `It says: ${SECRET}` };
    const list = [{ deep: row }, { $: "=", v: row }];
    const metadata = { note: row };
    const call = { id: "c", name: "save", args: { row: { ...row } } };
    const ai = new AIMessage({ id: "ai", content: "", tool_calls: [call], additional_kwargs: { row } });
    const tool = new ToolMessage({ id: "tool", tool_call_id: "c", content: "", artifact: { row } });
    await put({ messages: [secret, ai, tool], row, list, long: [row, "x".repeat(2000)] }, metadata);
    await saver.putWrites(at("1"), [["row", row]], "task");
    await saver.eraseMessage(at(), "m");
    expect(await stored()).not.toContain("Knittingham");
    const erased = { [field]: "It says: [erased]" };
    expect(await values()).toMatchObject({ row: erased, list: [{ deep: erased }, { $: "=", v: erased }] });
    expect((await saver.getTuple(at()))?.pendingWrites).toEqual([["task", "row", erased]]);
  });

  it.each(FIELDS)('what was said in a field "%s" of what a call was given', async (field) => {
    const call = { id: "c", name: "save", args: { row: { [field]: SECRET } } };
    const ai = new AIMessage({ id: "m", content: "", tool_calls: [call] });
    const tool = new ToolMessage({ id: "tool", tool_call_id: "c", content: `Saved ${SECRET}.` });
    await put({ messages: [ai, tool] });
    await saver.eraseMessage(at(), "m");
    expect(await stored()).not.toContain("Knittingham");
  });

  it("and not the names and ids of messages, calls and blocks, however long", async () => {
    const ID = "1f1ea227-cc74-6da0-800a-06d1d63ec92c";
    const human = new HumanMessage({ id: "m", content: `Call ${TOOL} as ${CALL} for message ${ID}, please` });
    const call = { id: CALL, name: TOOL, args: { of: "Ada" }, type: "tool_call" as const };
    const block = { type: "tool_use", id: CALL, name: TOOL, input: { of: "Ada" } };
    const ai = new AIMessage({
      id: ID,
      name: TOOL,
      content: [block],
      tool_calls: [call],
      additional_kwargs: {
        tool_calls: [{ id: CALL, type: "function", function: { name: TOOL, arguments: '{"of":"Ada"}' } }],
      },
    });
    const tool = new ToolMessage({ id: "tool", tool_call_id: CALL, name: TOOL, content: "found" });
    const others = {
      given: { role: "assistant", content: "", tool_calls: [call] },
      serialized: JSON.parse(JSON.stringify(tool)) as object,
      result: { role: "user", content: [{ type: "tool_result", tool_use_id: CALL, content: "found" }] },
      task: call,
    };
    await put({ messages: [human, ai, tool], ...others });
    const interrupt = { id: "0123456789abcdef0123456789abcdef", value: "Go on?" };
    await saver.putWrites(at("1"), [["__interrupt__", [interrupt]]], "task");
    await saver.eraseMessage(at(), "m");
    const left = await values();
    expect(left).toMatchObject(others);
    expect((left["messages"] as unknown[]).slice(1)).toMatchObject([
      { id: ID, name: TOOL, content: [block], tool_calls: [call], additional_kwargs: ai.additional_kwargs },
      { tool_call_id: CALL, name: TOOL, content: "found" },
    ]);
    expect((await saver.getTuple(at()))?.pendingWrites).toEqual([["task", "__interrupt__", [interrupt]]]);
  });

  it("nor what makes a stored value one: links, numbers and bytes of the message leave a text", async () => {
    const bytes = new Float64Array(8).fill(1.1);
    const base64 = Buffer.from(bytes.buffer).toString("base64");
    const pattern = /([a-z0-9]+)(more text of a pattern)+/;
    const said = `${LINK} and ${DIGITS} and ${base64} and ${pattern.source.slice(2)}`;
    await put({
      messages: [new HumanMessage({ id: "m", content: said })],
      link: new URL(LINK),
      longer: { link: new URL(`https://other.example/?q=${LINK}`) },
      digits: BigInt(DIGITS),
      bytes,
      pattern,
      tag: { $: "url", v: LINK },
    });
    await saver.eraseMessage(at(), "m");
    expect(await values()).toMatchObject({
      link: "[erased]",
      longer: { link: new URL("https://other.example/?q=[erased]") },
      digits: "[erased]",
      bytes: "[erased]",
      pattern: "([[erased]",
      tag: { $: "url", v: "[erased]" },
    });
  });
});
