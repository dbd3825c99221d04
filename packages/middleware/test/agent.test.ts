import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent, dualTrackMessages } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import {
  countOrphans,
  coverage,
  createTokenCounter,
  isMarkedSummary,
  textOf,
  type RollingSummary,
} from "@skein/context";
import { END, START, StateGraph, StateSchema } from "@skein/graph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  summarizationMiddleware,
  summarizationNode,
  summaryFields,
  type CompactionEvent,
  type SummarizationOptions,
} from "../src/summarization/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const lookup = tool(({ order }) => `{"order_id":"${order}","status":"shipped"}`, {
  name: "lookup",
  description: "Looks up orders",
  schema: z.object({ order: z.string() }),
});

/** Looks two orders up at once with ids that every turn uses again, then answers. */
function assistant(): ScriptedModel {
  return new ScriptedModel((messages) => {
    const last = messages.at(-1) as BaseMessage;
    if (last.type !== "human") return new AIMessage(`Answer: ${textOf(last)}`);
    const order = /O\d+/u.exec(textOf(last))?.[0] ?? "O?";
    return new AIMessage({
      content: "",
      tool_calls: [
        { id: "call_0", name: "lookup", args: { order } },
        { id: "call_1", name: "lookup", args: { order: `${order}b` } },
      ],
    });
  });
}

interface Setup {
  model: ScriptedModel;
  events: CompactionEvent[];
  agent: ReturnType<typeof agentWith>;
}

function agentWith(model: ScriptedModel, saver: MemorySaver, options: SummarizationOptions) {
  return createAgent({
    model,
    tools: [lookup],
    systemPrompt: "You help with orders.",
    middleware: [summarizationMiddleware(options)],
    checkpointer: saver,
  });
}

function setup(options: Partial<SummarizationOptions> = {}, saver = new MemorySaver()): Setup {
  const model = assistant();
  const events: CompactionEvent[] = [];
  const source = options.model === undefined ? { summarizer: "extractive" as const } : {};
  const agent = agentWith(model, saver, {
    ...source,
    trigger: { messages: 8 },
    keep: { messages: 6 },
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { model, events, agent };
}

const thread = { configurable: { thread_id: "t" } };
const ask = (turn: number) => ({ messages: [new HumanMessage(`Where is order O${turn}?`)] });
const coveredBy = (events: readonly CompactionEvent[]): string[] =>
  events.flatMap((event) => (event.type === "compaction-end" ? [...event.coveredIds] : []));

const versionsOf = (events: readonly CompactionEvent[]): number[] =>
  events.flatMap((event) => (event.type === "compaction-end" ? [event.version] : []));

interface Values {
  messages: BaseMessage[];
  full_messages: BaseMessage[];
  _summary?: RollingSummary[];
}
const valuesOf = async (agent: Setup["agent"], config: object = thread): Promise<Values> =>
  (await agent.getState(config)).values as unknown as Values;

/** A message as chat clients keep it. */
function asJson(message: BaseMessage): Record<string, unknown> {
  const { id, content, name } = message;
  const { tool_calls, tool_call_id } = message as { tool_calls?: unknown; tool_call_id?: unknown };
  const role = { human: "user", ai: "assistant", tool: "tool" }[message.type as string];
  return { role, id, content, name, tool_calls, tool_call_id };
}

/** An agent whose prompt outweighs its messages. */
function heavy(options: Partial<SummarizationOptions> = {}) {
  const counted: string[] = [];
  const tokenizer = {
    name: "words",
    count: (text: string) => {
      counted.push(text);
      return text.split(/\s+/u).length;
    },
  };
  const manual = tool(() => "", { name: "manual", description: "TOOL ".repeat(400), schema: z.object({}) });
  const events: CompactionEvent[] = [];
  const model = new ScriptedModel(() => new AIMessage("An answer of six plain words."));
  const agent = createAgent({
    model,
    tools: [manual],
    systemPrompt: "PROMPT ".repeat(400),
    checkpointer: new MemorySaver(),
    middleware: [
      summarizationMiddleware({
        summarizer: "extractive",
        trigger: { tokens: 900 },
        target: { tokens: 880 },
        summaryTokens: 12,
        tokenCounter: createTokenCounter({ tokenizer }),
        onEvent: (event) => events.push(event),
        ...options,
      }),
    ],
  });
  return { agent, events, counted };
}

describe("createAgent with summarization", () => {
  it("system prompt and tool schemas count, each once, without being told (C10)", async () => {
    const { agent, events, counted } = heavy();
    for (let turn = 0; turn < 12; turn++) await agent.invoke(ask(turn), thread);
    const ends = events.filter((event) => event.type === "compaction-end");
    expect(ends.length).toBeGreaterThan(0);
    for (const end of ends) {
      expect(end.tokensBefore).toBeGreaterThanOrEqual(900);
      expect(end.tokensAfter).toBeLessThan(880);
      expect(end.tokensAfter).toBeGreaterThan(800);
    }
    expect(counted.filter((text) => text.includes("TOOL"))).toHaveLength(1);
    expect(counted.filter((text) => text.includes("PROMPT"))).toHaveLength(1);
  });

  it("who says how many tokens they are is believed", async () => {
    const { agent, events } = heavy({ fixedTokens: 0 });
    for (let turn = 0; turn < 12; turn++) await agent.invoke(ask(turn), thread);
    expect(events).toEqual([]);
  });

  it("40 turns with parallel calls and reused ids: no orphan is sent, nothing is lost, the history is whole", async () => {
    const { model, events, agent } = setup();
    for (let turn = 0; turn < 40; turn++) await agent.invoke(ask(turn), thread);
    const { messages, full_messages: history } = await valuesOf(agent);
    expect(history).toHaveLength(40 * 5);
    expect(history.filter((message) => message.type === "human").map(textOf)).toEqual(
      Array.from({ length: 40 }, (_, turn) => `Where is order O${turn}?`),
    );
    expect(history.some(isMarkedSummary)).toBe(false);
    expect(messages.length).toBeLessThanOrEqual(12);
    expect(model.prompts).toHaveLength(80);
    expect(model.prompts.map(countOrphans).filter((orphans) => orphans > 0)).toEqual([]);
    const report = coverage({ history, window: messages, covered: coveredBy(events) });
    expect(report.lost).toEqual([]);
    expect(report.covered).toBeGreaterThan(150);
    expect(events.some((event) => event.type === "compaction-failure")).toBe(false);
  });

  it("the thread goes on in another agent on the same saver, with its summary (C5)", async () => {
    const saver = new MemorySaver();
    const first = setup({}, saver);
    for (let turn = 0; turn < 10; turn++) await first.agent.invoke(ask(turn), thread);
    const second = setup({}, saver);
    for (let turn = 10; turn < 20; turn++) await second.agent.invoke(ask(turn), thread);
    const { messages, full_messages: history } = await valuesOf(second.agent);
    const covered = [...coveredBy(first.events), ...coveredBy(second.events)];
    expect(coverage({ history, window: messages, covered }).lost).toEqual([]);
    expect(versionsOf(second.events)[0]).toBe((versionsOf(first.events).at(-1) ?? 0) + 1);
    const last = second.events.findLast((event) => event.type === "compaction-end");
    expect(last?.coveredCount).toBe(covered.length);
  });

  it("a client that posts the whole history back, as JSON, every turn: compactions hold, nothing is stored twice", async () => {
    const { events, agent } = setup();
    let posted: { role: string; id: string; content: string }[] = [];
    for (let turn = 0; turn < 12; turn++) {
      const next = { role: "user", id: `u${turn}`, content: `Where is order O${turn}?` };
      await agent.invoke({ messages: [...posted, next] }, thread);
      const { messages, full_messages: history } = await valuesOf(agent);
      expect(history).toHaveLength((turn + 1) * 5);
      expect(messages.length).toBeLessThanOrEqual(12);
      expect(coverage({ history, window: messages, covered: coveredBy(events) }).lost).toEqual([]);
      posted = JSON.parse(JSON.stringify(history.map(asJson))) as typeof posted;
    }
    expect(versionsOf(events).length).toBeGreaterThan(5);
    const covered = coveredBy(events);
    expect(new Set(covered).size).toBe(covered.length);
  });

  it("going back in the thread goes back to the summary of that time", async () => {
    const { events, agent } = setup();
    for (let turn = 0; turn < 6; turn++) await agent.invoke(ask(turn), thread);
    const { config } = await agent.getState(thread);
    const before = versionsOf(events).at(-1) ?? 0;
    expect(before).toBeGreaterThan(0);
    for (let turn = 6; turn < 12; turn++) await agent.invoke(ask(turn), thread);
    const later = events.length;
    await agent.invoke(ask(100), config as typeof thread);
    await agent.invoke(ask(101), thread);
    const versions = events
      .slice(later)
      .flatMap((event) => (event.type === "compaction-end" ? [event.version] : []));
    expect(versions[0]).toBe(before + 1);
    const { full_messages: history } = await valuesOf(agent);
    expect(
      history
        .filter((message) => message.type === "human")
        .map(textOf)
        .slice(-3),
    ).toEqual(["Where is order O5?", "Where is order O100?", "Where is order O101?"]);
  });

  it("the summary model's tokens never reach the user's stream; events do (E7)", async () => {
    const summarizer = new ScriptedModel(() => new AIMessage("SECRET background of orders"));
    const { agent } = setup({ model: summarizer });
    const seen: string[] = [];
    const custom: unknown[] = [];
    for (let turn = 0; turn < 5; turn++) {
      const stream = await agent.stream(ask(turn), { ...thread, streamMode: ["messages", "custom"] });
      for await (const [mode, chunk] of stream as AsyncIterable<[string, unknown]>) {
        if (mode === "custom") custom.push(chunk);
        else seen.push(textOf((chunk as [BaseMessage, unknown])[0]));
      }
    }
    expect(summarizer.prompts.length).toBeGreaterThan(0);
    expect(seen.join("")).toContain("Answer:");
    expect(seen.join("")).not.toContain("SECRET");
    expect(custom).toContainEqual(expect.objectContaining({ type: "compaction-end" }));
  });

  it("a failing summary model: every turn is answered, the context grows, nothing is lost (C7)", async () => {
    const down = {
      invoke: async () => {
        throw new Error("503");
      },
    };
    const { events, agent } = setup({ model: down });
    for (let turn = 0; turn < 5; turn++) await agent.invoke(ask(turn), thread);
    const { messages, full_messages: history } = await valuesOf(agent);
    expect(messages.map((message) => message.id)).toEqual(history.map((message) => message.id));
    expect(history).toHaveLength(25);
    expect(events.filter((event) => event.type === "compaction-failure")).toHaveLength(3);
  });
});

const build = (fields: object, saver: MemorySaver) =>
  new StateGraph(new StateSchema({ ...dualTrackMessages(), ...fields }))
    .addNode(
      "compact",
      summarizationNode({ summarizer: "extractive", trigger: { messages: 8 }, keep: { messages: 6 } }),
    )
    .addNode("answer", ({ messages }: { messages: BaseMessage[] }) => ({
      messages: [new AIMessage(`I see ${messages.length} messages.`)],
    }))
    .addEdge(START, "compact")
    .addEdge("compact", "answer")
    .addEdge("answer", END)
    .compile({ checkpointer: saver });

describe("a graph of one's own with summarizationNode", () => {
  it.each([false, true])(
    "with keys that keep versions: %s; the context stays small, the history whole",
    async (keys) => {
      const graph = build(keys ? summaryFields : {}, new MemorySaver());
      for (let turn = 0; turn < 30; turn++) await graph.invoke(ask(turn), thread);
      const values = (await graph.getState(thread)).values as unknown as Values;
      expect(values.full_messages).toHaveLength(60);
      expect(values.messages.length).toBeLessThanOrEqual(8);
      expect(values.messages.filter(isMarkedSummary)).toHaveLength(1);
      expect(values._summary?.length).toBe(keys ? 10 : undefined);
    },
  );
});
