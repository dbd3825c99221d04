import { setImmediate } from "node:timers/promises";
import { SystemMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { createAgent, createMiddleware, type AnyAgentMiddleware } from "@skein/agent";
import type { RecordedMessage, RecordedThread, SystemPolicy } from "@skein/context";
import type { CompactionEvent } from "@skein/middleware/summarization";
import { z } from "zod";
import { REPLAYED } from "../options.ts";
import { orphansIn } from "./invariants.ts";
import { createPlayback, type Playback } from "./playback.ts";
import { ScriptedModel } from "./scripted-model.ts";
import { Tally, type Shaping } from "./tally.ts";
import { scriptedTools } from "./tools.ts";

/** What keeps the context small, made anew for every thread. */
export type ReplayContext = (onEvent: (event: CompactionEvent) => void) => AnyAgentMiddleware[];

export interface ReplayOptions {
  readonly saver: BaseCheckpointSaver;
  readonly context: ReplayContext;
  /** Tokens that no prompt may have unless an event says so. */
  readonly max: number;
  readonly toolNames: readonly string[];
  /** What becomes of system messages. Default: they stay outside of the tracks. */
  readonly system?: SystemPolicy | undefined;
}

/** What playing one thread showed, before anything is read back. */
export interface Played extends Shaping {
  readonly expected: readonly RecordedMessage[];
  readonly systemMessages: number;
  readonly modelCalls: number;
  /** Tokens, the prompt and the tools included. */
  readonly largestContext: number;
  readonly orphans: number;
  /** Messages that were, at some moment, neither in the window nor covered. */
  readonly uncovered: number;
  /** Results without a call in the recording itself: in the context, but no provider takes them. */
  readonly unsendable: number;
  /** Of each turn: wall time without model, tools and our checks. */
  readonly turnMs: readonly number[];
}

/** Milliseconds that belong to others: the model, the tools, the checks of this replay. */
class Stopwatch {
  private foreign = 0;

  exclude<Result>(work: () => Result): Result {
    const started = performance.now();
    try {
      return work();
    } finally {
      this.foreign += performance.now() - started;
    }
  }

  async own(work: () => Promise<unknown>): Promise<number> {
    this.foreign = 0;
    const started = performance.now();
    await work();
    return performance.now() - started - this.foreign;
  }
}

/**
 * Drives one recording through the real agent: a turn for every message that is not the assistant's,
 * and for assistant messages that nobody asked for.
 */
export async function playThread(
  thread: RecordedThread,
  threadId: string,
  options: ReplayOptions,
): Promise<Played> {
  const playback = createPlayback(thread.messages, threadId, options.system);
  const watch = new Stopwatch();
  const tally = new Tally(options.max);
  const agentOf = scriptedAgents(playback, tally, watch, options);
  const turnMs: number[] = [];
  while (playback.next !== "end") {
    const agent = agentOf(playback.systemPrompt);
    const input = playback.next === "input" ? [playback.takeInput()] : [];
    const config = {
      configurable: { thread_id: threadId },
      recursionLimit: 10_000,
      durability: "sync" as const,
      streamMode: "custom" as const,
    };
    turnMs.push(
      await watch.own(async () => {
        const given = { messages: input, ...(turnMs.length === 0 && { [REPLAYED]: true }) };
        for await (const chunk of await agent.stream(given, config)) tally.custom(chunk);
      }),
    );
    // Nothing of a recorded turn waits for the world outside: without this, no Ctrl-C would get through.
    await setImmediate();
  }
  const { modelCalls, largestContext, orphans, uncovered, unsendable } = tally;
  return {
    expected: playback.expected,
    systemMessages: playback.systemMessages,
    modelCalls,
    largestContext,
    orphans,
    uncovered: uncovered.size,
    unsendable: unsendable.size,
    turnMs,
    ...tally.shaping(),
  };
}

/** An agent for each system prompt, as `createAgent` takes one only; all share what shapes the context. */
function scriptedAgents(playback: Playback, tally: Tally, watch: Stopwatch, options: ReplayOptions) {
  const tools = scriptedTools(options.toolNames, (callId) =>
    watch.exclude(() => playback.takeResults(callId)),
  );
  const model = new ScriptedModel((request) =>
    watch.exclude(() => {
      tally.modelCalls += 1;
      tally.orphans += orphansIn(request);
      tally.inspect(request, tools, playback);
      return playback.takeAssistant();
    }),
  );
  const context = options.context((event) => tally.compaction(event));
  // A recording says when the assistant is silent, and when it goes on without being asked; and its
  // system prompt may change within a turn.
  const script = createMiddleware({
    name: "Recording",
    stateSchema: z.object({ [REPLAYED]: z.boolean().optional() }),
    beforeModel: {
      canJumpTo: ["end"],
      hook: (state) => {
        if (playback.next === "assistant") return undefined;
        tally.context = state.messages;
        const prompt = playback.systemPrompt === "" ? [] : [new SystemMessage(playback.systemPrompt)];
        watch.exclude(() => tally.inspect([...prompt, ...state.messages], tools, playback));
        return { jumpTo: "end" as const };
      },
    },
    wrapModelCall: (request, handler) => {
      tally.context = request.state.messages;
      return handler({ ...request, systemMessage: new SystemMessage(playback.systemPrompt) });
    },
  });
  const agents = new Map<string, ReturnType<typeof agentWith>>();
  const agentWith = (systemPrompt: string) =>
    createAgent({
      model,
      tools,
      systemPrompt,
      middleware: [...context, script],
      checkpointer: options.saver,
    });
  return (systemPrompt: string) => {
    const agent = agents.get(systemPrompt) ?? agentWith(systemPrompt);
    agents.set(systemPrompt, agent);
    return agent;
  };
}
