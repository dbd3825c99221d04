import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import {
  compactionPolicy,
  countOrphans,
  createTokenCounter,
  extractiveSummarizer,
  planClearing,
  planCompaction,
  planCompression,
  planLoopView,
  planOffloading,
  repair,
  runLoops,
} from "../src/index.ts";

/** What providers, older stores and programs have left in messages. */
const content = fc.constantFrom<unknown>(
  null,
  undefined,
  "",
  "plain text, and some more of it to be worth a thing ".repeat(9),
  7,
  {},
  [],
  [null],
  ["text", 5],
  [{ type: "text" }],
  [{ type: "text", text: null }],
  [{ type: "tool_use", id: "a", input: null }],
  [{ type: "image_url" }],
  [{ type: "tool_result", content: [{ type: "text", text: "inside" }] }],
);
const calls = fc.constantFrom<unknown>(
  undefined,
  null,
  [],
  [{ id: "a", name: "look", args: {} }],
  [{ id: undefined, name: "look", args: undefined }],
  [{ id: "a", name: undefined, args: "no object" }],
  [
    { id: "a", name: "look", args: null },
    { id: "a", name: "look", args: [] },
  ],
);
const KINDS = { human: HumanMessage, ai: AIMessage, system: SystemMessage, tool: ToolMessage };
const message = fc
  .record({
    kind: fc.constantFrom(...(["human", "ai", "system", "tool"] as const)),
    content,
    calls,
    answers: fc.constantFrom("a", "b", undefined, null),
    kwargs: fc.constantFrom<unknown>(
      {},
      undefined,
      { timestamp: "no date" },
      { skein_shortened: "?" },
      { skein_shortened: { by: "compressed", after: "m3" } },
      { lc_source: 5 },
    ),
    usage: fc.constantFrom<unknown>(
      undefined,
      null,
      {},
      { input_tokens: "many" },
      { input_tokens: 50 },
      {
        input_tokens: 50,
        output_tokens: "x",
        output_token_details: null,
      },
    ),
  })
  .map(({ kind, content: body, calls: tool_calls, answers, kwargs, usage }): BaseMessage => {
    const made = new KINDS[kind]({ content: "", tool_call_id: "" });
    const fields = { content: body, additional_kwargs: kwargs };
    const own = {
      ai: { tool_calls, usage_metadata: usage },
      tool: { tool_call_id: answers },
      human: {},
      system: {},
    };
    return Object.assign(made, fields, own[kind]);
  });

it("malformed messages are counted, planned and repaired like others, and none is lost (bad input)", () => {
  const counter = createTokenCounter();
  const summarize = extractiveSummarizer(counter);
  const policy = compactionPolicy({ trigger: { messages: 6 }, keep: { messages: 3 }, counter, now: () => 0 });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 14 }), (messages) => {
      for (const [at, one] of messages.entries()) one.id = `m${at}`;
      expect(counter.messages(messages)).toBeGreaterThan(0);
      const repaired = repair(messages).messages;
      expect([countOrphans(repaired), repair(repaired).messages]).toEqual([0, repaired]);
      const plan = planCompaction(messages, {}, policy);
      expect(plan.report.facts.tokens).toBeGreaterThan(0);
      const parts = plan.action === "compact" ? [...plan.head, ...plan.summarize, ...plan.keep] : messages;
      expect(parts).toEqual(messages);
      if (plan.action === "compact") summarize({ messages: plan.summarize, maxTokens: 200 });
      const { before, loops } = runLoops(messages);
      expect([...before, ...loops.flatMap((loop) => loop.messages)]).toEqual(messages);
      const shown = [
        planLoopView(messages, { loops: 2, characters: 20, maxAge: 5, now: 9, counter }),
        planCompression(messages, { limit: 5, keepTurns: 0, saveAtLeast: 0, counter }),
        planOffloading(messages, { limit: 20, keep: 5, counter }),
        planClearing(messages, {
          keep: { messages: 0 },
          placeholder: "-",
          clearToolInputs: true,
          saveAtLeast: 0,
          counter,
        }),
      ].flatMap(({ replace }) => replace.map(({ id }) => id));
      expect(new Set(messages.map(({ id }) => id))).toEqual(
        new Set([...messages.map(({ id }) => id), ...shown]),
      );
    }),
    { numRuns: 60 },
  );
});
