import type { LanguageModelLike } from "@langchain/core/language_models/base";
import type { BaseMessage } from "@langchain/core/messages";
import type { RunnableLike } from "@langchain/core/runnables";
import type { InteropZodType } from "@langchain/core/utils/types";
import type { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";
import type { Messages } from "../channels/messages-reducer.ts";
import type { ContextOf } from "../graph/init.ts";
import type { START } from "../ids/names.ts";
import type { StateOf, UpdateOf } from "../state/definition.ts";
import type { LangGraphRunnableConfig, Runtime } from "../task/config.ts";
import type { MessageModifier, Prompt } from "./react-prompt.ts";
import type { ServerTool } from "./react-model.ts";
import type { Tool, ToolNode } from "./tool-node.ts";

/** Records of any values, as LangGraph types them. */
// oxlint-disable-next-line typescript/no-explicit-any -- users narrow it
export type AnyRecord = Record<string, any>;

/** @deprecated It has moved to the package `langchain`. */
// no interface: those do not fit a state of any keys
export type AgentState<Structured extends AnyRecord = AnyRecord> = {
  messages: BaseMessage[];
  structuredResponse: Structured;
};

export type AgentNode = typeof START | "agent" | "tools";

/** What was inferred from elsewhere: a hook does not say what the state is. */
type Given<A> = [A][A extends unknown ? 0 : never];

/** What `preModelHook` may write besides the state: what the model is given instead of `messages`. */
interface HookState {
  llmInputMessages: BaseMessage[];
}
interface HookUpdate {
  llmInputMessages?: Messages;
}

export interface StructuredOptions<Structured> {
  schema: InteropZodType<Structured> | AnyRecord;
  /** Stands before the messages when the structured answer is asked for. */
  prompt?: string;
  strict?: boolean;
  [key: string]: unknown;
}

/** @deprecated It has moved to the package `langchain`. */
export interface CreateReactAgentParams<A = unknown, Structured extends AnyRecord = AnyRecord, C = unknown> {
  /** A chat model that can call tools, or a function that chooses one for each call. */
  llm:
    | LanguageModelLike
    | ((
        state: StateOf<A> & HookState,
        runtime: Runtime<ContextOf<C>>,
      ) => Promise<LanguageModelLike> | LanguageModelLike);
  /** Tools, or a ToolNode that has them. */
  tools: ToolNode | (ServerTool | Tool)[];
  /** @deprecated Use `prompt`. */
  messageModifier?: MessageModifier;
  /** @deprecated Use `prompt`. */
  stateModifier?: Prompt;
  /**
   * A text or system message that stands before the messages; or a function or Runnable that makes
   * of the state what the model is given.
   */
  prompt?: Prompt;
  /** The state, which must have `messages`. Default: messages and the structured response. */
  stateSchema?: A;
  /** What a call may pass as `context`. */
  contextSchema?: C;
  /** Where threads are stored. */
  checkpointer?: BaseCheckpointSaver | boolean;
  /** The same. */
  checkpointSaver?: BaseCheckpointSaver | boolean;
  interruptBefore?: AgentNode[] | "*";
  interruptAfter?: AgentNode[] | "*";
  store?: BaseStore;
  /**
   * The form of a structured answer: when the loop is over, the model is asked once more, and its
   * answer stands under `structuredResponse`. Needs a model with `withStructuredOutput`.
   */
  responseFormat?: InteropZodType<Structured> | StructuredOptions<Structured> | AnyRecord;
  /** Name of the agent, and of its messages. */
  name?: string;
  description?: string;
  /** "inline": the model is told in the text which agent said what. Default: by the messages' names. */
  includeAgentName?: "inline";
  /** Runs before every call of the model. */
  preModelHook?: RunnableLike<
    StateOf<Given<A>> & HookState,
    UpdateOf<Given<A>> & HookUpdate,
    LangGraphRunnableConfig
  >;
  /** Runs after every call of the model. */
  postModelHook?: RunnableLike<StateOf<Given<A>>, UpdateOf<Given<A>>, LangGraphRunnableConfig>;
  /**
   * "v1": one task runs all tools of a message at once. "v2": each call is a task of its own, sent
   * there. Default: "v1".
   */
  version?: "v1" | "v2";
}
