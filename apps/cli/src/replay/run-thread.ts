import { setImmediate } from "node:timers/promises";
import { SystemMessage, type BaseMessage } from "@langchain/core/messages";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { createAgent, createMiddleware, type AnyAgentMiddleware } from "@skein/agent";
import { createTokenCounter, repair, type RecordedMessage, type RecordedThread } from "@skein/context";
import type { CompactionEvent } from "@skein/middleware/summarization";
import { CoverageWatch, orphansIn } from "./invariants.ts";
import { createPlayback, type Playback } from "./playback.ts";
import { ScriptedModel } from "./scripted-model.ts";
import { scriptedTools } from "./tools.ts";

/** What keeps the context small, made anew for every thread. */
export type ReplayContext = (onEvent: (event: CompactionEvent) => void) => AnyAgentMiddleware[];

export interface ReplayOptions {
  readonly saver: BaseCheckpointSaver;
  readonly context: ReplayContext;
  readonly toolNames: readonly string[];
}

/** What playing one thread showed, before anything is read back. */
export interface Played {
  readonly expected: readonly RecordedMessage[];
  readonly systemMessages: number;
  readonly modelCalls: number;
  readonly compactions: number;
  readonly failedCompactions: number;
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

/** What a replay counts while it runs. */
class Tally {
  modelCalls = 0;
  compactions = 0;
  failedCompactions = 0;
  largestContext = 0;
  orphans = 0;
  readonly uncovered = new Set<string>();
  readonly unsendable = new Set<string>();
  private readonly coverage = new CoverageWatch();
  private readonly counter = createTokenCounter();
  private entered = 0;

  /** What the next request is made of. */
  context: readonly BaseMessage[] = [];

  /** Looks at what the model is sent, or would be if it had something to say. */
  inspect(request: readonly BaseMessage[], tools: readonly unknown[], playback: Playback): void {
    for (; this.entered < playback.position; this.entered += 1) {
      this.coverage.add(playback.messages[this.entered]?.id ?? "");
    }
    this.largestContext = Math.max(
      this.largestContext,
      this.counter.messages(request) + this.counter.tools(tools),
    );
    const missing = this.coverage.missingFrom(request);
    if (missing.length === 0) return;
    // A result without a call stays in the context, where it waits to be covered, and is not sent.
    const dropped = new Set(repair(this.context).report.dropped.map(({ messageId }) => messageId));
    for (const id of missing) (dropped.has(id) ? this.unsendable : this.uncovered).add(id);
  }

  cover(ids: readonly string[]): void {
    this.compactions += 1;
    this.coverage.cover(ids);
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
  const playback = createPlayback(thread.messages, threadId);
  const watch = new Stopwatch();
  const tally = new Tally();
  const agent = scriptedAgent(playback, tally, watch, options);
  const turnMs: number[] = [];
  while (playback.next !== "end") {
    const input = playback.next === "input" ? [playback.takeInput()] : [];
    const config = {
      configurable: { thread_id: threadId },
      recursionLimit: 10_000,
      durability: "sync" as const,
    };
    turnMs.push(await watch.own(() => agent.invoke({ messages: input }, config)));
    // Nothing of a recorded turn waits for the world outside: without this, no Ctrl-C would get through.
    await setImmediate();
  }
  const { modelCalls, compactions, failedCompactions, largestContext, orphans, uncovered, unsendable } =
    tally;
  return {
    expected: playback.expected,
    systemMessages: playback.systemMessages,
    modelCalls,
    compactions,
    failedCompactions,
    largestContext,
    orphans,
    uncovered: uncovered.size,
    unsendable: unsendable.size,
    turnMs,
  };
}

function scriptedAgent(playback: Playback, tally: Tally, watch: Stopwatch, options: ReplayOptions) {
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
  const context = options.context((event) => {
    if (event.type === "compaction-end") tally.cover(event.coveredIds);
    if (event.type === "compaction-failure") tally.failedCompactions += 1;
  });
  // A recording says when the assistant is silent, and when it goes on without being asked.
  const script = createMiddleware({
    name: "Recording",
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
  return createAgent({ model, tools, middleware: [...context, script], checkpointer: options.saver });
}
