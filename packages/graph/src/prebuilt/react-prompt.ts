import {
  type BaseMessage,
  type BaseMessageLike,
  isBaseMessage,
  SystemMessage,
} from "@langchain/core/messages";
import { Runnable, RunnableLambda } from "@langchain/core/runnables";
import { GraphError } from "@skein/errors";
import type { LangGraphRunnableConfig } from "../task/config.ts";

interface MessagesState {
  readonly messages: BaseMessage[];
}

/** What stands before the messages, or makes what the model is given of the state. */
export type Prompt =
  | SystemMessage
  | string
  | ((
      state: { messages: BaseMessage[] },
      config: LangGraphRunnableConfig,
    ) => BaseMessageLike[] | Promise<BaseMessageLike[]>)
  | Runnable;

/** @deprecated Use `Prompt`. */
export type MessageModifier =
  | SystemMessage
  | string
  | ((messages: BaseMessage[]) => BaseMessage[] | Promise<BaseMessage[]>)
  | Runnable;

export interface PromptOptions {
  readonly prompt?: Prompt | undefined;
  readonly stateModifier?: Prompt | undefined;
  readonly messageModifier?: MessageModifier | undefined;
}

/** @throws GraphError when several are given, or something else */
export function promptRunnable(options: PromptOptions): Runnable {
  const { prompt, stateModifier, messageModifier } = options;
  const given = [prompt, stateModifier, messageModifier].filter((one) => one !== undefined && one !== null);
  if (given.length > 1) {
    throw new GraphError(
      "INVALID_CONFIGURATION",
      "Only one of prompt, stateModifier and messageModifier can be given.",
    );
  }
  if (messageModifier !== undefined && messageModifier !== null) return ofMessages(messageModifier);
  return ofState(prompt ?? stateModifier);
}

function ofState(prompt: Prompt | undefined): Runnable {
  if (Runnable.isRunnable(prompt)) return prompt;
  return lambda(stateFunction(prompt));
}

function ofMessages(modifier: MessageModifier): Runnable {
  if (Runnable.isRunnable(modifier)) return lambda(({ messages }: MessagesState) => messages).pipe(modifier);
  if (typeof modifier !== "function") return ofState(modifier);
  return lambda(({ messages }: MessagesState) => modifier(messages));
}

function stateFunction(
  prompt: Exclude<Prompt, Runnable> | undefined,
): (state: never, config: never) => unknown {
  if (prompt === undefined || prompt === null) return ({ messages }: MessagesState) => messages;
  if (typeof prompt === "function") return prompt;
  if (typeof prompt === "string") return stateFunction(new SystemMessage(prompt));
  if (isBaseMessage(prompt) && prompt.type === "system") {
    return ({ messages }: MessagesState) => [prompt, ...messages];
  }
  throw new GraphError("INVALID_CONFIGURATION", `A prompt cannot be made of ${typeof prompt}.`);
}

function lambda(fn: (state: never, config: never) => unknown): Runnable {
  return RunnableLambda.from(fn as (state: unknown) => unknown).withConfig({ runName: "prompt" });
}
