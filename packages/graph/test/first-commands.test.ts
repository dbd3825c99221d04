import { Annotation, Command, type Durability, Overwrite, Send, START, StateGraph } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { SAVERS_AND_FAKE } from "./support/savers.ts";

const thread = { configurable: { thread_id: "t" } };
const State = Annotation.Root({ q: Annotation<string>(), a: Annotation<string>() });
const builder = new StateGraph(State)
  .addNode("answer", ({ q }) => ({ a: `to ${q}` }))
  .addNode("other", ({ q }) => (q === "next" ? { a: "other" } : {}), { ends: ["answer"] })
  .addEdge(START, "other");

const commands: readonly [
  what: string,
  command: () => Command<unknown, Record<string, unknown>, "answer">,
  answer: string | undefined,
][] = [
  ["goto", () => new Command({ goto: "answer" }), "to undefined"],
  ["goto and update", () => new Command({ goto: "answer", update: { q: "x" } }), "to x"],
  ["a Send", () => new Command({ goto: new Send("answer", { q: "sent" }) }), "to sent"],
  ["an update alone", () => new Command({ update: { q: "x" } }), undefined],
];

describe.each(SAVERS_AND_FAKE)("a command is the first call of a thread: %s", (_name, saver) => {
  describe.each<Durability>(["sync", "async", "exit"])("durability %s", (durability) => {
    it.each(commands)("%s", async (_what, command, answer) => {
      const graph = builder.compile({ checkpointer: saver() });
      await graph.invoke(command(), { ...thread, durability });
      expect((await graph.getState(thread)).values.a).toBe(answer);
      await graph.invoke({ q: "next" }, { ...thread, durability });
      expect((await graph.getState(thread)).values).toEqual({ q: "next", a: "other" });
    });
  });
});

describe.each(SAVERS_AND_FAKE)(
  "a command whose update does not fit leaves the thread as it was: %s",
  (_n, saver) => {
    const log = Annotation<string[], string>({
      reducer: (left, right) => {
        if (typeof right !== "string") throw new Error("user: no text");
        return [...left, right];
      },
      default: () => [],
    });
    const kept = new StateGraph(Annotation.Root({ log, q: Annotation<string>() }))
      .addNode("node", () => ({ log: "node" }))
      .addEdge(START, "node");
    const updates: readonly [what: string, update: () => unknown, refused: object][] = [
      [
        "two of a plain key",
        () => [
          ["q", "1"],
          ["q", "2"],
        ],
        { code: "INVALID_CONCURRENT_UPDATE" },
      ],
      [
        "two overwrites",
        () => ["1", "2"].map((one) => ["log", new Overwrite([one])]),
        { code: "INVALID_UPDATE" },
      ],
      ["what its reducer throws at", () => ({ log: 5 }), { message: "user: no text" }],
      ["a text", () => "log", { code: "INVALID_UPDATE" }],
      ["a number", () => 5, { code: "INVALID_UPDATE" }],
    ];
    describe.each<Durability>(["sync", "async", "exit"])("durability %s", (durability) => {
      it.each(updates)("%s", async (_what, update, refused) => {
        const graph = kept.compile({ checkpointer: saver() });
        await graph.invoke({ q: "x" }, { ...thread, durability });
        const before = await graph.getState(thread);
        const command = new Command({ update: update() as never, goto: "node" });
        await expect(graph.invoke(command, { ...thread, durability })).rejects.toMatchObject(refused);
        expect(await graph.getState(thread)).toEqual(before);
        await graph.invoke({ q: "y" }, { ...thread, durability });
        expect((await graph.getState(thread)).values).toEqual({ q: "y", log: ["node", "node"] });
      });
    });
  },
);
