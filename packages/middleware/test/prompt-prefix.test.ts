import { AIMessage, HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent } from "@skein/agent";
import { MemorySaver } from "@skein/checkpointer";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";
import { summarizationMiddleware, type Placement } from "../src/summarization/index.ts";
import { ScriptedModel } from "./scripted-model.ts";

const lookup = tool(({ q }) => `found ${q}`, {
  name: "lookup",
  description: "Looks things up",
  schema: z.object({ q: z.string() }),
});

/** What a provider is sent of a message; ids and metadata are not. */
const asBytes = (message: BaseMessage): string => {
  const { tool_calls: calls, tool_call_id: answers } = message as {
    tool_calls?: unknown;
    tool_call_id?: unknown;
  };
  return JSON.stringify([message.type, message.content, calls ?? [], answers ?? ""]);
};

const turn = fc.record({ said: fc.string({ unit: "grapheme", maxLength: 80 }), calls: fc.nat(3) });

it.each<[Placement, boolean]>([
  ["system", false],
  ["prompt", false],
  ["user", true],
])(
  "between two compactions a prompt is the one before plus a suffix, byte for byte: summary as %s, background %s (C3)",
  async (placement, background) => {
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 6, maxLength: 14 }), async (turns) => {
        let calls = 0;
        let compacted = false;
        const free = new Set<number>();
        const model = new ScriptedModel((messages) => {
          if (compacted) free.add(model.prompts.length - 1);
          compacted = false;
          const asked = messages.findLast(({ type }) => type === "human");
          const wanted = Number(/#(\d)/u.exec(String(asked?.content))?.[1] ?? 0);
          if (messages.at(-1)?.type !== "human" || wanted === 0) return new AIMessage(`Answer ${calls}.`);
          const tool_calls = Array.from({ length: wanted }, () => ({
            id: `call_${calls++ % 4}`,
            name: "lookup",
            args: { q: `item ${calls}` },
          }));
          return new AIMessage({ content: "", tool_calls });
        });
        const agent = createAgent({
          model,
          tools: [lookup],
          systemPrompt: "You help.",
          checkpointer: new MemorySaver(),
          middleware: [
            summarizationMiddleware({
              summarizer: "extractive",
              trigger: { messages: 12 },
              keep: { messages: 6 },
              placement,
              background,
              onEvent: ({ type }) => {
                if (type === "compaction-end") compacted = true;
              },
            }),
          ],
        });
        const thread = { configurable: { thread_id: "t" } };
        for (const { said, calls: wanted } of turns) {
          await agent.invoke({ messages: [new HumanMessage(`#${wanted} ${said}`)] }, thread);
        }
        const prompts = model.prompts.map((prompt) => prompt.map(asBytes));
        for (let at = 1; at < prompts.length; at++) {
          if (free.has(at)) continue;
          const before = prompts[at - 1] as string[];
          expect((prompts[at] as string[]).slice(0, before.length)).toEqual(before);
        }
      }),
      { numRuns: 4 },
    );
  },
);
