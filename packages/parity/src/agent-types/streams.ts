import type { BaseMessage } from "@langchain/core/messages";
import { StateGraph, MessagesAnnotation, START } from "@langchain/langgraph";
import {
  type AgentRunStream,
  createAgent,
  createMiddleware,
  type ReactAgent,
  type SubagentRunStream,
  type ToolCallStreamUnion,
} from "langchain";
import { z } from "zod";
import { add, model, spell } from "./kit.ts";

const counting = createMiddleware({
  name: "counting",
  stateSchema: z.object({ rounds: z.number().default(0) }),
});
const agent = createAgent({ model, tools: [add], middleware: [counting] });
const calling = createAgent({ model, tools: [add, spell] });
const go = { messages: "hi" };

/** Chunks of every mode. */
export async function streams(): Promise<void> {
  for await (const chunk of await agent.stream(go, { streamMode: "values" })) {
    [chunk.rounds, chunk.messages] satisfies [number, BaseMessage[]];
  }
  for await (const chunk of await agent.stream(go)) Object.keys(chunk) satisfies string[];
  for await (const [message, metadata] of await agent.stream(go, { streamMode: "messages" })) {
    [message.text, metadata["langgraph_node"]] satisfies [string, unknown];
  }
  const several = await agent.stream(go, { streamMode: ["values", "messages", "custom"] });
  for await (const [mode, chunk] of several) {
    if (mode === "messages") chunk[0].text satisfies string;
    else if (mode === "values") chunk.rounds satisfies number;
  }
  const within = await agent.stream(go, { streamMode: ["updates", "values"], subgraphs: true });
  for await (const [namespace, mode] of within) {
    [namespace, mode] satisfies [string[], "updates" | "values"];
  }
  const wire = await agent.stream(go, { streamMode: "values", encoding: "text/event-stream" });
  for await (const bytes of wire) bytes satisfies Uint8Array;
  for await (const { event, data } of agent.streamEvents(go, { version: "v2" })) {
    [event, data] satisfies [string, unknown];
  }
}

/** Views of a run. */
export async function views(): Promise<void> {
  const run = await calling.streamEvents(go, { version: "v3" });
  for await (const call of run.toolCalls) {
    call.name satisfies "add" | "spell";
    if (call.name === "add") (await call.output) satisfies number;
    else call.input.word satisfies string;
  }
  for await (const { name, toolCalls } of run.subagents) {
    name satisfies string;
    for await (const { callId } of toolCalls) callId satisfies string;
  }
  for await (const message of run.messages) (await message.text) satisfies string;
  (await run.output).messages satisfies BaseMessage[];
}

export const any: readonly ReactAgent[] = [createAgent({ model })];
// oxlint-disable-next-line typescript/no-explicit-any -- as programs write it
export const agents = new Map<string, ReactAgent<any>>([
  ["agent", agent],
  ["calling", calling],
]);
export async function follow(run: AgentRunStream): Promise<void> {
  for await (const one of run.subagents) (one satisfies SubagentRunStream).name satisfies string;
}
export const inputOf = (call: ToolCallStreamUnion<readonly [typeof add]>): number => call.input.a;

/** An agent as a node, by itself and within a node of one's own. */
export const graph = new StateGraph(MessagesAnnotation)
  .addNode("agent", agent.graph)
  .addNode("calling", async ({ messages }, config) => ({
    messages: (await calling.invoke({ messages }, config)).messages.slice(-1),
  }))
  .addEdge(START, "agent")
  .addEdge("agent", "calling")
  .compile();

export async function notStreams(): Promise<void> {
  // @ts-expect-error -- no mode
  await agent.stream(go, { streamMode: "nothing" });
  // @ts-expect-error -- no mode
  await agent.stream(go, { streamMode: ["values", "nothing"] });
  // @ts-expect-error -- no version
  agent.streamEvents(go, { version: "v9" });
  // @ts-expect-error -- only streams have modes
  await agent.invoke(go, { streamMode: "values" });
  for await (const chunk of await agent.stream(go, { streamMode: "values" })) {
    // @ts-expect-error -- no key of it
    void chunk.nothing;
  }
  const run = await calling.streamEvents(go, { version: "v3" });
  for await (const call of run.toolCalls) {
    // @ts-expect-error -- no such tool
    if (call.name === "nothing") void call;
  }
}
