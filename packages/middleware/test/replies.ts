import type { BindToolsInput } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, type BaseMessage, type ToolMessage } from "@langchain/core/messages";
import { RunnableLambda, type Runnable } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { z } from "zod";
import { ScriptedModel } from "./scripted-model.ts";

export interface Call {
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly id: string;
}

/** What the model says next: text, calls of tools, a message, or a failure. */
export type Reply = string | readonly Call[] | AIMessage | Error;

/** A model that says what it was told to, in order; the last reply again and again. */
export class Replies extends ScriptedModel {
  /** Names of the tools that each binding offered. */
  readonly offered: string[][] = [];
  readonly settings: unknown[] = [];
  /** Configurations of structured calls. */
  readonly asked: { tags?: string[] }[] = [];
  readonly structured: unknown;

  constructor(replies: readonly Reply[], structured?: unknown) {
    let said = 0;
    super(() => {
      const reply = replies[Math.min(said, replies.length - 1)];
      said += 1;
      if (reply === undefined) throw new Error("nothing to say");
      if (reply instanceof Error) throw reply;
      if (typeof reply === "string") return new AIMessage(reply);
      if (AIMessage.isInstance(reply)) return reply;
      return new AIMessage({ content: "", tool_calls: [...reply] });
    });
    this.structured = structured;
    // its own retries would hide what middleware does
    this.caller = Object.assign(this.caller, { maxRetries: 0 });
  }
  override bindTools(tools: BindToolsInput[], settings?: unknown): this {
    this.offered.push(tools.map((one) => (one as { name: string }).name));
    this.settings.push(settings);
    return this;
  }
  override withStructuredOutput(): never {
    return RunnableLambda.from((_input: unknown, config) => {
      this.asked.push(config);
      const { structured } = this;
      return typeof structured === "function" ? (structured() as unknown) : structured;
    }) as Runnable as never;
  }
}

export const saying = (...replies: readonly Reply[]): Replies => new Replies(replies);

export const call = (name: string, args: Record<string, unknown> = {}, id = `call-${name}`): Call => ({
  name,
  args,
  id,
});

export const says = (content: string): { messages: HumanMessage[] } => ({
  messages: [new HumanMessage(content)],
});

export const onThread = (thread_id: string): { configurable: { thread_id: string } } => ({
  configurable: { thread_id },
});

/** A tool that remembers what it was called with, and does what a function says. */
export function recorded(
  name: string,
  run: (args: Record<string, unknown>) => unknown = () => `${name} done`,
) {
  const calls: Record<string, unknown>[] = [];
  const made = tool(
    (args: Record<string, unknown>) => {
      calls.push(args);
      return run(args);
    },
    { name, description: `Does ${name}`, schema: z.looseObject({}) },
  );
  return Object.assign(made, { calls });
}

/** Messages in one line each: what they are, say and ask for. */
export const inLines = (messages: readonly BaseMessage[]): string[] =>
  messages.map((message) => {
    const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
    const asked = calls.map(({ name, args }) => ` ${name}(${JSON.stringify(args)})`).join("");
    const failed = (message as ToolMessage).status === "error" ? "!" : "";
    return `${message.type}${failed}: ${message.text}${asked}`;
  });
