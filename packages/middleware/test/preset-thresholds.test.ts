import { AIMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { type AnyAgentMiddleware, createAgent, createMiddleware } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { createTokenCounter } from "@skein/context";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { presetMiddleware, THRESHOLDS } from "../src/presets/index.ts";
import type { CompactionEvent } from "../src/summarization/index.ts";
import { fired, kept, plan, talk } from "./preset-plans.ts";
import { ScriptedModel } from "./scripted-model.ts";

describe("the preset thresholds (C, E5)", () => {
  it("thresholds: 30 messages or 3,000 tokens, 20 stay, 4,000 at most, the system message stays", () => {
    expect(THRESHOLDS).toEqual({
      trigger: [{ messages: 30 }, { tokens: 3_000 }],
      keep: { messages: 20 },
      max: { tokens: 4_000 },
      preserveSystem: true,
    });
    expect(fired(plan(THRESHOLDS, talk(29), 10))).toBe("not-due");
    const due = plan(THRESHOLDS, [new SystemMessage({ id: "s", content: "x" }), ...talk(30)], 10);
    expect([fired(due), kept(due)]).toEqual(["messages 30 >= 30", 20]);
    expect(due.action === "compact" && due.head).toHaveLength(1);
    expect(fired(plan(THRESHOLDS, talk(29), 103))).toBe("not-due");
    const heavy = plan(THRESHOLDS, talk(29), 104);
    expect(fired(heavy)).toBe("tokens 3019 >= 3000");
    expect(heavy.report.expectedTokens).toBeLessThanOrEqual(1_500);
    expect(heavy.report.belowMinimum).toBe(true);
    expect(plan(THRESHOLDS, talk(1), 4_001)).toMatchObject({ reason: "nothing-older", overBudget: 4 });
  });

  it("thresholds do not fire again at once, and summaries do not pile up (defects of the design it comes from)", async () => {
    const events: CompactionEvent[] = [];
    const model = new ScriptedModel(() => new AIMessage(`Well, ${"the yarn is blue and soft. ".repeat(20)}`));
    const agent = createAgent({
      model,
      checkpointer: new MemorySaver(),
      middleware: presetMiddleware("thresholds", { onEvent: (event) => events.push(event) }),
    });
    const thread = { configurable: { thread_id: "t" } };
    const compactedAt: number[] = [];
    for (let turn = 0; turn < 40; turn++) {
      const before = events.length;
      await agent.invoke({ messages: [new HumanMessage(`Question ${turn} about yarn`)] }, thread);
      if (events.slice(before).some(({ type }) => type === "compaction-end")) compactedAt.push(turn);
    }
    expect(compactedAt.length).toBeGreaterThan(2);
    expect(compactedAt.some((at, index) => at - (compactedAt[index - 1] ?? -9) < 3)).toBe(false);
    const last = model.prompts.at(-1) ?? [];
    expect(last.filter(({ type }) => type === "system")).toHaveLength(1);
    expect(createTokenCounter().messages(last)).toBeLessThanOrEqual(4_000);
    expect(String(last.at(-1)?.content)).toContain("Question 39");
  });

  it("thresholds hold 4,000 tokens with system prompt and tools, large outputs too, or it is said", async () => {
    const counter = createTokenCounter();
    const events: CompactionEvent[] = [];
    const sizes: number[] = [];
    const said: boolean[] = [];
    const policy = "Parcels leave the depot in the morning. ".repeat(160);
    const read = tool(({ rows }) => "row after row of the list\n".repeat(rows), {
      name: "read",
      description: "Reads a list of parcels",
      schema: z.object({ rows: z.number() }),
    });
    let call = 0;
    const model = new ScriptedModel((messages) => {
      if (messages.at(-1)?.type === "tool") return new AIMessage("That is the list.");
      const tool_calls = [0, 1].map((at) => ({
        id: `c${call++}`,
        name: "read",
        args: { rows: 40 * (at + 1) * (call % 7) },
      }));
      return new AIMessage({ content: "", tool_calls });
    });
    const watch = createMiddleware({
      name: "Watch",
      wrapModelCall: ({ messages, systemMessage, tools, ...rest }, handler) => {
        sizes.push(counter.messages(messages) + counter.message(systemMessage) + counter.tools(tools));
        said.push(events.some((event) => event.type === "prompt-over-budget"));
        events.length = 0;
        return handler({ messages, systemMessage, tools, ...rest });
      },
    });
    const onEvent = (event: CompactionEvent) => events.push(event);
    const agentOf = (...more: AnyAgentMiddleware[]) =>
      createAgent({
        model,
        tools: [read],
        systemPrompt: policy,
        checkpointer: new MemorySaver(),
        middleware: [...more, ...presetMiddleware("thresholds", { onEvent }), watch],
      });
    const talkTo = async (agent: ReturnType<typeof agentOf>) => {
      for (let turn = 0; turn < 12; turn++)
        await agent.invoke(
          { messages: [new HumanMessage(`List ${turn}`)] },
          { configurable: { thread_id: "t" } },
        );
    };
    expect(counter.text(policy)).toBeGreaterThan(1_100);
    await talkTo(agentOf());
    expect(Math.max(...sizes)).toBeGreaterThan(2_500);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4_000);
    expect(said).not.toContain(true);
    // what a wrap adds no plan can know of; it is said
    sizes.length = said.length = 0;
    const adding = createMiddleware({
      name: "Adding",
      wrapModelCall: (request, handler) =>
        handler({ ...request, systemMessage: new SystemMessage(`${policy}${"More of it. ".repeat(600)}`) }),
    });
    await talkTo(agentOf(adding));
    expect(Math.max(...sizes)).toBeGreaterThan(4_000);
    expect(said).toEqual(sizes.map((tokens) => tokens > 4_000));
  });
});
