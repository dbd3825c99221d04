import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { type Codec, createCodec, type CodecTag } from "../src/index.ts";
import { MemorySaver } from "../src/memory/index.ts";
import { at, checkpoint } from "./support/puts.ts";
import { referring } from "./support/referring.ts";

const DIGITS = "123456789012345678901234567890123456";
const SECRET = "my new address is 12 Wool Street, Knittingham, and nobody knows";

class Decimal {
  readonly text: string;
  constructor(text: string) {
    if (!/^\d+$/.test(text)) throw new TypeError(`no number: ${text}`);
    this.text = text;
  }
}
const decimal: CodecTag<Decimal> = {
  tag: "decimal",
  matches: (value) => value instanceof Decimal,
  encode: ({ text }) => text,
  decode: (data) => new Decimal(String(data)),
};

/** Made of further values, which it checks. */
class Offer {
  readonly price: Decimal;
  readonly note: string;
  readonly for: readonly HumanMessage[];
  constructor(price: Decimal, note: string, about: readonly HumanMessage[] = []) {
    if (!(price instanceof Decimal)) throw new TypeError("no price");
    if (!about.every((message) => HumanMessage.isInstance(message))) throw new TypeError("no messages");
    [this.price, this.note, this.for] = [price, note, about];
  }
}
const offer: CodecTag<Offer> = {
  tag: "offer",
  matches: (value) => value instanceof Offer,
  encode: (value) => ({ ...value }),
  decode: (data) => {
    const { price, note, for: about } = data as Offer;
    return new Offer(price, note, about);
  },
};

const codec = createCodec({ tags: [decimal, offer] });
const said = (content: string) => new HumanMessage({ id: "m", content });

const put = async (saver: MemorySaver, values: Record<string, unknown>, metadata: object = {}) => {
  const versions = Object.fromEntries(Object.keys(values).map((channel) => [channel, 1]));
  await saver.put(
    at(),
    checkpoint("1", values),
    { source: "update", step: 0, parents: {}, ...metadata },
    versions,
  );
};
const read = (saver: MemorySaver) => saver.getTuple(at());

describe("eraseMessage leaves what the saver's codec reads", () => {
  it("a quote in what a tag of its own checks: in values, short and long, metadata and writes", async () => {
    const saver = new MemorySaver({ codec });
    const price = new Decimal(DIGITS);
    const long = { price, rest: "x".repeat(2000) };
    const others = {
      price,
      long,
      list: [{ price }, { price: new Decimal("7") }],
      of: new Map([["a", price]]),
    };
    await put(saver, { messages: [said(`it is ${DIGITS}`)], ...others }, { price });
    await saver.putWrites(at("1"), [["price", price]], "task");
    await saver.eraseMessage(at(), "m");
    const tuple = await read(saver);
    expect(tuple?.checkpoint.channel_values).toMatchObject({
      price: "[erased]",
      long: { price: "[erased]", rest: "x".repeat(2000) },
      list: [{ price: "[erased]" }, { price: new Decimal("7") }],
      of: new Map([["a", "[erased]"]]),
    });
    expect(tuple?.metadata).toMatchObject({ price: "[erased]" });
    expect(tuple?.pendingWrites).toEqual([["task", "price", "[erased]"]]);
  });

  it("a text that was asked for, however short", async () => {
    const saver = new MemorySaver({ codec });
    await put(saver, { messages: [said("it is 4711")], price: new Decimal("4711") });
    await saver.eraseMessage(at(), "m", { texts: ["4711"] });
    expect((await read(saver))?.checkpoint.channel_values).toMatchObject({ price: "[erased]" });
  });

  it("a tag whose data hold another, or lists and objects", async () => {
    const saver = new MemorySaver({ codec });
    await put(saver, {
      messages: [said(`${SECRET} and ${DIGITS}`)],
      refused: new Offer(new Decimal(DIGITS), "a note"),
      kept: new Offer(new Decimal("7"), `Says: ${SECRET}`),
      untouched: new Offer(new Decimal("8"), "a note"),
    });
    await saver.eraseMessage(at(), "m");
    expect((await read(saver))?.checkpoint.channel_values).toMatchObject({
      refused: "[erased]",
      kept: new Offer(new Decimal("7"), "Says: [erased]"),
      untouched: new Offer(new Decimal("8"), "a note"),
    });
  });

  it("a tag whose data refer to messages of the thread", async () => {
    const messages = [said(SECRET), new HumanMessage({ id: "n", content: "hello" })];
    const { saver, lines } = await referring(codec, messages, new Offer(new Decimal("7"), SECRET, messages));
    expect(lines.join("")).toContain('"for":[{"$":"item"');
    await saver.eraseMessage(at(), "m");
    expect((await saver.getTuple(at("1")))?.pendingWrites).toEqual([
      [
        "task",
        "chosen",
        expect.objectContaining({
          price: new Decimal("7"),
          note: "[erased]",
          for: [
            expect.objectContaining({ id: "m", content: "[erased]" }),
            expect.objectContaining({ id: "n", content: "hello" }),
          ],
        }),
      ],
    ]);
  });

  it("a text in any field of what the codec makes: the flags of a pattern, the class of bytes and of errors", async () => {
    const saver = new MemorySaver({ codec });
    const others = { pattern: /a/u, bytes: new Uint8Array(3), error: new TypeError("boom"), no: Number.NaN };
    await put(saver, { messages: [said("hello")], ...others });
    await saver.eraseMessage(at(), "m", { texts: ["u", "Uint8Array", "TypeError", "NaN"] });
    const left = (await read(saver))?.checkpoint.channel_values;
    expect(left).toMatchObject({ pattern: "[erased]", bytes: new Uint8Array(3), no: Number.NaN });
    expect(left?.["error"]).toMatchObject({ name: "[erased]" });
  });

  it("and what only another codec knows as it was, but for the text", async () => {
    let current: Codec = codec;
    const saver = new MemorySaver({
      codec: {
        encode: (...given) => current.encode(...given),
        decode: (...given) => current.decode(...given),
        revive: (...given) => current.revive(...given),
      },
    });
    const values = { messages: [said(SECRET)], kept: new Offer(new Decimal("7"), SECRET) };
    await put(saver, { ...values, within: new Map([["a", values.kept]]) });
    current = createCodec();
    await saver.eraseMessage(at(), "m");
    current = codec;
    const kept = new Offer(new Decimal("7"), "[erased]");
    expect((await read(saver))?.checkpoint.channel_values).toMatchObject({
      kept,
      within: new Map([["a", kept]]),
    });
  });
});
