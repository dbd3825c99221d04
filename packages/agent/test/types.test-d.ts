import type { BaseMessage } from "@langchain/core/messages";
import { type AgentMiddleware, createAgent, createMiddleware } from "@skein/agent";
import { StreamChannel, type StreamTransformer } from "@skein/graph";
import { expectTypeOf } from "vitest";
import { z } from "zod";

const counting = createMiddleware({ name: "counting", stateSchema: z.object({ rounds: z.number() }) });
const agent = createAgent({ model: "openai:gpt-5", middleware: [counting] });
interface Said {
  messages: BaseMessage[];
  rounds: number;
}

async function streams(): Promise<void> {
  for await (const chunk of await agent.stream({ messages: "hi" }, { streamMode: "values" })) {
    expectTypeOf(chunk).toExtend<Said>();
  }
  for await (const chunk of await agent.stream({ messages: "hi" })) {
    expectTypeOf(chunk).toExtend<Record<string, Said>>();
  }
  const modes = await agent.stream({ messages: "hi" }, { streamMode: ["messages", "values"] });
  for await (const [mode, value] of modes) {
    expectTypeOf(mode).toEqualTypeOf<"messages" | "values">();
    if (mode === "messages") expectTypeOf(value[0]).toEqualTypeOf<BaseMessage>();
    else expectTypeOf(value.rounds).toEqualTypeOf<number>();
  }
  const within = await agent.stream({ messages: "hi" }, { streamMode: "updates", subgraphs: true });
  for await (const [namespace] of within) expectTypeOf(namespace).toEqualTypeOf<string[]>();
  for await (const bytes of await agent.stream({ messages: "hi" }, { encoding: "text/event-stream" })) {
    expectTypeOf(bytes).toEqualTypeOf<Uint8Array>();
  }
  // @ts-expect-error -- an encoding is for streams
  await agent.invoke({ messages: "hi" }, { encoding: "text/event-stream" });
}
void streams;

const counter = (): StreamTransformer<{ count: StreamChannel<number> }> => ({
  init: () => ({ count: StreamChannel.remote<number>("count") }),
  process: () => true,
});
const namer = (): StreamTransformer<{ names: StreamChannel<string> }> => ({
  init: () => ({ names: StreamChannel.remote<string>("names") }),
  process: () => true,
});
const naming = createMiddleware({ name: "naming", streamTransformers: [namer] });
const viewed = createAgent({
  model: "openai:gpt-5",
  middleware: [counting, naming],
  streamTransformers: [counter],
});

async function views(): Promise<void> {
  const { extensions } = await viewed.streamEvents({ messages: "hi" }, { version: "v3" });
  expectTypeOf(extensions.count).toEqualTypeOf<StreamChannel<number>>();
  expectTypeOf(extensions.names).toEqualTypeOf<StreamChannel<string>>();
  expectTypeOf(extensions.other).toBeUnknown();
}
void views;

const list: AgentMiddleware[] = [counting, naming];
void createAgent({ model: "openai:gpt-5", middleware: list });
