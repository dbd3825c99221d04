import type { BaseMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { afterEach, vi } from "vitest";
import { z } from "zod";
import { startOpenAI, type ChatRequest, type WireReply } from "./openai-server.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const stop of stops.splice(0)) await stop();
});

/** The real client of OpenAI, and a server that answers it in order. */
export async function openAI(...replies: (WireReply | ((request: ChatRequest) => WireReply))[]) {
  return await openAIThat({}, ...replies);
}
export async function openAIThat(
  options: { readonly streaming?: boolean },
  ...replies: (WireReply | ((request: ChatRequest) => WireReply))[]
) {
  let said = 0;
  const server = await startOpenAI((request) => {
    const next = replies[Math.min(said, replies.length - 1)] as (typeof replies)[number];
    said += 1;
    return typeof next === "function" ? next(request) : next;
  });
  stops.push(server.stop);
  const model = new ChatOpenAI({
    model: "gpt-4o-mini",
    apiKey: "none",
    maxRetries: 0,
    configuration: { baseURL: server.url },
    ...options,
  });
  return { server, model };
}

export const weather = tool(({ city }: { city: string }) => `${city}: sunny`, {
  name: "weather",
  description: "Tells the weather",
  schema: z.object({ city: z.string() }),
});
export const asks = {
  calls: [
    { id: "call_a", name: "weather", args: { city: "Oslo" } },
    { id: "call_b", name: "weather", args: { city: "São Paulo" } },
  ],
};
export const lines = (list: readonly BaseMessage[]): string[] =>
  list.map(({ type, text }) => `${type}: ${text}`);
export const thread = { configurable: { thread_id: "t" } };
