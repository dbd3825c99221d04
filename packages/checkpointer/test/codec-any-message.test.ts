import assert from "node:assert/strict";
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  ChatMessage,
  ChatMessageChunk,
  FunctionMessage,
  FunctionMessageChunk,
  HumanMessage,
  HumanMessageChunk,
  RemoveMessage,
  SystemMessage,
  SystemMessageChunk,
  ToolMessage,
  ToolMessageChunk,
} from "@langchain/core/messages";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { decoded } from "../src/codec/decode.ts";
import { MessageMaker } from "../src/codec/made-messages.ts";
import { MessageReader } from "../src/codec/message-read.ts";
import { createCodec } from "../src/index.ts";
import { ALL_SAVERS } from "./savers.ts";
import { define, expectSame } from "./support/messages.ts";

type Fields = Record<string, unknown>;
type Class = new (fields: never) => BaseMessage;

const codec = createCodec();
const roundTrip = <Message extends BaseMessage>(message: Message): Message =>
  codec.decode(codec.encode(message)) as Message;

const CLASSES: readonly Class[] = [
  HumanMessage,
  AIMessage,
  SystemMessage,
  ToolMessage,
  FunctionMessage,
  ChatMessage,
  RemoveMessage,
  HumanMessageChunk,
  AIMessageChunk,
  SystemMessageChunk,
  ToolMessageChunk,
  FunctionMessageChunk,
  ChatMessageChunk,
];

const record = fc.dictionary(fc.stringMatching(/^[a-z]{1,3}$/), fc.jsonValue({ maxDepth: 1 }), {
  maxKeys: 2,
  noNullPrototype: true,
});
const id = fc.stringMatching(/^[a-f]{4}$/);
const text = fc.record({ type: fc.constant("text"), text: fc.string() });
const call = fc.record({ type: fc.constant("tool_call"), id, name: id, args: record });
const blocks = fc.array(fc.oneof(text, call), { maxLength: 2 });
const invalid = fc.record({ type: fc.constant("invalid_tool_call"), id, name: id, args: id, error: id });
const chunk = fc.record({
  type: fc.constant("tool_call_chunk"),
  index: fc.nat(1),
  id,
  name: id,
  args: fc.json(),
});
const raw = fc.record({
  id,
  type: fc.constant("function"),
  function: fc.record({ name: id, arguments: fc.json() }),
});
const metadata = fc.oneof(
  record,
  fc.constantFrom("v0", "v1").map((output_version) => ({ output_version })),
);

/** What may be said of a message, and how: all of it, some of it, in any order. */
const given: fc.Arbitrary<Fields> = fc
  .record({
    content: fc.oneof(fc.string(), blocks, fc.constantFrom<unknown>(null, undefined)),
    contentBlocks: fc.oneof(blocks, fc.constant(undefined)),
    id,
    name: fc.oneof(id, fc.constant("")),
    additional_kwargs: fc.oneof(
      record,
      fc.array(raw, { maxLength: 1 }).map((tool_calls) => ({ tool_calls })),
    ),
    response_metadata: metadata,
    tool_calls: fc.array(call, { maxLength: 2 }),
    invalid_tool_calls: fc.array(invalid, { maxLength: 1 }),
    tool_call_chunks: fc.array(chunk, { maxLength: 2 }),
    usage_metadata: fc.constantFrom(null, { input_tokens: 1, output_tokens: 2, total_tokens: 3 }),
    tool_call_id: id,
    status: fc.constantFrom("success", "error"),
    artifact: fc.oneof(record, fc.constant(null)),
    metadata: record,
    role: id,
    type: id,
    text: id,
    custom: record,
  })
  .chain((all) => fc.shuffledSubarray(Object.keys(all)).map((keys) => pick(all, keys)));
const pick = (all: Fields, keys: readonly string[]): Fields =>
  Object.fromEntries(keys.map((key) => [key, all[key]]));

/** What a program does to a message later. */
const edits = fc.array(
  fc.oneof(
    id.map((value) => (message: BaseMessage) => message._updateId(value)),
    fc.tuple(id, record).map(
      ([key, value]) =>
        (message: BaseMessage) =>
          define(message, key, value),
    ),
    fc
      .tuple(
        fc.constantFrom("id", "name", "custom", "role", "status", "timestamp", "usage_metadata", "metadata"),
        fc.jsonValue({ maxDepth: 1 }),
      )
      .map(
        ([key, value]) =>
          (message: BaseMessage) =>
            define(message, key, value),
      ),
    // what a class of a program may have as well, where LangChain's have getters and methods
    fc
      .constantFrom("text", "contentBlocks", "__proto__", "$", "lc_id")
      .map((key) => (message: BaseMessage) => define(message, key, ["own"])),
    fc
      .oneof(fc.string(), blocks)
      .map((content) => (message: BaseMessage) => (message.content = content as string)),
    record.map((extra) => (message: BaseMessage) => {
      message.additional_kwargs = extra;
      message.lc_kwargs["additional_kwargs"] = extra;
    }),
    record.map((data) => (message: BaseMessage) => (message.response_metadata = data)),
    fc
      .constantFrom<unknown>([], undefined)
      .map(
        (calls) => (message: BaseMessage) => "tool_calls" in message && define(message, "tool_calls", calls),
      ),
  ),
  { maxLength: 3 },
);
const made = fc
  .tuple(fc.constantFrom(...CLASSES), given, fc.constantFrom("fields", "content", "joined"))
  .map(([of, fields, form]) => {
    if (form === "content") return new of((fields["content"] ?? "") as never);
    if ("type" in fields) fields["type"] = new of({ content: "" } as never).type;
    const message = new of(fields as never);
    return form === "joined" && message instanceof AIMessageChunk
      ? message.concat(new AIMessageChunk("b"))
      : message;
  });

describe("any message comes back as it was (F1)", () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});

  it("however it was made, by whichever constructor of LangChain's", () => {
    fc.assert(
      fc.property(made, (message) => {
        const back = roundTrip(message);
        expectSame(back, message);
        expect(back).toEqual(message);
        expect(codec.encode(back)).toBe(codec.encode(message));
      }),
      { numRuns: 300 },
    );
  });

  it("whatever was done to it since", () => {
    fc.assert(
      fc.property(made, edits, (message, done) => {
        for (const edit of done) edit(message);
        const back = roundTrip(message);
        expectSame(back, message);
        expect(codec.encode(back)).toBe(codec.encode(message));
      }),
      { numRuns: 300 },
    );
  });

  it("be it made by a constructor of LangChain's or of ours", () => {
    const [ours, theirs] = [0, Infinity].map((warmUp) => {
      const messages = new MessageReader(new MessageMaker(warmUp));
      return (text: string) => decoded(text, { tags: new Map(), messages, maxDepth: 1000 });
    });
    fc.assert(
      fc.property(made, edits, (message, done) => {
        for (const edit of done) edit(message);
        const text = codec.encode(message);
        assert.deepStrictEqual(ours?.(text), theirs?.(text));
      }),
      { numRuns: 150 },
    );
  });

  it.each(ALL_SAVERS)("on $name, as an element of a list and as a value", async ({ open }) => {
    const { saver, reopen, close } = open();
    const all = fc.sample(fc.tuple(made, edits), 100).map(([message, done]) => {
      for (const edit of done) edit(message);
      return message;
    });
    const checkpoint = {
      v: 4,
      id: "1f0c5b2e-0000-6d10-8000-000000000000",
      ts: new Date(0).toISOString(),
      channel_values: { list: all, value: { last: all.at(-1) } },
      channel_versions: { list: 1, value: 1 },
      versions_seen: {},
    };
    const config = { configurable: { thread_id: "thread", checkpoint_ns: "" } };
    await saver.put(config, checkpoint, { source: "loop", step: 1, parents: {} }, { list: 1, value: 1 });
    const { checkpoint: stored } = (await reopen().getTuple(config)) as CheckpointTuple;
    const values = stored.channel_values as { list: BaseMessage[]; value: { last: BaseMessage } };
    const back = values.list;
    expect(back).toHaveLength(all.length);
    for (const [i, message] of all.entries()) expectSame(back[i] as BaseMessage, message);
    expectSame(values.value.last, all.at(-1) as BaseMessage);
    await close();
  });
});
