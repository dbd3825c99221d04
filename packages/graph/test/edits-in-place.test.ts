import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { MemorySaver as ItemMemorySaver } from "@skein/checkpointer";
import { describe, expect, test } from "vitest";
import { Annotation, MessagesAnnotation, START, StateGraph } from "@skein/graph";
import { SAVERS } from "./support/savers.ts";

const thread = { configurable: { thread_id: "t" } };
interface Item {
  id: string;
  text: string;
}

const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  items: Annotation<Item[]>(),
  notes: Annotation<Item[], Item[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
  log: Annotation<Item[], Item[]>({
    reducer: (a, b) => {
      a.push(...b);
      return a;
    },
    default: () => [],
  }),
});
type S = typeof State.State;
type Edit = (state: S) => Partial<typeof State.Update>;

const first = (): Partial<typeof State.Update> => ({
  messages: Array.from({ length: 6 }, (_, n) => new HumanMessage({ id: `m${n}`, content: `m${n}` })),
  items: ["a", "b", "c"].map((id) => ({ id, text: id })),
  notes: ["a", "b", "c"].map((id) => ({ id, text: id })),
  log: [{ id: "a", text: "a" }],
});

/** Lets a second run edit what a first one stored, and reads what is stored then. */
async function edited(saver: BaseCheckpointSaver, edit: Edit): Promise<S> {
  let turn = 0;
  const graph = new StateGraph(State)
    .addNode("node", (state: S) => (turn++ === 0 ? first() : edit(state)))
    .addNode("after", () => ({ notes: [{ id: `after ${turn}`, text: "" }] }))
    .addEdge(START, "node")
    .addEdge("node", "after")
    .compile({ checkpointer: saver });
  await graph.invoke({}, thread);
  await graph.invoke({}, thread);
  const { values } = await graph.getState(thread);
  return values;
}
const texts = (messages: readonly BaseMessage[]): unknown[] => messages.map(({ content }) => content);

describe.each(SAVERS)("what a node edits in place and returns is stored, on %s", (_name, make) => {
  test("a list with messages that were put into it without an id, each once and in its place", async () => {
    for (const returned of [
      ({ messages }: S) => ({ messages }),
      ({ messages }: S) => ({ messages: [...messages, new AIMessage("new")] }),
      ({ messages }: S) => ({ messages: messages.slice(1) }),
    ]) {
      const { messages } = await edited(make(), (state) => {
        for (const place of [1, 2, 3, 4]) state.messages[place] = new HumanMessage(`put in at ${place}`);
        return returned(state);
      });
      const [zero, ...rest] = texts(messages);
      expect([zero, ...rest.slice(0, 5)]).toEqual([
        "m0",
        "put in at 1",
        "put in at 2",
        "put in at 3",
        "put in at 4",
        "m5",
      ]);
      expect(rest.slice(5).filter((text) => text !== "new")).toEqual([]);
      expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length);
    }
  });

  test("a message's content, wherever it stands in the list", async () => {
    for (const place of [0, 2, 5]) {
      const { messages } = await edited(make(), (state) => {
        const message = state.messages[place] as BaseMessage;
        message.content = "edited";
        return { messages: [message] };
      });
      const expected = Array.from({ length: 6 }, (_, n) => (n === place ? "edited" : `m${n}`));
      expect(texts(messages)).toEqual(expected);
    }
  });

  test("the whole list of messages, with one of them edited and one more", async () => {
    const { messages } = await edited(make(), (state) => {
      (state.messages[4] as BaseMessage).content = "edited";
      return { messages: [...state.messages, new AIMessage({ id: "new", content: "new" })] };
    });
    expect(texts(messages)).toEqual(["m0", "m1", "m2", "m3", "edited", "m5", "new"]);
  });

  test("a message pushed to the list itself", async () => {
    const { messages } = await edited(make(), (state) => {
      state.messages.push(new AIMessage({ id: "new", content: "new" }));
      return { messages: state.messages };
    });
    expect(texts(messages)).toEqual(["m0", "m1", "m2", "m3", "m4", "m5", "new"]);
  });

  test("an element of a list without a reducer, and one pushed to it", async () => {
    const { items } = await edited(make(), (state) => {
      (state.items[1] as Item).text = "edited";
      state.items.push({ id: "d", text: "d" });
      return { items: state.items };
    });
    expect(items.map(({ text }) => text)).toEqual(["a", "edited", "c", "d"]);
  });

  test("elements that a list without a reducer has in another order", async () => {
    const { items } = await edited(make(), (state) => {
      (state.items[0] as Item).text = "edited";
      return { items: state.items.toReversed() };
    });
    expect(items.map(({ text }) => text)).toEqual(["c", "b", "edited"]);
  });

  test("an element that is written to a list with a reducer once more", async () => {
    const { notes } = await edited(make(), (state) => {
      const note = state.notes[1] as Item;
      note.text = "edited";
      return { notes: [note] };
    });
    expect(notes.map(({ text }) => text)).toEqual(["a", "edited", "c", "", "edited", ""]);
  });

  test("what a reducer pushes to the array that it was given", async () => {
    const { log } = await edited(make(), () => ({ log: [{ id: "b", text: "b" }] }));
    expect(log.map(({ text }) => text)).toEqual(["a", "b"]);
  });
});

test("what nobody edited is stored once, however often it is written", async () => {
  const saver = new ItemMemorySaver();
  await edited(saver, (state) => ({ messages: [...state.messages], items: [...state.items] }));
  const once = (await saver.storageReport("t"))?.items;
  const again = new ItemMemorySaver();
  await edited(again, () => ({}));
  expect(once).toBe((await again.storageReport("t"))?.items);
});
