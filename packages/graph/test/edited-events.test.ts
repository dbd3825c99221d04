import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, it } from "vitest";
import {
  Annotation,
  MessagesAnnotation,
  type ProtocolEvent,
  START,
  StateGraph,
  StreamChannel,
  type StreamTransformer,
} from "@skein/graph";
import { all } from "./support/two-steps.ts";

const thread = { configurable: { thread_id: "1" } };
const V3 = { version: "v3", ...thread } as const;

/** Writes over every text of an event that has "secret" in it, where it stands. */
function hide(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    if (typeof part !== "string") hide(part);
    else if (part.includes("secret")) Reflect.set(value, key, part.replaceAll("secret", "***"));
  }
}

const hiding = (): StreamTransformer => ({
  init: () => ({}),
  process({ params }: ProtocolEvent) {
    hide(params.data);
    return true;
  },
});

const State = Annotation.Root({
  note: Annotation<string>(),
  list: Annotation<string[]>({ reducer: (left, right) => left.concat(right), default: () => [] }),
});

function noting() {
  const seen: unknown[] = [];
  const builder = new StateGraph(State)
    .addNode("first", ({ note }) => ({ note: `${note} kept`, list: ["secret"] }))
    .addNode("second", ({ note, list }) => {
      seen.push(note, ...list);
      return { list: [`of ${list.join()}`] };
    })
    .addEdge(START, "first")
    .addEdge("first", "second");
  return { builder, seen };
}

/** A reader that edits nothing. */
const custom = (): StreamTransformer<{ kept: StreamChannel<unknown> }> => {
  const kept = StreamChannel.local<unknown>();
  return {
    init: () => ({ kept }),
    process({ method, params }) {
      if (method === "updates") kept.push(params.data);
      return true;
    },
  };
};

describe("an event that a transformer edits in place", () => {
  it("is what readers of the run see", async () => {
    const graph = noting().builder.compile();
    const run = await graph.streamEvents({ note: "secret" }, { version: "v3", transformers: [hiding] });
    expect(JSON.stringify(await all(run))).not.toContain("secret");
    const values = await all(run.values);
    expect(values).toHaveLength(3);
    expect(JSON.stringify([values, await run.output])).not.toContain("secret");
  });

  it("is edited for nobody else: nodes and the thread have what was written", async () => {
    const { builder, seen } = noting();
    const graph = builder.compile({ checkpointer: new MemorySaver(), transformers: [hiding] });
    const input = { note: "secret" };
    await (
      await graph.streamEvents(input, V3)
    ).output;
    expect(seen).toEqual(["secret kept", "secret"]);
    expect((await graph.getState(thread)).values).toEqual({
      note: "secret kept",
      list: ["secret", "of secret"],
    });
    expect(input).toEqual({ note: "secret" });
  });

  it("leaves messages of the state as they are, and shows edited messages", async () => {
    const seen: unknown[] = [];
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("first", ({ messages }) => {
        seen.push(messages[0]?.content);
        return { messages: [new AIMessage({ id: "a", content: "my secret" })] };
      })
      .addNode("second", ({ messages }) => void seen.push(messages[1]?.content))
      .addEdge(START, "first")
      .addEdge("first", "second")
      .compile({ checkpointer: new MemorySaver() });
    const input = { messages: [new HumanMessage({ id: "h", content: "secret?" })] };
    const run = await graph.streamEvents(input, { ...V3, transformers: [hiding] });
    const shown = (await run.output).messages;
    expect(shown.map(({ content }) => content)).toEqual(["***?", "my ***"]);
    expect(shown.every((message) => HumanMessage.isInstance(message) || AIMessage.isInstance(message))).toBe(
      true,
    );
    expect(seen).toEqual(["secret?", "my secret"]);
    expect(input.messages[0]?.content).toBe("secret?");
  });

  it("is edited where the state is frozen, too", async () => {
    const graph = new StateGraph(State)
      .addNode("first", () => Object.freeze({ note: "secret", list: Object.freeze(["secret"]) as string[] }))
      .addEdge(START, "first")
      .compile();
    const run = await graph.streamEvents({}, { version: "v3", transformers: [hiding] });
    expect(await all(run.values)).toContainEqual({ note: "***", list: ["***"] });
    expect(JSON.stringify(await all(run))).not.toContain("secret");
  });

  it("may hold what cannot be copied, and circles", async () => {
    class Counter {
      #count = 1;
      get count(): number {
        return this.#count;
      }
    }
    const circle: { self?: unknown } = {};
    circle.self = circle;
    const held = { counter: new Counter(), at: new Date(0), circle };
    const graph = new StateGraph(Annotation.Root({ held: Annotation<typeof held>() }))
      .addNode("n", () => ({ held }))
      .addEdge(START, "n")
      .compile();
    const run = await graph.streamEvents({}, { version: "v3", transformers: [custom] });
    const { held: shown } = (await run.output) as { held: typeof held };
    expect(shown).not.toBe(held);
    expect(shown.counter.count).toBe(1);
    expect(shown.at).toBe(held.at);
    expect(shown.circle.self).toBe(shown.circle);
    expect(await all(run.extensions.kept)).toHaveLength(1);
  });
});
