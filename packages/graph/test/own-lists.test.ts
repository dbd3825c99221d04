import { AIMessage, type BaseMessage, RemoveMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { MessagesChannel, Overwrite, REMOVE_ALL_MESSAGES } from "../src/index.ts";

const message = (id: string): BaseMessage => new AIMessage({ id, content: "" });
const stored = (length: number): BaseMessage[] => Array.from({ length }, (_, i) => message(String(i)));

const idsOf = (list: readonly BaseMessage[]): unknown => list.map(({ id }) => id);

type Call =
  | { readonly does: "write"; readonly writes: readonly (readonly string[])[] }
  | { readonly does: "remove" | "overwrite" | "read" | "commit" | "clear" | "preview" };

// ids from 6 on are new in the beginning
const ids = fc.array(fc.nat(12).map(String), { minLength: 1, maxLength: 3 });
const call: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant("write" as const),
      writes: fc.array(ids, { minLength: 1, maxLength: 2 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom("read", "commit", "preview") }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom("remove", "overwrite", "clear") }) },
);

/** What a channel answers to the calls, and at the end what it had handed out on the way. */
function answers(channel: MessagesChannel, calls: readonly Call[]): unknown[] {
  const told: unknown[] = [];
  const handedOut: (readonly [BaseMessage[], BaseMessage[]])[] = [];
  const read = (): BaseMessage[] => {
    const list = channel.get();
    handedOut.push([list, [...list]]);
    return list;
  };
  for (const one of calls) {
    if (one.does === "write") {
      channel.update(one.writes.map((some) => channel.prepare(some.map(message)) as BaseMessage[]));
    } else if (one.does === "remove") channel.update([new RemoveMessage({ id: String(read()[0]?.id) })]);
    else if (one.does === "clear") channel.update([new RemoveMessage({ id: REMOVE_ALL_MESSAGES })]);
    else if (one.does === "overwrite") channel.update([new Overwrite([message("7")])]);
    else if (one.does === "preview") {
      const preview = channel.preview([message("9")]);
      told.push(preview === "absent" ? preview : idsOf(preview.value));
    } else if (one.does === "read") told.push(idsOf(read()));
    else
      told.push(
        JSON.parse(
          JSON.stringify(channel.change(), (key, value: unknown) =>
            key === "add" ? idsOf(value as BaseMessage[]) : value,
          ),
        ),
      );
  }
  for (const [list, was] of handedOut) expect(list).toEqual(was);
  return [...told, idsOf(channel.get())];
}

it("a list of its own is appended to where it stands, and nobody can tell", () => {
  fc.assert(
    fc.property(fc.nat(6), fc.array(call, { maxLength: 8 }), (length, calls) => {
      // nothing to remove is an error
      const some = length === 0 ? calls.filter(({ does }) => does !== "remove") : calls;
      const run = (isOwn: boolean): unknown => {
        const channel = new MessagesChannel().fromCheckpoint(stored(length));
        if (isOwn) channel.takeOver();
        try {
          return answers(channel, some);
        } catch (error) {
          return (error as Error).message;
        }
      };
      expect(run(true)).toEqual(run(false));
    }),
    { numRuns: 2000 },
  );
});

it("appends to the very array that it was made from, until somebody is given it", () => {
  const list = stored(3);
  const channel = new MessagesChannel().fromCheckpoint(list);
  channel.takeOver();
  channel.update([message("new")]);
  expect(channel.get()).toBe(list);
  expect(channel.change()).toEqual({ op: "list", segments: [{ keep: [0, 3] }, { add: [list[3]] }] });
  channel.update([message("newer")]);
  expect(channel.get()).not.toBe(list);
  expect(list).toHaveLength(4);
});
