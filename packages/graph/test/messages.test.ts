import { AIMessage, type BaseMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  addMessages,
  Annotation,
  GraphError,
  MessagesAnnotation,
  MessagesChannel,
  MessagesValue,
  messagesStateReducer,
  Overwrite,
  REMOVE_ALL_MESSAGES,
  START,
  StateGraph,
  StateSchema,
} from "@skein/graph";

const text = (list: readonly BaseMessage[]) => list.map((m) => m.content);

test("an update without id gets one, one with a known id replaces in place, others are appended (A3)", () => {
  const left = addMessages([], [new HumanMessage({ id: "a", content: "1" }), { role: "user", content: "2" }]);
  const next = addMessages(left, [new AIMessage({ id: "a", content: "1!" }), "3"]);
  expect(text(next)).toEqual(["1!", "2", "3"]);
  expect(next.every((m) => typeof m.id === "string")).toBe(true);
  expect(text(left)).toEqual(["1", "2"]);
});

test("of two updates with one id the later counts; a removal deletes; remove-all clears", () => {
  const left = addMessages(
    [],
    [new HumanMessage({ id: "a", content: "1" }), new HumanMessage({ id: "b", content: "2" })],
  );
  const twice = [new AIMessage({ id: "c", content: "x" }), new AIMessage({ id: "c", content: "y" })];
  expect(text(addMessages(left, twice))).toEqual(["1", "2", "y"]);
  expect(text(addMessages(left, new RemoveMessage({ id: "a" })))).toEqual(["2"]);
  expect(text(addMessages(left, ["z", new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), "new"]))).toEqual([
    "new",
  ]);
  expect(() => addMessages(left, new RemoveMessage({ id: "nobody" }))).toThrow("nobody");
});

test("messages that are already in the list get an id too", () => {
  const left = [new HumanMessage("old")];
  expect(addMessages(left, "new").every((m) => m.id !== undefined)).toBe(true);
});

test.each([
  [{ type: "remove", id: REMOVE_ALL_MESSAGES }],
  [{ role: "remove", id: "a", content: "" }],
  [{ lc: 1, type: "constructor", id: ["langchain_core", "messages", "RemoveMessage"], kwargs: { id: "a" } }],
])("plain data cannot remove messages (I10): %j", (attack) => {
  const left = addMessages([], [new HumanMessage({ id: "a", content: "precious" })]);
  expect(() => addMessages(left, attack as never)).toThrow(/no message|cannot remove/);
  expect(text(left)).toEqual(["precious"]);
});

test('an "overwrite" in JSON is data (I10)', () => {
  const channel = new MessagesChannel().fromCheckpoint([new HumanMessage({ id: "a", content: "precious" })]);
  expect(() => channel.prepare({ __overwrite__: [] })).toThrow(GraphError);
  channel.update([channel.prepare(new Overwrite(["mine"]))]);
  expect(text(channel.get())).toEqual(["mine"]);
});

test("a reducer that is messagesStateReducer gets the list that knows what it did", () => {
  expect(Annotation({ reducer: messagesStateReducer, default: () => [] })).toBeInstanceOf(MessagesChannel);
});

test("State.merge works without a graph (A4)", () => {
  const state = MessagesAnnotation.merge(
    { messages: [new HumanMessage({ id: "1", content: "a" })] },
    { messages: ["b"] },
  );
  expect(text(state.messages)).toEqual(["a", "b"]);
});

function attempt<T>(run: () => T): T | "refused" {
  try {
    return run();
  } catch {
    return "refused";
  }
}

type Op = { kind: "put"; id: number; content: string } | { kind: "remove"; id: number } | { kind: "clear" };
const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant("put" as const), id: fc.nat(12), content: fc.string() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), id: fc.nat(12) }) },
  { weight: 1, arbitrary: fc.constant({ kind: "clear" as const }) },
);
const asMessage = (o: Op): BaseMessage =>
  o.kind === "put"
    ? new HumanMessage({ id: `${o.id}`, content: o.content })
    : new RemoveMessage({ id: o.kind === "clear" ? REMOVE_ALL_MESSAGES : `${o.id}` });

/** What the reducer means, written down once more, slowly. */
function model(left: BaseMessage[], right: BaseMessage[]): BaseMessage[] {
  const clear = right.findLastIndex((m) => m.id === REMOVE_ALL_MESSAGES);
  const slots: { message: BaseMessage; gone: boolean }[] = (clear < 0 ? left : []).map((message) => ({
    message,
    gone: false,
  }));
  for (const message of right.slice(clear + 1)) {
    const slot = slots.find((s) => s.message.id === message.id);
    if (message.getType() === "remove") {
      if (slot === undefined) throw new Error("unknown");
      slot.gone = true;
    } else if (slot === undefined) slots.push({ message, gone: false });
    else Object.assign(slot, { message, gone: false });
  }
  return slots.filter((s) => !s.gone).map((s) => s.message);
}

test("the channel, the pure reducer and the model agree; changes rebuild the list", () => {
  fc.assert(
    fc.property(fc.array(fc.array(op, { maxLength: 6 }), { maxLength: 12 }), (steps) => {
      const channel = new MessagesChannel().fromCheckpoint(undefined);
      let list: BaseMessage[] = [];
      let stored: unknown[] = [];
      for (const step of steps) {
        const write = step.map(asMessage);
        const expected = attempt(() => model(list, write));
        expect(attempt(() => messagesStateReducer(list, write))).toEqual(expected);
        if (expected === "refused") continue;
        channel.update([channel.prepare(write)]);
        expect(channel.get()).toEqual(expected);
        list = expected;
        const change = channel.change();
        if (change.op !== "list") throw new Error(change.op);
        stored = change.segments.flatMap((s) => ("add" in s ? [...s.add] : stored.slice(...s.keep)));
        expect(stored).toEqual(expected);
      }
    }),
  );
});

test("a message without an id that comes with a remove-all, and then again, stands in the list once", () => {
  const channel = new MessagesChannel().fromCheckpoint([new HumanMessage({ id: "a", content: "old" })]);
  const first = new AIMessage("first");
  channel.update([channel.prepare([new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), first])]);
  channel.update([channel.prepare(new AIMessage({ id: first.id as string, content: "second" }))]);
  expect(text(channel.get())).toEqual(["second"]);
});

test.each([
  ["one message", (): unknown[] => [new AIMessage("new")]],
  ["a known id", (): unknown[] => [new AIMessage({ id: "a", content: "again" })]],
  ["several", (): unknown[] => [["x", new RemoveMessage({ id: "a" })]]],
  ["a remove-all", (): unknown[] => [[new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), "x"]]],
  ["two writes", (): unknown[] => ["x", "y"]],
  ["an Overwrite", (): unknown[] => [new Overwrite(["x"])]],
])("what branches see of %s is what the step makes of it, and the list is as it was", (_what, writes) => {
  const channel = new MessagesChannel().fromCheckpoint([
    new HumanMessage({ id: "a", content: "1" }),
    new HumanMessage({ id: "b", content: "2" }),
  ]);
  const made = writes();
  const seen = channel.preview(made) as { value: BaseMessage[] };
  expect(text(channel.get())).toEqual(["1", "2"]);
  channel.update(made.map((write) => channel.prepare(write)));
  expect(text(seen.value)).toEqual(text(channel.get()));
});

test("a channel of messages that merges in its own way shows branches what it makes", () => {
  class Loud extends MessagesChannel {
    override fromCheckpoint(stored?: BaseMessage[]): this {
      const channel = new Loud();
      channel.restore(stored);
      return channel as this;
    }
    override update(writes: readonly unknown[]): boolean {
      return super.update([...writes, "!"]);
    }
  }
  const seen = new Loud().fromCheckpoint([]).preview(["hello"]) as { value: BaseMessage[] };
  expect(text(seen.value)).toEqual(["hello", "!"]);
});

test.each([null, undefined, [null], 5])("%s is no message, whatever the key is made of", async (messages) => {
  for (const state of [MessagesAnnotation, new StateSchema({ messages: MessagesValue })]) {
    const graph = (write: unknown) =>
      new StateGraph(state as typeof MessagesAnnotation)
        .addNode("a", () => ({ messages: write }) as never)
        .addEdge(START, "a")
        .compile();
    const refused = { code: "INVALID_MESSAGE" };
    await expect(graph([]).invoke({ messages } as never)).rejects.toMatchObject(refused);
    await expect(graph(messages).invoke({ messages: [] })).rejects.toMatchObject(refused);
  }
});
