import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { dualTrackMessages } from "@skein/agent";
import { END, START, StateGraph, StateSchema } from "@skein/graph";
import { expect, it } from "vitest";
import { countingSaver } from "../../checkpointer/test/support/postgres.ts";
import { schemaPerTest } from "../../checkpointer/test/support/schema-per-test.ts";
import { summarizationNode, summaryFields } from "../src/summarization/index.ts";

const schema = schemaPerTest();
const thread = { configurable: { thread_id: "t" } };

type Saver = Awaited<ReturnType<typeof countingSaver>>["saver"];

const chat = (checkpointer: Saver) =>
  new StateGraph(new StateSchema({ ...dualTrackMessages(), ...summaryFields }))
    .addNode(
      "compact",
      summarizationNode({ trigger: { messages: 6 }, keep: { messages: 2 }, summarizer: () => "So far." }),
    )
    .addNode("model", ({ messages }) => ({ messages: [new AIMessage(`answer to ${messages.length}`)] }))
    .addEdge(START, "compact")
    .addEdge("compact", "model")
    .addEdge("model", END)
    .compile({ checkpointer });

it("a thread with as many summaries as are kept is ready with one query to PostgreSQL (E4, D1)", async () => {
  const { saver } = await countingSaver(schema.name);
  for (let turn = 0; turn < 40; turn += 1)
    await chat(saver).invoke({ messages: [new HumanMessage(`question ${turn}`)] }, thread);
  const cold = await countingSaver(schema.name);
  cold.sent.length = 0;
  const { values } = await chat(cold.saver).getState(thread, { archive: false });
  expect(values._summary).toHaveLength(10);
  expect(values.messages.length).toBeLessThan(8);
  expect(cold.sent).toHaveLength(1);
});
