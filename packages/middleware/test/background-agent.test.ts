import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { createAgent } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { coverage, textOf } from "@skein/context";
import { describe, expect, it } from "vitest";
import { type CompactionEvent, summarizationMiddleware } from "../src/summarization/index.ts";
import { base, type Held, macrotask } from "./background.ts";
import { ScriptedModel } from "./scripted-model.ts";

const answer = () => new ScriptedModel(() => new AIMessage("The order is on its way and will arrive soon."));

describe("an agent with summaries in the background", () => {
  it("40 turns: everything is in the window or covered, and no model's token of a summary is streamed", async () => {
    const writer = new ScriptedModel(() => new AIMessage("SECRET background of orders"));
    const events: CompactionEvent[] = [];
    const middleware = [
      summarizationMiddleware({ ...base, model: writer, onEvent: (event) => events.push(event) }),
    ];
    const agent = createAgent({ model: answer(), checkpointer: new MemorySaver(), middleware });
    const thread = { configurable: { thread_id: "t" } };
    let seen = "";
    for (let turn = 0; turn < 40; turn++) {
      const input = { messages: [new HumanMessage(`Where is order O${turn}?`)] };
      const stream = await agent.stream(input, { ...thread, streamMode: ["messages", "custom"] });
      for await (const [mode, chunk] of stream as AsyncIterable<[string, unknown]>) {
        if (mode === "messages") seen += textOf((chunk as [BaseMessage, unknown])[0]);
      }
      await macrotask();
    }
    const values = (await agent.getState(thread)).values as unknown as Held & {
      full_messages: BaseMessage[];
    };
    const ends = events.filter((event) => event.type === "compaction-end");
    expect(ends.length).toBeGreaterThan(5);
    expect(ends.filter(({ background }) => background === true)).toHaveLength(ends.length);
    expect(writer.prompts.length).toBeLessThanOrEqual(ends.length + 1);
    const covered = ends.flatMap(({ coveredIds }) => [...coveredIds]);
    const history = values.full_messages;
    expect(history).toHaveLength(80);
    expect(coverage({ history, window: values.messages, covered }).lost).toEqual([]);
    expect(seen).toContain("on its way");
    expect(seen).not.toContain("SECRET");
  });

  it("rolled back to before, what was prepared later is not used", async () => {
    const events: CompactionEvent[] = [];
    const options = {
      ...base,
      summarizer: "extractive" as const,
      onEvent: (event: CompactionEvent) => events.push(event),
    };
    const agent = createAgent({
      model: answer(),
      checkpointer: new MemorySaver(),
      middleware: [summarizationMiddleware(options)],
    });
    const thread = { configurable: { thread_id: "t" } };
    const ask = async (what: string, config: object = thread) => {
      await agent.invoke({ messages: [new HumanMessage(`${what} please, about the order.`)] }, config);
      await macrotask();
    };
    for (let turn = 0; turn < 4; turn++) await ask(`kept ${turn}`);
    const { config } = await agent.getState(thread);
    for (let turn = 0; turn < 2; turn++) await ask(`GONE ${turn}`);
    await ask("instead", config as object);
    for (let turn = 0; turn < 8; turn++) await ask(`after ${turn}`);
    const values = (await agent.getState(thread)).values as unknown as Held & {
      full_messages: BaseMessage[];
    };
    expect(values._summary?.length).toBeGreaterThan(0);
    expect(JSON.stringify(values._summary)).not.toContain("GONE");
    expect(values.full_messages.map(textOf).join()).not.toContain("GONE");
  });
});
