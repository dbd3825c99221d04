// What `scripts/compile-early.mjs` runs: compactions are planned and summarised, one after the other.
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";

export const entries = ["index.js"];
export const files = /^index\.js$/;

const turn = (n) => [
  new HumanMessage({ id: `u${n}`, content: "Where is my order?" }),
  new AIMessage({ id: `c${n}`, content: "", tool_calls: [{ id: `t${n}`, name: "find", args: { n } }] }),
  new ToolMessage({ id: `r${n}`, content: "In the warehouse.", tool_call_id: `t${n}` }),
  new AIMessage({ id: `a${n}`, content: "It is in the warehouse." }),
];

export async function firstRun([context]) {
  const { compactionPolicy, createTokenCounter, extractiveSummarizer, planCompaction } = context;
  const counter = createTokenCounter();
  const policy = compactionPolicy({ trigger: { messages: 12 }, keep: { messages: 4 }, counter });
  const summarize = extractiveSummarizer(counter);
  let messages = [];
  let compactions = 0;
  for (let n = 1; n <= 6; n += 1) {
    messages.push(...turn(n));
    const plan = planCompaction(messages, {}, policy);
    if (plan.action !== "compact") continue;
    summarize({ messages: plan.summarize, maxTokens: plan.summaryTokens });
    messages = [...plan.keep];
    compactions += 1;
  }
  if (compactions === 0) throw new Error("the first run compacted nothing");
}
