import { AIMessage, HumanMessage, RemoveMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import { countOrphans, coverage, repair } from "@skein/context";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";
import { ClearToolUsesEdit, contextEditingMiddleware } from "../src/context-editing/index.ts";
import { recallMiddleware } from "../src/recall/index.ts";
import { summarizationMiddleware } from "../src/summarization/index.ts";
import { toolOutputCompressionMiddleware } from "../src/tool-output-compression/index.ts";
import { toolOutputOffloadingMiddleware } from "../src/tool-output-offloading/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const lookup = tool(({ n }) => `row ${n} of the table\n`.repeat(n * 30), {
  name: "lookup",
  description: "Looks things up",
  schema: z.object({ n: z.number() }),
});

const op = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("say" as const),
      calls: fc.nat(3),
      size: fc.constantFrom(0, 5, 400),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("edit" as const), at: fc.nat(200) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), at: fc.nat(200) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("dangle" as const), at: fc.nat(3) }) },
);

/** An agent with everything that shapes a context, whose model calls tools as often as the user says, by few ids. */
function setUp() {
  const covered = new Set<string>();
  let said = 0;
  const model = new ScriptedModel((messages) => {
    expect(countOrphans(messages)).toBe(0);
    expect(repair(messages).messages).toBe(messages);
    const asked = messages.findLast(({ type }) => type === "human");
    const calls = Number(/#(\d)/u.exec(String(asked?.content))?.[1] ?? 0);
    const id = `a${said++}`;
    if (messages.at(-1)?.type !== "human" || calls === 0)
      return new AIMessage({ id, content: `Answer ${said}` });
    const tool_calls = Array.from({ length: calls }, (_, n) => ({
      id: `call_${n}`,
      name: "lookup",
      args: { n },
    }));
    return new AIMessage({ id, content: "", tool_calls });
  });
  const agent = createAgent({
    model,
    tools: [lookup],
    checkpointer: new MemorySaver(),
    middleware: [
      toolOutputOffloadingMiddleware({ limit: 200, keep: 50 }),
      toolOutputCompressionMiddleware({ limit: 40, keepTurns: 1, saveAtLeast: 1 }),
      contextEditingMiddleware({
        edits: [new ClearToolUsesEdit({ trigger: { tokens: 600 }, keep: { messages: 2 }, saveAtLeast: 1 })],
      }),
      recallMiddleware(),
      summarizationMiddleware({
        summarizer: "extractive",
        trigger: [{ messages: 10 }, { tokens: 1_500 }],
        keep: { messages: 4 },
        summaryTokens: 150,
        onEvent: (event) => {
          if (event.type === "compaction-end") for (const id of event.coveredIds) covered.add(id);
        },
      }),
    ],
  });
  return { agent, covered, config: { configurable: { thread_id: "t" } } };
}

it("edits and removals in between: the history keeps all in its order, the newest wording of each; nothing is lost (9)", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(op, { minLength: 6, maxLength: 16 }), async (ops) => {
      const { agent, covered, config } = setUp();
      const written = new Map<string, unknown>();
      const hidden = new Set<string>();
      let ids: (string | undefined)[] = [];
      let serial = 0;
      const valuesOf = async () =>
        (await agent.getState(config)).values as { messages?: BaseMessage[]; full_messages?: BaseMessage[] };
      for (const step of ops) {
        const { messages: context = [], full_messages: before = [] } = await valuesOf();
        if (step.kind === "say") {
          const content = `#${step.calls} ${"word ".repeat(step.size)}`;
          const message = new HumanMessage({ id: `u${serial++}`, content });
          await agent.invoke({ messages: [message] }, config);
        } else if (step.kind === "edit") {
          const id = before.filter(({ type }) => type === "human")[step.at % Math.max(1, before.length)]?.id;
          if (id === undefined) continue;
          const content = `#0 edited ${serial++}`;
          written.set(id, content);
          hidden.delete(id);
          await agent.updateState(config, { messages: [new HumanMessage({ id, content })] });
        } else if (step.kind === "remove") {
          const own = context.filter(({ type }) => type !== "system");
          const id = own[step.at % Math.max(1, own.length)]?.id;
          if (id === undefined) continue;
          hidden.add(id);
          await agent.updateState(config, { messages: [new RemoveMessage({ id })] });
        } else if (before.length > 0) {
          const call = { id: `call_${step.at}`, name: "lookup", args: { n: 1 } };
          const message = new AIMessage({ id: `d${serial++}`, content: "", tool_calls: [call] });
          await agent.updateState(config, { messages: [message] });
        }
        const { messages: window = [], full_messages: history = [] } = await valuesOf();
        expect(history.slice(0, ids.length).map(({ id }) => id)).toEqual(ids);
        ids = history.map(({ id }) => id);
        for (const { id, content } of history) {
          if (!written.has(id as string)) written.set(id as string, content);
          expect(content).toEqual(written.get(id as string));
        }
        expect(coverage({ history, window, covered, hidden }).lost).toEqual([]);
      }
    }),
    { numRuns: 4 },
  );
});
