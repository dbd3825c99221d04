import { AIMessage, BaseMessage, HumanMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCodec } from "../src/codec/codec.ts";
import { cutMessage } from "../src/codec/cut-message.ts";

/** All that a message has, in its order. */
const told = (message: unknown): string =>
  JSON.stringify([Object.getPrototypeOf(message)?.constructor?.name, Object.entries(message as object)]);

const letters = "lorem ipsum dolor sit amet ".repeat(10);
const content = fc.oneof(
  fc.constant(letters),
  fc.constantFrom(
    letters,
    `${letters}é`,
    `${letters}東京 👩‍👩‍👧`,
    `${letters}\n${letters}`,
    `"${letters}"`,
    `${letters}\\`,
  ),
  fc.string({ minLength: 180, maxLength: 300, unit: "binary" }),
);
const stamp = fc.oneof(
  fc.constantFrom(
    0,
    -0,
    -1,
    1.5,
    1e21,
    Number.NaN,
    999_999_999_999_999,
    1_000_000_000_000_000,
    2 ** 53,
    "1",
    null,
    {},
  ),
  fc.nat({ max: 2 ** 31 }),
);
const kwargs = fc.oneof(
  stamp.map((timestamp) => ({ timestamp })),
  fc.record({ timestamp: stamp, more: fc.jsonValue() }),
  fc.constantFrom({}, { $: "human" }, { deep: { $: "date", v: 1 } }, { at: new Date(0) }, { __proto__x: 1 }),
  fc.dictionary(fc.string(), fc.jsonValue()),
);
const fields = fc.record(
  {
    id: fc.oneof(fc.uuid(), fc.string(), fc.constantFrom('a"b', "a\\b", "東", "x".repeat(80))),
    content,
    name: fc.constant("n"),
    additional_kwargs: kwargs,
    response_metadata: kwargs,
    usage_metadata: fc.constant({ input_tokens: 1, output_tokens: 2, total_tokens: 3 }),
  },
  { requiredKeys: ["id", "content"] },
);
/** Keyword arguments in some order; the content first, more often than not. */
const shuffled = fc.tuple(fields, fc.boolean(), fc.infiniteStream(fc.nat())).map(([all, first, at]) => {
  const keys = Object.keys(all).toSorted(() => (at.next().value as number) - 2 ** 30);
  return Object.fromEntries((first ? ["content", ...keys] : keys).map((key) => [key, Reflect.get(all, key)]));
});

describe("a message whose text is cut instead of parsed (B3)", () => {
  it("is what parsing makes of it, whatever it holds", () => {
    const codec = createCodec();
    let cut = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(HumanMessage, AIMessage),
        shuffled,
        fc.boolean(),
        (Made, { id, ...given }, isLate) => {
          // as the reducer of messages does, to those that have none
          const made: BaseMessage = new Made((isLate ? given : { ...given, id }) as never);
          if (isLate) Object.assign(made, { id }).lc_kwargs["id"] = id;
          const text = codec.encode(made);
          if (cutMessage(text) !== undefined) cut += 1;
          const message = codec.decode(text, true);
          expect(told(message)).toBe(told(codec.decode(text)));
          expect(codec.encode(message)).toBe(text);
        },
      ),
      { numRuns: 1000 },
    );
    expect(cut).toBeGreaterThan(100);
  });

  const start = `{"$":"ai","id":"i","content":"${letters}"`;
  it.each([
    ["nothing more", `${start}}`],
    ["a time", `${start},"additional_kwargs":{"timestamp":1795739964529}}`],
    ["fields that come twice", `${start},"id":"j","content":"other"}`],
    [
      "metadata before additional arguments",
      `${start},"response_metadata":{"a":1},"additional_kwargs":{"b":2}}`,
    ],
    ["a second tag", `${start},"$":"human"}`],
    ["a field of its own", `${start},"own":{"mine":1}}`],
    ["an order that is written out", `${start},"name":"n","k":"nci"}`],
    ["a value with a tag", `${start},"additional_kwargs":{"at":{"$":"date","v":0}}}`],
    ["a key of the prototype", `${start},"kwargs":{"__proto__":{"a":1}},"k":["*","__proto__"]}`],
  ])("is what parsing makes of it: %s", (_, text) => {
    const codec = createCodec();
    expect(told(codec.decode(text, true))).toBe(told(codec.decode(text)));
    expect(codec.decode(text, true)).toBeInstanceOf(BaseMessage);
  });

  it.each([
    ["without an end", start],
    ["behind a comma", `${start},`],
    ["with two ends", `${start}}}`],
    ["with another end", `${start}]`],
    ["without a time", `${start},"additional_kwargs":{"timestamp":}}`],
    ["with a time that is no number", `${start},"additional_kwargs":{"timestamp":01}}`],
    ["behind a time", `${start},"additional_kwargs":{"timestamp":1}`],
    ["with one end more behind a time", `${start},"additional_kwargs":{"timestamp":1}}}`],
    ["within the content", start.slice(0, -1)],
    ["between id and content", start.replace('","content', '"')],
  ])("is refused where it was damaged: %s", (_, text) => {
    expect(() => createCodec().decode(text, true)).toThrow(
      expect.objectContaining({ code: "STORAGE_CORRUPT" }),
    );
  });

  it("is read as deep as the codec reads, and no deeper", () => {
    const deep = `${start},"additional_kwargs":{"a":${"[".repeat(60)}${"]".repeat(60)}}}`;
    expect(() => createCodec({ maxDepth: 10 }).decode(deep, true)).toThrow(
      expect.objectContaining({ code: "VALUE_TOO_DEEP" }),
    );
    expect(createCodec().decode(deep, true)).toBeInstanceOf(AIMessage);
  });
});
