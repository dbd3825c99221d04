import {
  AIMessage,
  HumanMessage,
  RemoveMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { START, StateGraph, StateSchema } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { compactMessages, dualTrackMessages } from "../src/index.ts";
import { SAVERS } from "./savers.ts";

type Tracks = { messages: BaseMessage[]; full_messages: BaseMessage[] };

const thread = { configurable: { thread_id: "t" } };
const human = (id: string, content = id): HumanMessage => new HumanMessage({ id, content });
const result = (content: string) => new ToolMessage({ id: "r", content, tool_call_id: "1" });
const shapes = (messages: readonly BaseMessage[]): [string | undefined, string][] =>
  messages.map(({ id, text }) => [id, text]);
const ids = (messages: readonly BaseMessage[]): (string | undefined)[] => messages.map(({ id }) => id);

describe.each(SAVERS)(
  "a client that posts the conversation as its page shows it, on %s",
  (name, makeSaver) => {
    /** The thread a, b (tool call), r (its long result), c, of which a is gone from the context and r shortened. */
    async function compacted() {
      let next: unknown = {};
      const graph = new StateGraph(new StateSchema(dualTrackMessages()))
        .addNode("node", () => next as { messages: BaseMessage[] })
        .addEdge(START, "node")
        .compile({ checkpointer: makeSaver() });
      const tracks = async (): Promise<Tracks> => (await graph.getState(thread)).values as unknown as Tracks;
      const call = { id: "1", name: "look", args: {}, type: "tool_call" as const };
      next = { messages: compactMessages({ remove: ["a"], replace: [result("short")] }) };
      const fields = { id: "b", content: "", tool_calls: [call], usage_metadata: { input_tokens: 7 } };
      const said = new AIMessage(fields as ConstructorParameters<typeof AIMessage>[0]);
      const messages = [human("a"), said, result("a long text"), human("c")];
      await graph.invoke({ messages }, thread);
      next = {};
      const shown = (await tracks()).full_messages;
      return {
        graph,
        tracks,
        shown,
        post: (...messages: unknown[]) => graph.invoke({ messages } as never, thread),
      };
    }

    it("neither brings back what was removed without a summary, nor undoes shortening", async () => {
      const { post, tracks, shown, graph } = await compacted();
      const before = await tracks();
      await post(...shown, human("d"));
      await graph.updateState(thread, { messages: [...shown, human("e")] }, "node");
      const { messages, full_messages } = await tracks();
      expect(shapes(messages)).toEqual([
        ["b", ""],
        ["r", "short"],
        ["c", "c"],
        ["d", "d"],
        ["e", "e"],
      ]);
      expect(shapes(full_messages)).toEqual([...shapes(before.full_messages), ["d", "d"], ["e", "e"]]);
      expect(full_messages[2]?.text).toBe("a long text");
    });

    it("posts JSON without metadata and times: that is no edit", async () => {
      const { post, tracks } = await compacted();
      const tool_calls = [{ id: "1", type: "function", function: { name: "look", arguments: "{}" } }];
      await post(
        { role: "user", id: "a", content: [{ type: "text", text: "a" }] },
        { role: "assistant", id: "b", content: "", tool_calls },
        { role: "tool", id: "r", content: "a long text", tool_call_id: "1" },
        { role: "user", id: "c", content: "c" },
        { role: "user", content: "news" },
      );
      const { messages, full_messages } = await tracks();
      expect(messages.map(({ text }) => text)).toEqual(["", "short", "c", "news"]);
      expect(full_messages.map(({ text }) => text)).toEqual(["a", "", "a long text", "c", "news"]);
      expect(full_messages[1]).toMatchObject({ usage_metadata: { input_tokens: 7 } });
    });

    it("an edit among what is posted back revises the history; the model reads it as news", async () => {
      const { post, tracks, shown } = await compacted();
      await post(human("a", "edited"), ...shown.slice(1), human("d"));
      const { messages, full_messages } = await tracks();
      expect(shapes(messages)).toEqual([
        ["b", ""],
        ["r", "short"],
        ["c", "c"],
        ["a", "edited"],
        ["d", "d"],
      ]);
      expect(shapes(full_messages).at(0)).toEqual(["a", "edited"]);
      expect(ids(full_messages)).toEqual(["a", "b", "r", "c", "d"]);
    });

    it("an edit of a shortened message reaches both tracks", async () => {
      const { post, tracks } = await compacted();
      await post(result("edited"));
      const { messages, full_messages } = await tracks();
      expect(messages[1]?.text).toBe("edited");
      expect(full_messages[2]?.text).toBe("edited");
    });

    it("an old message that is delivered twice is not new", async () => {
      const { post, tracks } = await compacted();
      await post(human("a"));
      expect(ids((await tracks()).messages)).toEqual(["b", "r", "c"]);
    });

    it("what somebody removed stays removed, until it is posted for its own sake or by a task", async () => {
      const { post, tracks, graph } = await compacted();
      await graph.updateState(thread, { messages: [new RemoveMessage({ id: "c" })] }, "node");
      await post(human("c"), human("d"));
      expect(ids((await tracks()).messages)).toEqual(["b", "r", "d"]);
      await post(human("c"));
      const { messages, full_messages } = await tracks();
      expect(ids(messages)).toEqual(["b", "r", "d", "c"]);
      expect(ids(full_messages)).toEqual(["a", "b", "r", "c", "d"]);
    });

    it("a page from before an edit does not undo it; a lone message does", async () => {
      const { post, tracks, shown } = await compacted();
      await post(human("c", "edited"));
      await post(...shown, human("d"));
      const isWhole = name.startsWith("a saver");
      // savers of whole states keep no revisions
      expect((await tracks()).full_messages[3]?.text).toBe(isWhole ? "c" : "edited");
      await post(human("c", "c"));
      const { messages, full_messages } = await tracks();
      expect(full_messages[3]?.text).toBe("c");
      expect(messages.find(({ id }) => id === "c")?.text).toBe("c");
    });

    it("a branch knows only its own history", async () => {
      const { post, tracks, graph } = await compacted();
      const fork = await graph.getState(thread);
      await post(human("d"));
      await graph.invoke({ messages: [human("d", "another"), human("a"), human("e")] }, fork.config);
      expect(shapes((await tracks()).messages).slice(-2)).toEqual([
        ["d", "another"],
        ["e", "e"],
      ]);
    });
  },
);
