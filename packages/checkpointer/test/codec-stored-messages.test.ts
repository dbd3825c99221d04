import {
  AIMessage,
  AIMessageChunk,
  BaseMessage,
  BaseMessageChunk,
  ChatMessage,
  HumanMessage,
  RemoveMessage,
  ToolMessage,
  ToolMessageChunk,
} from "@langchain/core/messages";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { createCodec } from "../src/index.ts";
import { ALL_SAVERS, type Saver } from "./savers.ts";
import { define, heldBy, shown } from "./support/messages.ts";

type Class = new (fields: never) => BaseMessage;

const codec = createCodec();
const roundTrip = <Message extends BaseMessage>(message: Message): Message =>
  codec.decode(codec.encode(message)) as Message;

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
