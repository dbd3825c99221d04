import type { SystemMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver, BaseStore } from "@langchain/langgraph-checkpoint";
import type { TransformerFactory } from "@skein/graph";
import type { ResponseFormatInput } from "../response/format.ts";
import type { AnyAnnotationRoot, ContextSchemaLike, StateSchemaLike } from "../middleware/schema.ts";
import type { AnyAgentMiddleware } from "../middleware/types.ts";
import type { OnBusy } from "./busy.ts";
import type { OnStop } from "./heal.ts";
import type { Restore } from "../runtime.ts";
import type { AgentLanguageModelLike, AgentTool } from "../model/request.ts";

// oxlint-disable typescript/no-explicit-any -- the response is any object, known by the format
/** What {@link createAgent} is given. */
export interface CreateAgentParams<
  TResponse extends Record<string, any> = Record<string, any>,
  TSchema extends StateSchemaLike | undefined = undefined,
  TContextSchema extends ContextSchemaLike = AnyAnnotationRoot,
  TFormat = ResponseFormatInput<TResponse> | undefined,
> extends AgentOptions<TSchema, TContextSchema, TFormat> {
  /** Default: none. */
  tools?: readonly AgentTool[];
  /** Before hooks run in this order, after hooks in reverse; the first wraps all others. Default: none. */
  middleware?: readonly AnyAgentMiddleware[];
  /** Make views of the events of every run that `streamEvents` with version "v3" follows. Default: none. */
  streamTransformers?: readonly TransformerFactory[];
}
// oxlint-enable typescript/no-explicit-any

/** What an agent is given beside the lists that tell its types. */
export interface AgentOptions<TSchema, TContextSchema, TFormat> {
  /**
   * A chat model, or the name of one, such as `"openai:gpt-5"`. A name needs the package
   * `langchain`, which is loaded at the first call.
   */
  model: string | AgentLanguageModelLike;
  /** Stands before the context at every call of the model and in neither track. Default, and `""`: none. */
  systemPrompt?: string | SystemMessage;
  /** Keys of the state beside `messages`: a zod object, a `StateSchema` or an `Annotation.Root`. */
  stateSchema?: TSchema;
  /**
   * What the final answer looks like: a schema (zod, Standard Schema, JSON Schema), several to choose
   * from, or a strategy. The answer is `structuredResponse` in what the agent returns. Default: text.
   */
  responseFormat?: TFormat;
  /** What callers pass as `context`. */
  contextSchema?: TContextSchema;
  /** Where threads are kept. Default: nowhere. */
  checkpointer?: BaseCheckpointSaver | boolean;
  /** Memory across threads. */
  store?: BaseStore;
  /** Name of the graph, of the agent's replies, and `lc_agent_name` in the metadata of what it streams. */
  name?: string;
  description?: string;
  /**
   * How a model that several agents share learns which of them said what: `"inline"` sends a reply of
   * an agent with a name as `<name>...</name><content>...</content>`, and takes such tags off what the
   * model says. Default: by the `name` of the message, where the provider has that.
   */
  includeAgentName?: "inline" | undefined;
  /**
   * Calls of the model between two user messages. Reaching it ends the run with a message that says
   * so; the graph's `recursionLimit` throws instead. Default: no limit but that of the steps, which
   * by default is enough for 100 calls.
   */
  maxIterations?: number;
  /**
   * How the calls of one reply run: each as a task of its own ("v2"), which is not run again when
   * another one is interrupted, or all in one task ("v1"). Default: "v2".
   */
  version?: "v1" | "v2";
  /**
   * Most tool calls that run at a time. `maxConcurrency` of a call of the agent goes before. Default: that of the
   * run whose node or tool calls the agent, else 16.
   */
  maxConcurrency?: number;
  /**
   * Milliseconds after which a tool call is answered with an error. A tool's own
   * `metadata.timeoutMs` goes before. Default: no limit.
   */
  toolTimeoutMs?: number;
  /** What a call does when another run holds its thread. Default: "error". */
  onBusy?: OnBusy;
  /**
   * What becomes of a turn whose call is aborted: `"heal"` closes it, with open calls answered as
   * cancelled and half a reply kept as a part; `"leave"` leaves it as it was stored, for
   * `invoke(null)` to go on with: calls that had ended are not run again, but in version "v1". Default: "heal".
   */
  onStop?: OnStop;
  /**
   * Milliseconds after which a turn that was left open (by a crash, by `onStop: "leave"`, by a question
   * that nobody answered) is closed as `heal` does, when the next message comes. One that comes earlier
   * leaves it as it is. A resume is no message. Default: never; costs a look at the thread a call.
   */
  openTurnTimeoutMs?: number;
  /**
   * The context of a thread that is taken up again: `"rebuild"` takes it as it was saved while the
   * middleware that shapes it is configured as it was then, and builds it anew from the history and the
   * last summary when it is not; `"exact"` takes it as it was saved in any case. Default: "rebuild".
   */
  restore?: Restore;
  /** The clock that says when a message was made, in milliseconds since 1970. Default: `Date.now`. */
  now?: () => number;
  /** Ends every run of the agent when it is aborted. */
  signal?: AbortSignal;
}

/** Parameters whose types do not matter any more. */
export type AnyCreateAgentParams = Omit<CreateAgentParams, "stateSchema" | "contextSchema"> & {
  readonly stateSchema?: unknown;
  readonly contextSchema?: unknown;
};
