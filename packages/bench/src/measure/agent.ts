import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ToolCall } from "@langchain/core/messages/tool";
import type { ChatResult } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import type { Figures, Params } from "../protocol.ts";
import { numberOf, textOf } from "../protocol.ts";
import { type EngineSide, openSaver, type SaverKind, type Side } from "../sides.ts";
import { median, sample } from "../stats.ts";
import { question } from "./conversation.ts";

const CALL: ToolCall = { type: "tool_call", name: "add", args: { a: 1, b: 2 }, id: "call" };

/** Calls the tool when it is asked, and answers when it has the result. */
export class Scripted extends BaseChatModel {
  override _llmType(): string {
    return "scripted";
  }
  override bindTools(): this {
    return this;
  }
  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const isAnswered = messages.at(-1)?.type === "tool";
    const message = isAnswered
      ? new AIMessage("it is three")
      : new AIMessage({ content: "", tool_calls: [CALL] });
    return { generations: [{ text: message.text, message }] };
  }
}

export const add = tool(({ a, b }) => String(a + b), {
  name: "add",
  description: "Adds two numbers",
  schema: z.object({ a: z.number(), b: z.number() }),
});

type Turn = () => Promise<void>;

/**
 * Microseconds of a turn of an agent: model, one tool, model. On the floor, the same calls in a bare loop.
 * `early`: at a fifth of the warm-up, where half of the code is not yet optimised.
 */
export async function agentTurn(side: Side, params: Params): Promise<Figures> {
  const turn = side === "floor" ? bareTurn() : await turnOf(side, textOf(params, "saver") as SaverKind);
  const turns = numberOf(params, "turns");
  const act = async (): Promise<void> => {
    for (let at = 0; at < turns; at += 1) await turn();
  };
  const [count, warmUp, longest] = [
    numberOf(params, "samples"),
    numberOf(params, "warmUp"),
    numberOf(params, "longest"),
  ];
  const early = await sample(Math.ceil(count / 3), Math.ceil(warmUp / 5), act, {
    longest: longest / 5,
    least: 0,
  });
  const samples = await sample(count, warmUp - Math.ceil(warmUp / 5) - early.length, act, { longest });
  const perTurn = (times: readonly number[]): number => (median(times) / turns) * 1_000;
  return { perTurn: perTurn(samples), early: perTurn(early) };
}

function bareTurn(): Turn {
  const model = new Scripted({});
  return async () => {
    const messages: BaseMessage[] = [question(1)];
    messages.push(await model.invoke(messages));
    messages.push(await add.invoke(CALL));
    messages.push(await model.invoke(messages));
    requireAnswer(messages);
  };
}

async function turnOf(side: EngineSide, kind: SaverKind): Promise<Turn> {
  const { saver } = await openSaver(side, kind, "");
  const { createAgent } =
    side === "skein"
      ? ((await import("@skein/agent")) as unknown as typeof import("langchain"))
      : await import("langchain");
  const options = saver === undefined ? {} : { checkpointer: saver };
  const agent = createAgent({ model: new Scripted({}), tools: [add], ...options });
  let thread = 0;
  return async () => {
    thread += 1;
    const config = saver === undefined ? {} : { configurable: { thread_id: String(thread) } };
    const { messages } = await agent.invoke({ messages: [question(1)] }, config);
    requireAnswer(messages);
  };
}

function requireAnswer(messages: readonly BaseMessage[]): void {
  if (messages.length !== 4) throw new Error(`the turn has ${messages.length} messages, not 4`);
}
