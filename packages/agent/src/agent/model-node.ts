import type { SystemMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { Command, messagesStateReducer } from "@skein/graph";
import { runtimeOf } from "../middleware/runtime-reader.ts";
import type { ModelChain } from "../model/call.ts";
import type { AgentLanguageModelLike, AgentTool } from "../model/request.ts";
import type { AgentBuiltInState } from "../runtime.ts";
import { besides, finishedBefore, type StateChannels } from "./finished.ts";
import { ITERATIONS_KEY, iterationCounter, limitReached, type Iterations } from "./iterations.ts";
import type { ResponseFormatInput } from "../response/format.ts";
import { RESPONSE_KEY } from "./state.ts";
import { endsDirectly, readTurn } from "./turn.ts";

export interface ModelNodeOptions {
  readonly chain: ModelChain;
  readonly model: () => AgentLanguageModelLike | Promise<AgentLanguageModelLike>;
  readonly tools: readonly AgentTool[];
  readonly systemMessage: SystemMessage;
  readonly returnDirect: ReadonlySet<string>;
  readonly maxIterations: number | undefined;
  readonly responseFormat: ResponseFormatInput | undefined;
  readonly channels: () => StateChannels;
}

type ModelNodeState = AgentBuiltInState & {
  readonly [ITERATIONS_KEY]?: Iterations;
  readonly [RESPONSE_KEY]?: unknown;
};
type ModelNodeResult = Record<string, unknown> | (Record<string, unknown> | Command)[];

/** The node that calls the model. It adds one reply, and whatever commands wraps returned. */
export function modelNode(
  options: ModelNodeOptions,
): (state: ModelNodeState, config: RunnableConfig) => Promise<ModelNodeResult> {
  const { chain, systemMessage, returnDirect, maxIterations, responseFormat, channels } = options;
  const systemPrompt = systemMessage.text;
  // one array for all calls, so that its binding to the model is kept
  const tools = [...options.tools];
  const nextIteration = iterationCounter();
  return async (state, config) => {
    // several calls at once that all return directly: only here are all their results known
    if (returnDirect.size > 0 && endsDirectly(readTurn(state.messages), returnDirect)) return {};
    const update: Record<string, unknown> = {};
    // what an earlier turn answered is not this one's answer
    if (state[RESPONSE_KEY] !== undefined) update[RESPONSE_KEY] = undefined;
    if (maxIterations !== undefined) {
      const next = nextIteration(state.messages, state[ITERATIONS_KEY], config.signal);
      if (next.calls > maxIterations) return { ...update, messages: [limitReached(maxIterations)] };
      update[ITERATIONS_KEY] = next;
    }
    const finding = finishedBefore(state.messages, config);
    const finished = finding && (await finding);
    const messages =
      finished === undefined ? state.messages : messagesStateReducer(state.messages, finished.messages);
    const given = options.model();
    const model = given instanceof Promise ? await given : given;
    const request = {
      model,
      messages,
      systemMessage,
      systemPrompt,
      tools,
      state,
      runtime: runtimeOf(config),
      ...(responseFormat === undefined ? {} : { responseFormat }),
    };
    const { message, answer, commands, isHidden } = await chain(request, { config });
    if (message !== undefined) update["messages"] = [message, ...(answer?.messages ?? [])];
    if (finished !== undefined)
      update["messages"] = [...finished.messages, ...((update["messages"] as []) ?? [])];
    if (answer?.response !== undefined) update[RESPONSE_KEY] = answer.response.value;
    if (finished === undefined) {
      // streams of messages see none within a list of writes
      if (isHidden) return [new Command({ update }), ...commands];
      return commands.length === 0 ? update : [update, ...commands];
    }
    const own = [...Object.entries(update), ...commands.flatMap((one) => one._updateAsTuples())];
    return [update, new Command({ update: besides(finished.update, own, channels()) }), ...commands];
  };
}
