import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { type BaseCheckpointSaver, MemorySaver as Reference } from "@langchain/langgraph-checkpoint";
import { MemorySaver } from "@skein/checkpointer";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { describe, expect, it } from "vitest";
import { openPostgres } from "../../checkpointer/test/support/postgres.ts";
import { MessagesAnnotation, Send, START, StateGraph } from "../src/index.ts";

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

type Kind = "a subgraph" | "a subgraph that keeps its state" | "a task that is sent the state";

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
