import { AIMessage, HumanMessage, RemoveMessage, type BaseMessage } from "@langchain/core/messages";
import * as lg from "@langchain/langgraph";
import { type BaseCheckpointSaver, MemorySaver as PlainMemorySaver } from "@langchain/langgraph-checkpoint";
import { SqliteSaver as PlainSqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { createAgent, dualTrackMessages, fullMessages } from "@skein/agent";
import { SqliteSaver } from "@skein/checkpointer/sqlite";
import { END, START, StateGraph, StateSchema } from "@skein/graph";
import { summarizationMiddleware, summarizationNode } from "@skein/middleware/summarization";
import Database from "libsql";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openPostgres } from "../../checkpointer/test/support/postgres.ts";
import { there } from "../src/agents/langchains.ts";
import { ScriptedModel } from "../src/agents/model.ts";
import { thread } from "../src/scenarios/kit.ts";

interface Opened {
  readonly saver: BaseCheckpointSaver;
  close(): unknown;
}

const OURS: Readonly<Record<string, () => Opened>> = {
  SQLite: () => {
    const saver = SqliteSaver.fromConnString(":memory:");
    return { saver, close: () => saver.close() };
  },
  PostgreSQL: openPostgres,
};
const THEIRS: Readonly<Record<string, () => Opened>> = {
  "LangGraph's memory": () => ({ saver: new PlainMemorySaver(), close: () => {} }),
  "LangGraph's SQLite": () => {
    const saver = new PlainSqliteSaver(new Database(":memory:") as never);
    return { saver, close: () => saver.db.close() };
  },
};

const config = thread("1");
const answer = ({ messages }: { messages: BaseMessage[] }) => ({
  messages: [new AIMessage(`to ${messages.at(-1)?.text}`)],
});
const said = (...questions: string[]): string[] => questions.flatMap((text) => [text, `to ${text}`]);
const textsOf = (messages: readonly BaseMessage[] | undefined): string[] =>
  (messages ?? []).map(({ text }) => text);

/** A program of LangGraph's that knows nothing of a second track. */
const onLangGraph = (checkpointer: BaseCheckpointSaver) =>
  new lg.StateGraph(lg.MessagesAnnotation)
    .addNode("answer", answer)
    .addEdge(lg.START, "answer")
    .addEdge("answer", lg.END)
    .compile({ checkpointer });

/** The same with both tracks, whose context is four messages long at most. */
const onSkein = (checkpointer: BaseCheckpointSaver) =>
  new StateGraph(new StateSchema({ ...dualTrackMessages() }))
    .addNode(
      "compact",
      summarizationNode({ summarizer: "extractive", trigger: { messages: 4 }, keep: { messages: 2 } }),
    )
    .addNode("answer", answer)
    .addEdge(START, "compact")
    .addEdge("compact", "answer")
    .addEdge("answer", END)
    .compile({ checkpointer });

const ask = (text: string) => ({ messages: [new HumanMessage(text)] });

async function historyOn(saver: BaseCheckpointSaver): Promise<BaseMessage[]> {
  return (await onSkein(saver).getState(config)).values.full_messages;
}

describe.each(Object.entries(OURS))("a history on our saver (%s)", (_, open) => {
  it("has what was said on LangGraph, begun there or here, and each message once", async () => {
    const { saver, close } = open();
    const way = [onLangGraph, onLangGraph, onSkein, onSkein, onLangGraph, onSkein];
    const all: string[] = [];
    for (const [i, engine] of way.entries()) {
      await engine(saver).invoke(ask(`question ${i}`), config);
      all.push(...said(`question ${i}`));
      expect(textsOf(await historyOn(saver))).toEqual(all);
    }
    const history = await historyOn(saver);
    expect(textsOf(history)).toEqual(all);
    expect(new Set(history.map(({ id }) => id)).size).toBe(all.length);
    const { values } = await onSkein(saver).getState(config);
    expect(values.messages.length).toBeLessThan(6);
    const { elements } = await onSkein(saver).history(config, { limit: 100 });
    expect(textsOf(elements as BaseMessage[])).toEqual(all);
    await close();
  });

  it("stays as it is while LangGraph goes on and removes from the context what it likes", async () => {
    const { saver, close } = open();
    for (const text of ["one", "two", "three"]) await onSkein(saver).invoke(ask(text), config);
    const before = textsOf(await historyOn(saver));
    expect(before).toEqual(said("one", "two", "three"));
    const graph = onLangGraph(saver);
    const { values } = await graph.getState(config);
    await graph.updateState(
      config,
      {
        messages: (values.messages as BaseMessage[]).map(({ id }) => new RemoveMessage({ id: id as string })),
      },
      "answer",
    );
    await graph.invoke(ask("four"), config);
    await onSkein(saver).invoke(ask("five"), config);
    expect(textsOf(await historyOn(saver))).toEqual([...before, ...said("four", "five")]);
    await close();
  });

  it("is taken up by an update, and by a run that only goes on", async () => {
    const { saver, close } = open();
    await onLangGraph(saver).invoke(ask("one"), config);
    const graph = onSkein(saver);
    await graph.updateState(config, ask("noted"), "answer");
    expect(textsOf(await historyOn(saver))).toEqual([...said("one"), "noted"]);
    const waits = new lg.StateGraph(lg.MessagesAnnotation)
      .addNode("answer", answer)
      .addEdge(lg.START, "answer")
      .addEdge("answer", lg.END)
      .compile({ checkpointer: saver, interruptBefore: ["answer"] });
    await waits.invoke(ask("two"), config);
    await new StateGraph(new StateSchema({ ...dualTrackMessages() }))
      .addNode("answer", answer)
      .addEdge(START, "answer")
      .addEdge("answer", END)
      .compile({ checkpointer: saver })
      .invoke(null, config);
    expect(textsOf(await historyOn(saver))).toEqual([...said("one"), "noted", ...said("two")]);
    await close();
  });

  it("is whole in an agent that goes on there with our middleware, and comes back", async () => {
    const { saver, close } = open();
    const way = ["there", "there", "there", "here", "here", "there", "there", "here"] as const;
    const model = ScriptedModel.saying(...way.map((_house, i) => `answer ${i}`));
    const options = () => ({
      model,
      tools: [],
      checkpointer: saver,
      middleware: [
        summarizationMiddleware({
          summarizer: "extractive",
          trigger: { messages: 4 },
          keep: { messages: 2 },
        }),
      ],
    });
    const houses = {
      here: () => createAgent(options() as never) as unknown as lg.CompiledStateGraph<never, never>,
      there: () => there.lc.createAgent(options()) as unknown as lg.CompiledStateGraph<never, never>,
    };
    for (const [i, house] of way.entries())
      await houses[house]().invoke(ask(`question ${i}`) as never, config);
    for (const house of ["here", "there"] as const) {
      const { values } = await houses[house]().getState(config);
      expect(textsOf(fullMessages(values as never))).toEqual(
        way.flatMap((_house, i) => [`question ${i}`, `answer ${i}`]),
      );
    }
    await close();
  });
});

describe.each(Object.entries(THEIRS))("a history on %s", (_, open) => {
  it("has what was said before the thread came here", async () => {
    const { saver, close } = open();
    for (const text of ["one", "two"]) await onLangGraph(saver).invoke(ask(text), config);
    for (const text of ["three", "four"]) await onSkein(saver).invoke(ask(text), config);
    expect(textsOf(await historyOn(saver))).toEqual(said("one", "two", "three", "four"));
    await close();
  });

  it("begins anew with what the context holds, also where LangGraph wrote something else", async () => {
    const { saver, close } = open();
    await new StateGraph(new StateSchema({ ...dualTrackMessages(), note: z.string().optional() }))
      .addNode("answer", answer)
      .addEdge(START, "answer")
      .compile({ checkpointer: saver })
      .invoke(ask("one"), config);
    await new lg.StateGraph(
      lg.Annotation.Root({ ...lg.MessagesAnnotation.spec, note: lg.Annotation<string> }),
    )
      .addNode("answer", answer)
      .addEdge(lg.START, "answer")
      .compile({ checkpointer: saver })
      .updateState(config, { note: "seen" }, "answer");
    expect(textsOf(await historyOn(saver))).toEqual(said("one"));
    for (const text of ["two", "three"]) await onSkein(saver).invoke(ask(text), config);
    expect(textsOf(await historyOn(saver))).toEqual(said("one", "two", "three"));
    await close();
  });
});
