import assert from "node:assert/strict";
import {
  AIMessage,
  AIMessageChunk,
  BaseMessage,
  BaseMessageChunk,
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
import { ALL_SAVERS, type Saver } from "./savers.ts";

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
      .constantFrom("text", "contentBlocks", "__proto__", "$", "toJSONs", "lc_id")
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
function define(message: BaseMessage, key: string, value: unknown): void {
  Object.defineProperty(message, key, { value, writable: true, enumerable: true, configurable: true });
}

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

/** All that an object has, but for keyword arguments, and for what is undefined. */
function heldBy(message: BaseMessage): Fields {
  const { lc_kwargs: _kwargs, ...held } = message as unknown as Fields;
  return held;
}
const shown = (ask: () => unknown): string | undefined => {
  try {
    return JSON.stringify(ask());
  } catch (error) {
    return String(error);
  }
};

function expectSame(back: BaseMessage, message: BaseMessage): void {
  expect(Object.getPrototypeOf(back)).toBe(Object.getPrototypeOf(message));
  expect(heldBy(back)).toEqual(heldBy(message));
  expect(Reflect.ownKeys(back)).toEqual(Reflect.ownKeys(message));
  expect(shown(() => back.contentBlocks)).toBe(shown(() => message.contentBlocks));
  expect(shown(() => back.toJSON())).toBe(shown(() => message.toJSON()));
}

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

describe("a message of a class that is not LangChain's comes back as one of the nearest that is (I10)", () => {
  class Mood extends HumanMessage {
    readonly mood: string;
    readonly since = { at: 5 };
    constructor(fields: { content: string; mood: string }) {
      super(fields);
      this.mood = fields.mood;
    }
    static override lc_name() {
      return "Mood";
    }
    isGlad(): boolean {
      return this.mood === "glad";
    }
  }
  class Part extends AIMessageChunk {
    readonly sort = "part";
    static override lc_name() {
      return "Part";
    }
  }
  class Bare extends BaseMessage {
    readonly type = "ai";
  }
  class BareChunk extends BaseMessageChunk {
    readonly type = "ai";
    concat(): this {
      return this;
    }
  }
  class Developer extends BaseMessage {
    readonly type = "developer" as "generic";
    readonly extra = 1;
  }
  // its text stands in a property of its own, where LangChain's have a getter
  class Texts extends AIMessage {
    constructor(text: string) {
      super(text);
      define(this, "text", "own");
    }
  }
  const CASES: readonly (readonly [BaseMessage, Class])[] = [
    [new Mood({ content: "a", mood: "glad" }), HumanMessage],
    [
      new Part({ content: "a", tool_call_chunks: [{ index: 0, name: "f", args: "{", id: "c" }] }),
      AIMessageChunk,
    ],
    [new Bare({ content: "a", id: "b" }), AIMessage],
    [new BareChunk("a"), AIMessageChunk],
    [new Developer({ content: "a", additional_kwargs: { b: 1 } }), ChatMessage],
    [new Texts("a"), AIMessage],
  ];

  it.each(
    CASES.map(([message, nearest]): [string, string, BaseMessage, Class] => [
      message.constructor.name,
      nearest.name,
      message,
      nearest,
    ]),
  )("%s as %s", (_class, _nearest, message, nearest) => {
    const back = roundTrip(message);
    expect(Object.getPrototypeOf(back)).toBe(nearest.prototype);
    expect(heldBy(back)).toMatchObject(heldBy(message));
    expect(back.lc_kwargs).toEqual(message.lc_kwargs);
    expect(shown(() => back.toDict())).toBe(shown(() => message.toDict()));
    expect(codec.encode(back)).toBe(codec.encode(message));
    expect(BaseMessage.isInstance(back)).toBe(true);
  });

  it("by what its text says, and never by the name of a class in it", () => {
    const text = codec.encode(new Mood({ content: "a", mood: "glad" }));
    expect(text).not.toContain("Mood");
    const forged =
      '{"$":"human","content":"a","own":{"lc_namespace":["langchain","prompts"],"__proto__":{"evil":1}}}';
    const back = codec.decode(forged) as BaseMessage;
    expect(Object.getPrototypeOf(back)).toBe(HumanMessage.prototype);
    expect("evil" in back).toBe(false);
  });
});

/** Written before the order of arguments was stored. */
const OLD: readonly (readonly [text: string, made: () => BaseMessage])[] = [
  ['{"$":"human","content":"a","id":"b"}', () => new HumanMessage({ content: "a", id: "b" })],
  [
    '{"$":"human","content":[{"type":"text","text":"a"}],"response_metadata":{"output_version":"v1"}}',
    () =>
      new HumanMessage({
        content: [{ type: "text", text: "a" }],
        response_metadata: { output_version: "v1" },
      }),
  ],
  [
    '{"$":"ai","content":"a","id":"b","additional_kwargs":{"timestamp":1},"tool_calls":[{"name":"f","args":{},"id":"c"}]}',
    () =>
      new AIMessage({
        content: "a",
        id: "b",
        additional_kwargs: { timestamp: 1 },
        tool_calls: [{ name: "f", args: {}, id: "c" }],
      }),
  ],
  [
    '{"$":"ai","content":[{"type":"text","text":"a"}],"response_metadata":{"output_version":"v1"}}',
    () => new AIMessage({ contentBlocks: [{ type: "text", text: "a" }] }),
  ],
  [
    '{"$":"tool","content":"a","id":"b","name":"f","tool_call_id":"c","status":"success","metadata":{"d":1}}',
    () =>
      new ToolMessage({
        content: "a",
        id: "b",
        name: "f",
        tool_call_id: "c",
        status: "success",
        metadata: { d: 1 },
      }),
  ],
  [
    '{"$":"aiChunk","content":"","id":"b","tool_calls":[{"name":"f","args":{},"id":"c","type":"tool_call"}],"tool_call_chunks":[{"name":"f","args":"{}","id":"c","index":0,"type":"tool_call_chunk"}]}',
    () =>
      new AIMessageChunk({
        content: "",
        id: "b",
        tool_call_chunks: [{ name: "f", args: "{}", id: "c", index: 0, type: "tool_call_chunk" }],
      }),
  ],
  [
    '{"$":"toolChunk","content":"a","tool_call_id":"c","metadata":{"page":2}}',
    () => new ToolMessageChunk({ content: "a", tool_call_id: "c", metadata: { page: 2 } } as never),
  ],
  ['{"$":"remove","content":[],"id":"b"}', () => new RemoveMessage({ id: "b" })],
  ['{"$":"generic","content":"a","role":"critic"}', () => new ChatMessage("a", "critic")],
  [
    '{"$":"human","content":"a","kwargs":{"example":true},"own":{"timestamp":5}}',
    () => Object.assign(new HumanMessage({ content: "a", example: true } as never), { timestamp: 5 }),
  ],
];

describe("messages that were stored by an older version (F1)", () => {
  it.each(OLD)("%s", (text, made) => {
    const back = codec.decode(text) as BaseMessage;
    expect(heldBy(back)).toEqual(heldBy(made()));
    expect(shown(() => back.contentBlocks)).toBe(shown(() => made().contentBlocks));
    // what is put again is known to be stored
    expect(codec.encode(back)).toBe(text);
  });
});

const idOf = (id: number): string => `1f0c5b2e-000${id}-6d10-8000-000000000000`;

describe("a message that was made in another way and says the same (F3)", () => {
  it.each(ALL_SAVERS)("is not stored again by $name", async ({ open }) => {
    const { saver, reopen, close } = open();
    const config = { configurable: { thread_id: "thread", checkpoint_ns: "" } };
    const put = (at: Saver, id: number, list: readonly BaseMessage[]) =>
      at.put(
        id === 1 ? config : { configurable: { ...config.configurable, checkpoint_id: idOf(1) } },
        {
          v: 4,
          id: idOf(id),
          ts: new Date(id).toISOString(),
          channel_values: { list },
          channel_versions: { list: id },
          versions_seen: {},
        },
        { source: "loop", step: id, parents: {} },
        { list: id },
      );
    const message = new HumanMessage("one");
    message._updateId("a");
    await put(saver, 1, [message]);
    await put(reopen(), 2, [new HumanMessage({ id: "a", content: "one" })]);
    const stored = async () => {
      const { checkpoint } = (await reopen().getTuple(config)) as CheckpointTuple;
      return (checkpoint.channel_values as { list: [BaseMessage] }).list[0];
    };
    // as it was made first
    expect(Object.keys((await stored()).lc_kwargs).at(-1)).toBe("id");
    await put(reopen(), 3, [new HumanMessage({ id: "a", content: "two" })]);
    expect((await stored()).content).toBe("two");
    await close();
  });
});
