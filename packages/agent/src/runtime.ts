import type { BaseMessage, SystemMessage } from "@langchain/core/messages";
import type { ClientTool, ServerTool } from "@langchain/core/tools";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import type { MessagesUpdate } from "./messages/update.ts";

/** Where a hook can send the run: to the model, to the tools, or to its end. */
export const JUMP_TO_TARGETS = ["model", "tools", "end"] as const;
export type JumpToTarget = (typeof JUMP_TO_TARGETS)[number];

// a type, not an interface: its values pass for records of what is not known
/** The part of the state that every agent has. */
export type AgentBuiltInState = {
  /** What the model sees: the context, not the complete history. */
  messages: BaseMessage[];
  /** The answer of this turn, once the model gave one in the agent's `responseFormat`. */
  structuredResponse?: Record<string, unknown> | undefined;
};

/** What every hook may write, beside the keys of its own state schema. */
export interface AgentBuiltInUpdate {
  messages?: MessagesUpdate;
  structuredResponse?: Record<string, unknown> | undefined;
}

/** What an agent sends with every call of its model beside the messages, unless a wrap changes it. */
export interface AgentPrompt {
  /** The system prompt; absent when it is empty. */
  readonly systemMessage?: SystemMessage | undefined;
  /** Those of the agent, then those of its middleware; always the same array. */
  readonly tools: readonly (ClientTool | ServerTool)[];
  /** Tokens that the agent's model takes, where its profile says so; of a model by name nobody knows. */
  readonly window?: number | undefined;
}

/** What a hook is given beside the state. Read-only. */
export type Runtime<TContext = unknown> = undefined extends TContext
  ? RuntimeOfRun & { readonly context?: TContext | undefined }
  : HookRuntime<TContext>;

/** The same without a condition, which would keep a helper for any context from one that is known. */
export interface HookRuntime<TContext> extends RuntimeOfRun {
  /** What the caller passed as `context`, through the middleware's `contextSchema` if it has one. */
  readonly context: TContext;
}

interface RuntimeOfRun {
  /** Memory across threads, when the agent has one. */
  readonly store?: BaseStore | undefined;
  readonly configurable?: { readonly thread_id?: string; readonly [key: string]: unknown } | undefined;
  /** Sends a chunk to `streamMode: "custom"`. */
  readonly writer?: ((chunk: unknown) => void) | undefined;
  /** Stops the run here until somebody resumes it; returns what they resumed it with. */
  readonly interrupt?: ((value: unknown) => unknown) | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * For the hooks that are nodes (before and after agent and model): what counts in the prompt but
   * stands in no message. LangChain's agent does not tell it.
   */
  readonly prompt?: AgentPrompt | undefined;
  /** For the same hooks, where the context comes from. LangChain's agent does not tell it. */
  readonly contextSource?: ContextSource | undefined;
}

/** How a context is restored: built anew when what shapes it was configured anew, or taken as it was saved. */
export type Restore = "rebuild" | "exact";

/** What middleware that shapes the context is told of it. */
export interface ContextSource {
  /** The agent's option. */
  readonly restore: Restore;
  /** The `contextConfiguration` of all middleware of the agent that have one, by name. */
  readonly configurations: Readonly<Record<string, string>>;
  /** Loads the complete history, without what was removed from the context. */
  history(): Promise<BaseMessage[]>;
}
