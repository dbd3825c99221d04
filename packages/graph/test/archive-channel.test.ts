import { AIMessage, RemoveMessage } from "@langchain/core/messages";
import {
  ArchiveChannel,
  type BaseChannel,
  channelField,
  END,
  type Merged,
  type Messages,
  MessagesChannel,
  REMOVE_ALL_MESSAGES,
  START,
  StateGraph,
  StateSchema,
} from "@skein/graph";
import { expect, test } from "vitest";
import { FakeSaver } from "./support/fake-change-sets.ts";
import { thread } from "./support/notes.ts";

class Echoing extends MessagesChannel {
  #echo: { add: unknown }[] = [];
  override get echo(): string {
    return "all";
  }
  override fromCheckpoint(stored?: never): this {
    const channel = new Echoing();
    channel.restore(stored);
    return channel as this;
  }
  protected override applied(merged: Merged): void {
    for (const add of merged.added) this.#echo.push({ add });
  }
  override takeEcho(): { add: unknown }[] {
    const echo = this.#echo;
    this.#echo = [];
    return echo;
  }
}

function archived(): StateGraph<
  StateSchema<{ messages: ReturnType<typeof messagesField>; all: ReturnType<typeof allField> }>
> {
  return new StateGraph(new StateSchema({ messages: messagesField(), all: allField() }));
}

const messagesField = () => channelField<AIMessage[], Messages>(() => new Echoing() as BaseChannel);

const allField = () =>
  channelField<AIMessage[], never>(
    () => new ArchiveChannel({ lane: "messages", writeInstead: "Write to messages." }) as BaseChannel,
  );

test("an archive gets the echo of another channel, unloaded, and is read when asked for", async () => {
  const saver = new FakeSaver();
  const graph = archived()
    .addNode("reply", (state) => ({ messages: [new AIMessage(`${state.messages.length}`)] }))
    .addNode("clear", () => ({ messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES })] }))
    .addEdge(START, "reply")
    .addEdge("reply", "clear")
    .compile({ checkpointer: saver });
  for (let turn = 0; turn < 3; turn += 1) {
    const output = await graph.invoke({ messages: [`turn ${turn}`] }, thread);
    expect(Object.keys(output)).toEqual(["messages"]);
  }
  expect(saver.logsLoaded).toBe(0);
  const { values } = await graph.getState(thread);
  expect((values["all"] as AIMessage[]).map((m) => m.content)).toEqual([
    "turn 0",
    "1",
    "turn 1",
    "1",
    "turn 2",
    "1",
  ]);
  expect(saver.logsLoaded).toBe(1);
  expect((await graph.getState(thread, { archive: false })).values).toEqual({ messages: [] });
  const page = await graph.history(thread, { limit: 2 });
  expect((page.elements as AIMessage[]).map((m) => m.content)).toEqual(["turn 2", "1"]);
  const before = await graph.history(thread, { limit: 10, before: page.before });
  expect(before.elements).toHaveLength(4);
  expect(before.before).toBeUndefined();
});

test("nobody writes an archive directly", async () => {
  const saver = new FakeSaver();
  const graph = archived()
    .addNode("forge", () => ({ all: [new AIMessage("forged")] }) as never)
    .addEdge(START, "forge")
    .compile({ checkpointer: saver });
  await expect(graph.invoke({ messages: "x" }, thread)).rejects.toThrow("Write to messages.");
  await expect(graph.updateState(thread, { all: [] }, "forge")).rejects.toThrow("Write to messages.");
});

test("a node that names the archive gets it, and outputKeys brings it out", async () => {
  const saver = new FakeSaver();
  const graph = archived()
    .addNode("count", (state: { all: unknown[] }) => ({ messages: [new AIMessage(`${state.all.length}`)] }), {
      input: new StateSchema({ all: allField() }),
    })
    .addEdge(START, "count")
    .addEdge("count", END)
    .compile({ checkpointer: saver });
  await graph.invoke({ messages: "a" }, thread);
  const output = (await graph.invoke({ messages: "b" }, { ...thread, outputKeys: ["messages", "all"] })) as {
    messages: AIMessage[];
    all: AIMessage[];
  };
  expect(output.messages.map((m) => m.content)).toEqual(["a", "1", "b", "3"]);
  expect(output.all).toEqual(output.messages);
});
