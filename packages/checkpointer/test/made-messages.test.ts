import assert from "node:assert/strict";
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decoded } from "../src/codec/decode.ts";
import { MessageMaker, tried } from "../src/codec/made-messages.ts";
import { kindOfTag, type MakeMessage, type MessageKind } from "../src/codec/message-kinds.ts";
import { MessageReader } from "../src/codec/message-read.ts";
import { defaultCodec } from "../src/index.ts";

type Fields = Record<string, unknown>;
type Class = new (fields: Fields) => BaseMessage;

const CLASSES = {
  human: HumanMessage as unknown as Class,
  system: SystemMessage as unknown as Class,
  ai: AIMessage as unknown as Class,
  tool: ToolMessage as unknown as Class,
};

const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const record = fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.jsonValue({ maxDepth: 2 }), {
  noNullPrototype: true,
});
const call = fc.record({ name: fc.string(), args: record, id: fc.string(), type: fc.constant("tool_call") });
const fields: fc.Arbitrary<Fields> = fc
  .record({
    content: fc.oneof(fc.string(), fc.array(fc.record({ type: fc.constant("text"), text: fc.string() }))),
    id: some(fc.uuid()),
    name: some(fc.string()),
    additional_kwargs: some(record),
    response_metadata: some(record),
    tool_calls: some(fc.array(call, { maxLength: 2 })),
    usage_metadata: some(fc.record({ input_tokens: fc.nat() })),
    tool_call_id: fc.string(),
    status: some(fc.constantFrom("success", "error")),
    artifact: some(record),
  })
  // plain data, as it is read
  .map((made) => JSON.parse(JSON.stringify(made)) as Fields);

function likeHuman(this: Fields, given: Fields): void {
  Object.assign(this, new HumanMessage({ ...given } as never));
}

const tagged = (tag: string): MessageKind => kindOfTag(tag) as MessageKind;
const kindOf = (made: unknown): MessageKind => ({ ...tagged("human"), made: made as MakeMessage });

describe("messages that are made without LangChain's constructors (I10, F2)", () => {
  it.each(Object.entries(CLASSES))("%s: are what the constructor of the class makes", (tag, made) => {
    const maker = new MessageMaker(0);
    const revivers = { tags: new Map(), messages: new MessageReader(maker), maxDepth: 1000 };
    assert(maker.of(tagged(tag)), "LangChain's class has changed: the constructors here have to follow it");
    fc.assert(
      fc.property(fields, (given) => {
        const theirs = new made(given);
        const ours = decoded(defaultCodec.encode(theirs), revivers) as BaseMessage;
        // prototypes and symbols, too, but not the order of properties
        assert.deepStrictEqual(ours, theirs);
        expect(Reflect.ownKeys(ours)).toEqual(Reflect.ownKeys(theirs));
        expect(Object.keys(ours.lc_kwargs)).toEqual(Object.keys(theirs.lc_kwargs));
        expect(JSON.stringify(ours)).toBe(JSON.stringify(theirs));
        expect(ours.contentBlocks).toEqual(theirs.contentBlocks);
        expect(ours).toBeInstanceOf(made);
      }),
      { numRuns: 50 },
    );
  });

  it("come after some that the class makes: a short thread is read without a trial", () => {
    const maker = new MessageMaker(2);
    const made = Array.from({ length: 4 }, () => maker.of(tagged("human")));
    expect(made.map((make) => make !== undefined)).toEqual([false, false, true, true]);
  });

  it("do not share what a program may edit", () => {
    const reader = new MessageReader(new MessageMaker(0));
    const made = () => reader.message({ $: "ai", content: "" }, tagged("ai")) as AIMessage;
    const [one, other] = [made(), made()];
    for (const key of ["lc_kwargs", "lc_namespace", "additional_kwargs", "tool_calls"] as const)
      expect(one[key]).not.toBe(other[key]);
  });

  it("are left to the class where there is none for it", () => {
    const maker = new MessageMaker(0);
    for (const tag of ["generic", "remove", "aiChunk"]) expect(maker.of(tagged(tag))).toBeUndefined();
  });

  it("are left to a class that has come to have more than we know", () => {
    class More extends HumanMessage {
      extra = 1;
    }
    class Other extends HumanMessage {
      constructor(given: Fields) {
        super({ ...given, content: "" } as never);
      }
    }
    expect(tried(kindOf(HumanMessage), likeHuman)).toBeDefined();
    expect(tried(kindOf(More), likeHuman)).toBeUndefined();
    expect(tried(kindOf(Other), likeHuman)).toBeUndefined();
  });
});
