import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { BaseChatModel, type BaseChatModelParams } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage, type ToolMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { type DynamicStructuredTool, tool } from "@langchain/core/tools";
import { z } from "zod";
import { createAgent } from "../src/index.ts";
import { calls, ScriptedModel } from "./scripted-model.ts";

/** A method of its own makes a model, or a tool, be called by `invoke()`. */
export const byInvoke = <T extends { invoke(...given: never[]): unknown }>(of: T): T =>
  Object.assign(of, { invoke: of.invoke.bind(of) });

type Given = [messages: BaseMessage[], options: Record<string, unknown>, ...rest: unknown[]];

/** Keeps what it is given, and knows whether it is asked by `invoke()`, which alone asks whose model it is. */
export class Telling extends BaseChatModel {
  readonly given: unknown[] = [];
  readonly combined: unknown[] = [];
  asked = 0;

  answer: () => ChatResult | Promise<ChatResult> = () => result("bye");

  constructor(fields: { answer?: Telling["answer"]; [key: string]: unknown } = {}) {
    super(fields as BaseChatModelParams);
    this.answer = fields.answer ?? this.answer;
  }
  _llmType(): string {
    return "telling";
  }
  override getLsParams(options: never) {
    this.asked += 1;
    return super.getLsParams(options);
  }
  override bindTools(tools: unknown[], settings: object = {}) {
    return this.withConfig({ tools: tools.length, ...settings } as never) as never;
  }
  override _combineLLMOutput(...all: unknown[]): Record<string, unknown> {
    this.combined.push(all);
    return {};
  }
  override _generate(...given: Given): Promise<ChatResult> {
    // RunnableRetry adds what its run has
    const [messages, { signal, executionInfo: _i, writer: _w, interrupt: _a, control: _c, ...options }] =
      given;
    const ambient = AsyncLocalStorageProviderSingleton.getRunnableConfig() as
      | { signal?: unknown }
      | undefined;
    const said = messages.map((message) => [message.getType(), message.content]);
    const members = Object.keys(given[1]).toSorted();
    this.given.push({ said, options, members, isOfRun: signal === ambient?.signal, count: given.length });
    // the list is the call's own
    messages.length = 0;
    return this.answer() as Promise<ChatResult>;
  }
}

/** Hears, and does nothing. */
export const silent = (): BaseCallbackHandler => BaseCallbackHandler.fromMethods({});
export const result = (content: string, more: object = {}): ChatResult => ({
  generations: [{ text: content, message: new AIMessage({ content, ...more }) }],
});
type Config = Record<string, unknown> & { readonly config: Record<string, unknown> };
export type Func = (input: never, config: Config) => unknown;

export const fields = { name: "act", description: "Acts." };
export const anything = z.looseObject({});
export const made = (func: Func, more: object = {}): DynamicStructuredTool =>
  tool(func as never, { ...fields, schema: anything, ...more } as never) as unknown as DynamicStructuredTool;

/** How often LangChain looks at a tool's tags, which only `invoke()` does. */
export function watched(of: DynamicStructuredTool): { readonly asked: number } {
  const looks = { asked: 0 };
  const get = (): string[] => {
    looks.asked += 1;
    return [];
  };
  Object.defineProperty(of, "tags", { get });
  return looks;
}

interface Turn {
  readonly args?: Record<string, unknown>;
  readonly options?: object;
  readonly middleware?: never;
}

/** What a turn ends in: the tool's answer, or what it throws. */
export async function turn(
  of: DynamicStructuredTool,
  { args = {}, options = {}, middleware }: Turn = {},
): Promise<unknown[]> {
  const model = new ScriptedModel(calls(["act", args, "call-1"]), "bye");
  const settings = middleware === undefined ? {} : { middleware };
  const agent = createAgent({ model, tools: [of], ...settings } as never);
  const ended = await agent.invoke({ messages: "go" }, options).catch((error: unknown) => error);
  if (ended instanceof Error) return [ended.constructor, ended.message];
  return (ended as { messages: ToolMessage[] }).messages.slice(2, -1).map((message) => {
    const { content, artifact, metadata, status, name, lc_kwargs } = message;
    return { content, artifact, metadata, status, name, kwargs: Object.keys(lc_kwargs).toSorted() };
  });
}

/** What a tool is given, whatever else it is in each run: by its keys, beside what the node has. */
export function shown(
  config: Record<string, unknown>,
  node: Record<string, unknown>,
): Record<string, unknown> {
  const ofRun = /checkpoint|executionInfo|nodeAttempt/;
  const entries = Object.entries(config).filter(([key]) => !ofRun.test(key));
  const values = entries.map(([key, value]): [string, unknown] => {
    if (value === node[key] && (typeof value === "function" || Object(value) === value))
      return [key, "the node's"];
    if (value instanceof AbortSignal) return [key, "another"];
    if (key === "metadata") return [key, shown(value as typeof config, {})];
    if (key === "state" || key === "config" || key === "configurable") {
      return [key, Reflect.ownKeys(value as object)];
    }
    return [key, value];
  });
  return { keys: Object.keys(config), ...Object.fromEntries(values) };
}

/** Changes what it is given, and returns what the node has. */
export const changing: Func = (_input, given) => {
  const { tags, metadata, configurable, config } = given as never as Record<string, Record<string, object>>;
  (tags as never as string[]).push("own");
  for (const changed of [metadata, configurable]) Object.assign(changed as object, { own: 1 });
  return [config?.["tags"], config?.["metadata"], Object.keys(config?.["configurable"] as object)];
};

/** Is no JSON. */
export class Circle {
  readonly self = this;
  toString(): string {
    return "a circle";
  }
}
