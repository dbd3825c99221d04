import type { CallbackManagerForChainRun } from "@langchain/core/callbacks/manager";
import type { ChainValues } from "@langchain/core/utils/types";
import type { Awaitable } from "@skein/checkpointer";
import { inTheEnd, reasonOf, unlessAborted } from "../run/abort.ts";
import { nextTurn } from "../run/breathe.ts";
import { writeChunk } from "../run/custom.ts";
import { handedOver, written } from "../run/joined-store.ts";
import { openRun } from "../run/open.ts";
import { drive } from "../run/drive.ts";
import { tellInterrupted } from "../run/lifecycle.ts";
import { inheritedBy, type Run, type RunListener } from "../run/run.ts";
import { GraphInterrupt } from "../errors/signals.ts";
import { segments } from "../ids/namespace.ts";
import { foreignTask } from "../task/config.ts";
import { fan } from "../stream/fan.ts";
import type { StreamSink, Turn } from "../stream/modes.ts";
import { outputOf } from "../stream/payloads.ts";
import { Projector } from "../stream/projector.ts";
import { Deadline } from "./deadline.ts";
import { type Call, type CompiledSettings, type ExtraHandlers, prepareRun } from "./prepare.ts";

/** How a call follows its run. */
export interface Following {
  readonly outputKeys: readonly string[];
  readonly bareKey: string | undefined;
  /** The graph is the node of the task that calls it. */
  readonly isNode: boolean;
  /** Takes the run's own events; for a result. */
  readonly listener: RunListener | undefined;
  /** Takes the run's chunks; for a stream. */
  readonly sink: StreamSink | undefined;
  /** What of it graphs called by nodes fill, too. */
  readonly nested: StreamSink | undefined;
  readonly handlers: ExtraHandlers;
  /** Lets the reader of a stream read, between steps. */
  readonly turn: Turn | undefined;
}

/**
 * Makes one run, once it is its turn to begin, from its beginning to its end. Resolves when it is done or, for a graph that nobody
 * called, when it waits; a called one throws its interrupt through its caller.
 */
export async function runCall(
  settings: CompiledSettings,
  call: Call,
  input: unknown,
  following: Following,
): Promise<Run> {
  let current: Run | undefined;
  const writer = (chunk: unknown): void => {
    if (current !== undefined) writeChunk(current, chunk);
  };
  const { outputKeys, bareKey, isNode, handlers } = following;
  const extra = { outputKeys, bareKey, writer, handlers };
  const { options, signal: given, announce } = prepareRun(settings, call, input, extra);
  following.sink?.begin?.(segments(options.namespace));
  const above = (inheritedBy(call.parent)?.options.nested ?? []) as readonly StreamSink[];
  const sinks = [...above, ...(following.sink === undefined ? [] : [following.sink])];
  const turn = following.turn ?? above.find((sink) => sink.turn !== undefined)?.turn;
  const projector = sinks.length === 0 ? undefined : new Projector(options.namespace, sinks, turn);
  const printer = (call.config.debug ?? settings.debug) === true ? await debugPrinter() : undefined;
  const limits = { timeout: call.config.timeout, stepTimeout: settings.stepTimeout };
  const deadline = Deadline.of(limits, given);
  const listener = fan([following.listener, projector, printer, deadline]);
  const signal = deadline?.signal ?? given;
  const nested = following.nested === undefined ? above : [...above, following.nested];
  const isAsked = call.parent?.hasAsked(settings.program, input) ?? false;
  let callbacks: CallbackManagerForChainRun | undefined;
  let run: Run;
  try {
    callbacks = announce === undefined ? undefined : await announced(announce(), signal);
    const opened = openRun({ listener, callbacks, nested, isNode, signal, ...options });
    run = opened instanceof Promise ? await opened : opened;
    current = run;
    await drive(run);
    if (run.status === "interrupted") {
      const { parent } = call;
      // I8: also when the node that called this graph catches the signal, and beside other graphs that wait
      const question = run.question ?? new GraphInterrupt();
      if (!isAsked) parent?.graphWaits(question, settings.program, input);
      if (parent ?? foreignTask(call.configurable, parent)) throw question;
      const told = tellInterrupted(run);
      if (told !== undefined) await inTheEnd(told, signal);
    }
    // for a store that is inherited, the graph waits that had it first
    const isOwn = options.store !== inheritedBy(call.parent)?.options.store;
    const writes = isOwn ? written(options.store, signal) : undefined;
    if (writes !== undefined) await writes;
    if (callbacks !== undefined) {
      await inTheEnd(callbacks.handleChainEnd((outputOf(run) ?? {}) as ChainValues), signal);
    }
  } catch (error) {
    if (callbacks !== undefined) await inTheEnd(callbacks.handleChainError(error), signal);
    throw error;
  } finally {
    deadline?.end();
    const storing = handedOver(options.store);
    if (storing !== undefined) await storing;
    // LangChain tells handlers by a queue unless they are to be awaited: whoever called finds them told
    if (call.parent === undefined && callbacks?.handlers.some(({ awaitHandlers }) => !awaitHandlers)) {
      await nextTurn();
    }
  }
  return run;
}

/** What tells callbacks of the run; one that nobody waited for is told that it failed. */
function announced(
  announcement: Promise<CallbackManagerForChainRun>,
  signal: AbortSignal | undefined,
): Awaitable<CallbackManagerForChainRun> {
  return unlessAborted(announcement, signal, (late) => late.handleChainError(signal && reasonOf(signal)));
}

/** Loaded when somebody debugs. */
async function debugPrinter(): Promise<RunListener> {
  const { DebugPrinter } = await import("../stream/debug-printer.ts");
  return new DebugPrinter(outputOf);
}
