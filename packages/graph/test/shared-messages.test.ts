import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import { type BaseCheckpointSaver, MemorySaver as Reference } from "@langchain/langgraph-checkpoint";
import { MemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { describe, expect, it } from "vitest";
import { openPostgres } from "../../checkpointer/test/support/postgres.ts";
import { Annotation, MessagesAnnotation, Send, START, StateGraph } from "../src/index.ts";

const SAVERS = [
  ["memory", () => new MemorySaver()],
  ["SQLite", () => SqliteSaver.fromConnString(":memory:")],
  ["PostgreSQL", () => openPostgres().saver],
] as const;

const thread = { configurable: { thread_id: "t" } };
const TURNS = 8;
/** Longer than what stands in a manifest. */
const said = (who: string, turn: number): string => `${who} ${turn}: ${"word ".repeat(80)}`;

type Work = (messages: BaseMessage[]) => BaseMessage[];

type Kind =
  | "a subgraph"
  | "a subgraph that keeps its state"
  | "a task that is sent the state"
  | "a task that is sent them between others"
  | "a task that is sent a state within";

/** Messages are handed on in every turn. */
function chat(checkpointer: BaseCheckpointSaver, kind: Kind, work: Work) {
  const node = ({ messages }: typeof MessagesAnnotation.State) => ({ messages: work(messages) });
  const around = new StateGraph(MessagesAnnotation);
  if (kind === "a task that is sent the state") {
    return around
      .addNode("work", node)
      .addConditionalEdges(START, (state) => [new Send("work", { ...state, more: "of it" })], ["work"])
      .compile({ checkpointer });
  }
  if (kind === "a task that is sent them between others") {
    const others = ["before", "behind"].map((content) => new HumanMessage({ id: content, content }));
    const between = (messages: BaseMessage[]) => [others[0], ...messages, others[1]];
    return around
      .addNode("work", ({ messages }) => ({ messages: work(messages.slice(1, -1)) }))
      .addConditionalEdges(START, ({ messages }) => [new Send("work", { messages: between(messages) })], [
        "work",
      ])
      .compile({ checkpointer });
  }
  if (kind === "a task that is sent a state within") {
    return around
      .addNode("work", (sent) => node((sent as unknown as { state: typeof MessagesAnnotation.State }).state))
      .addConditionalEdges(START, (state) => [new Send("work", { state: { ...state } })], ["work"])
      .compile({ checkpointer });
  }
  const inner = new StateGraph(MessagesAnnotation)
    .addNode("work", node)
    .addEdge(START, "work")
    .compile(kind === "a subgraph" ? {} : { checkpointer: true });
  return around.addNode("inner", inner).addEdge(START, "inner").compile({ checkpointer });
}

const answers: Work = (messages) => [
  new AIMessage({ id: `a${messages.length}`, content: said("answer", (messages.length - 1) / 2) }),
];

const edits: Work = (messages) => {
  const first = messages[0] as BaseMessage;
  if (messages.length !== 7) return answers(messages);
  first.content = first.lc_kwargs["content"] = "edited";
  return [first, ...answers(messages)];
};

async function talk(checkpointer: BaseCheckpointSaver, kind: Kind, work = answers): Promise<void> {
  const graph = chat(checkpointer, kind, work);
  for (let turn = 0; turn < TURNS; turn += 1) {
    await graph.invoke(
      { messages: [new HumanMessage({ id: `q${turn}`, content: said("question", turn) })] },
      thread,
    );
  }
}

/** Savers may leave out an empty list. */
const contents = (messages: unknown): unknown =>
  Array.isArray(messages) && messages.length > 0
    ? (messages as BaseMessage[]).map(({ content }) => content)
    : undefined;

/** What every checkpoint of a thread says, those of the subgraph included, from the first to the last. */
async function everything(saver: BaseCheckpointSaver, threadId = "t"): Promise<unknown[]> {
  const told: unknown[] = [];
  for await (const { checkpoint, metadata } of saver.list({ configurable: { thread_id: threadId } })) {
    const { messages, __start__: input, __pregel_tasks: sends = [] } = checkpoint.channel_values;
    const given = (input as { messages?: unknown } | undefined)?.messages;
    const sent = (sends as { args: { messages: unknown } }[]).map(({ args }) => contents(args.messages));
    told.push([checkpoint.id, metadata?.step, contents(messages), contents(given), sent]);
  }
  return told.sort().map((one) => (one as unknown[]).slice(1));
}

async function exported(saver: { exportThread(thread: string): AsyncIterable<string> }): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of saver.exportThread("t")) lines.push(line);
  return lines;
}

const times = (text: string, within: string): number => within.split(text).length - 1;

const KINDS: readonly Kind[] = [
  "a subgraph",
  "a subgraph that keeps its state",
  "a task that is sent the state",
  "a task that is sent them between others",
  "a task that is sent a state within",
];

describe.each(SAVERS)("messages that are handed on, on %s", (_name, make) => {
  describe.each(KINDS)("to %s", (kind) => {
    it("are stored once, and read as any saver reads them (F3)", async () => {
      const [saver, reference] = [make(), new Reference()];
      await talk(saver, kind);
      await talk(reference, kind);
      const text = (await exported(saver)).join("");
      for (let turn = 0; turn < TURNS; turn += 1) {
        expect([times(`question ${turn}:`, text), times(`answer ${turn}:`, text)]).toEqual([1, 1]);
      }
      expect(await everything(saver)).toEqual(await everything(reference));
    });

    it("are read from copies, imports and what a prune leaves", async () => {
      const saver = make();
      await talk(saver, kind);
      const before = await everything(saver);
      await saver.copyThread("t", "copy");
      expect(await everything(saver, "copy")).toEqual(before);
      const other = make();
      await other.importThread(await exported(saver));
      expect(await everything(other)).toEqual(before);
      await saver.prune("t", { keepLast: 2 });
      const left = await everything(saver);
      expect(left.length).toBeLessThan(before.length);
      expect(before).toEqual(expect.arrayContaining(left));
    });

    it("are erased everywhere", async () => {
      const saver = make();
      await talk(saver, kind);
      await saver.eraseMessage(thread, "q2");
      expect(times("question 2:", (await exported(saver)).join(""))).toBe(0);
      const text = JSON.stringify(await everything(saver));
      expect([times("question 2:", text), times("question 1:", text) > 0]).toEqual([0, true]);
    });

    it("say what they said when they were handed on, though one is edited in place later", async () => {
      const [saver, reference] = [make(), new Reference()];
      await talk(saver, kind, edits);
      await talk(reference, kind, edits);
      expect(await everything(saver)).toEqual(await everything(reference));
    });
  });
});

const given = (turn: number) =>
  new AIMessage({
    id: `q${turn}`,
    content: said("question", turn),
    tool_calls: [{ id: "c", name: "look", args: { at: 1 } }],
    additional_kwargs: { given: 1 },
    response_metadata: { given: 1 },
  });

describe.each(SAVERS)("an input whose message a reducer edits in place, on %s", (_name, make) => {
  /** Not what a reducer gives a message: its id and its time. */
  const EDITS: readonly (readonly [string, (message: AIMessage) => void])[] = [
    [
      "arguments of a call",
      ({ tool_calls: calls = [] }) => void ((calls[0] as ToolCall).args["timestamp"] = 99),
    ],
    [
      "two keywords",
      ({ additional_kwargs: more }) => void Object.assign(more, { timestamp: 5, more: "of it" }),
    ],
    ["metadata", ({ response_metadata: more }) => void (more["timestamp"] = 7)],
  ];

  it.each(EDITS)("%s: it still says what was given (C5)", async (_what, edit) => {
    const State = Annotation.Root({
      messages: Annotation<BaseMessage[]>({
        reducer: (left: BaseMessage[], right: BaseMessage[]) => {
          right.forEach((message) => edit(message as AIMessage));
          return [...left, ...right];
        },
        default: () => [],
      }),
    });
    const inputs = async (checkpointer: BaseCheckpointSaver): Promise<unknown[]> => {
      const graph = new StateGraph(State)
        .addNode("work", () => ({}))
        .addEdge(START, "work")
        .compile({ checkpointer });
      for (let turn = 0; turn < 3; turn += 1) await graph.invoke({ messages: [given(turn)] }, thread);
      const found: unknown[] = [];
      for await (const { checkpoint } of checkpointer.list(thread)) {
        const start = checkpoint.channel_values["__start__"] as { messages: BaseMessage[] } | undefined;
        if (start !== undefined) found.push(start.messages.map((message) => message.toDict()));
      }
      return found;
    };
    const found = await inputs(make());
    expect(found).toHaveLength(3);
    expect(found).toEqual(await inputs(new Reference()));
  });
});
