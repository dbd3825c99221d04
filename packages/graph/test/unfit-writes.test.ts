import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { MemorySaver as ItemMemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { expect, test } from "vitest";
import { Annotation, type Durability, InvalidUpdateError, START, StateGraph } from "@skein/graph";

const State = Annotation.Root({
  notes: Annotation<string[]>({ reducer: (a, b) => a.concat(b), default: () => [] }),
  last: Annotation<string>,
});
const savers = [
  ["memory", () => new ItemMemorySaver()],
  ["SQLite", () => SqliteSaver.fromConnString(":memory:")],
  ["any saver", () => new MemorySaver()],
] as const;
const cases = savers.flatMap(([name, saver]) =>
  (["sync", "async", "exit"] as const).map((durability) => [name, durability, saver] as const),
);
const thread = { configurable: { thread_id: "t" } };

test.each(cases)(
  "a step whose writes do not fit together applies nothing and keeps them all: I4, I6 (%s, %s)",
  async (_name, durability, makeSaver) => {
    const ran: string[] = [];
    const node = (name: string) => async () => {
      ran.push(name);
      await Promise.resolve();
      // `notes` is merged before `last` is refused
      return { notes: [name], last: name };
    };
    const graph = new StateGraph(State)
      .addNode("first", () => ({ notes: ["first"] }))
      .addNode("a", node("a"))
      .addNode("b", node("b"))
      .addEdge(START, "first")
      .addEdge("first", "a")
      .addEdge("first", "b")
      .compile({ checkpointer: makeSaver() as MemorySaver });
    const config = { ...thread, durability: durability as Durability };
    await expect(graph.invoke({}, config)).rejects.toBeInstanceOf(InvalidUpdateError);
    await expect(graph.invoke(null, config)).rejects.toMatchObject({ code: "INVALID_CONCURRENT_UPDATE" });
    expect(ran).toEqual(["a", "b"]);

    // the state can be read, shows the step that is still to end, and takes a new input
    const state = await graph.getState(thread);
    expect(state.values).toEqual({ notes: ["first"] });
    expect(state.next).toEqual(["a", "b"]);
    expect(state.tasks.map(({ result }) => result)).toEqual([
      { notes: ["a"], last: "a" },
      { notes: ["b"], last: "b" },
    ]);
    await expect(graph.invoke({ notes: ["again"] }, config)).rejects.toBeInstanceOf(InvalidUpdateError);
    expect((await graph.getState(thread)).values.notes).toEqual(["first", "again", "first"]);
  },
);
