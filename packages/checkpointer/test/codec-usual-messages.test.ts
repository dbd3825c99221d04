import { describe, expect, it } from "vitest";
import { argumentsOf, emptyOf } from "../src/codec/argument-order.ts";
import { kindOfTag, type MessageKind } from "../src/codec/message-kinds.ts";
import { MessageReader } from "../src/codec/message-read.ts";

const FIELDS = { content: "c", id: "i", additional_kwargs: { a: 1 }, response_metadata: { r: 1 } } as const;

function* orders(rest: readonly string[], before: readonly string[] = []): Generator<readonly string[]> {
  yield before;
  for (const next of rest)
    yield* orders(
      rest.filter((field) => field !== next),
      [...before, next],
    );
}

describe.each(["ai", "human", "system", "tool"])("a stored %s message of the usual fields (B3)", (tag) => {
  it("has its arguments in the order that its fields stand for, whatever their own is", () => {
    const kind = kindOfTag(tag) as MessageKind;
    const reader = new MessageReader();
    for (const fields of orders(Object.keys(FIELDS))) {
      // what has no content is read with one that is undefined
      if (!fields.includes("content")) continue;
      const values = Object.fromEntries(fields.map((field) => [field, FIELDS[field as keyof typeof FIELDS]]));
      const message = reader.message({ $: tag, ...values }, kind);
      const wanted = argumentsOf(kind, fields).map((name) => [name, values[name] ?? emptyOf(name)]);
      expect(Object.entries(message.lc_kwargs)).toEqual(wanted);
    }
  });
});
