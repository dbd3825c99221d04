import type { GraphRunStream, ProtocolEvent } from "@langchain/langgraph";
import type { LangGraph } from "../engines.ts";
import { plainError } from "../normalise.ts";
import type { Recorder } from "../recorder.ts";
import { leaves, trailState } from "./kit.ts";

export const V3 = { version: "v3" } as const;

/** A run stream of either engine, of whatever state. */
// oxlint-disable-next-line typescript/no-explicit-any -- its state does not matter here
export type Run = GraphRunStream<any, any>;

/** What came, and why no more did. */
export async function listed<T>(items: AsyncIterable<T>, shown: (item: T) => unknown = (item) => item) {
  const seen: unknown[] = [];
  try {
    for await (const item of items) seen.push(shown(item));
  } catch (error) {
    seen.push({ failed: plainError(error) });
  }
  return seen;
}

/** An event without its time. */
export function untimed(event: {
  seq: number;
  method: string;
  params: { namespace: string[]; node?: string; data: unknown };
}): unknown {
  const { seq, method, params } = event;
  return [seq, method, params.namespace, params.node ?? "no node", params.data];
}

/** A lifecycle entry without its time. */
export const stage = (entry: object): unknown => ({ ...entry, timestamp: undefined });

/** What a promise comes to. */
export async function settled(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    return { value: await promise };
  } catch (error) {
    return { failed: plainError(error) };
  }
}

type Message = Run["messages"] extends AsyncIterable<infer M> ? M : never;

/** Messages of a run, each with all its views. */
export async function said(messages: AsyncIterable<Message>): Promise<unknown[]> {
  const seen: Promise<unknown>[] = [];
  const failed = await listed(messages, (message) => {
    seen.push(viewsOf(message));
    return "a message";
  });
  return [await Promise.all(seen), failed];
}

async function viewsOf(message: Message): Promise<unknown> {
  const { namespace, node } = message;
  return {
    place: [namespace, node],
    tokens: await listed(message.text),
    text: await settled(message.text),
    reasoning: await settled(message.reasoning),
    calls: await settled(message.toolCalls),
    usage: await settled(message.usage),
    events: await listed(message),
    whole: await settled(message.output),
  };
}

/** Events, states, lifecycle and end of a run, all read at once. */
export async function noteRun(t: Recorder, run: Run): Promise<void> {
  const [events, values, lifecycle, output] = await Promise.all([
    listed(run, untimed),
    listed(run.values),
    listed(run.lifecycle, stage),
    settled(run.output),
  ]);
  t.note("events", events);
  t.note("values", values);
  t.note("lifecycle", lifecycle);
  t.note("output", output);
  t.note("interrupted", [run.interrupted, run.interrupts]);
}

/** a -> b */
export const chain = (lg: LangGraph) =>
  new lg.StateGraph(trailState(lg))
    .addNode({ a: leaves("a"), b: leaves("b") })
    .addEdge(lg.START, "a")
    .addEdge("a", "b");

/** Counts the events of each method; shows the count after each. */
export const counting = (lg: LangGraph, name: string) => () => {
  const counts: Record<string, number> = {};
  const log = lg.StreamChannel.local<unknown>();
  return {
    init: () => ({ [name]: log }),
    process({ method }: ProtocolEvent) {
      counts[method] = (counts[method] ?? 0) + 1;
      log.push({ ...counts });
      return true;
    },
  };
};

/** A promise, and how to settle it. */
export function later<T>() {
  const settle: { resolve?: (value: T) => void; reject?: (error: unknown) => void } = {};
  const promise = new Promise<T>((resolve, reject) => Object.assign(settle, { resolve, reject }));
  return {
    promise,
    resolve: (value: T) => settle.resolve?.(value),
    reject: (error: unknown) => settle.reject?.(error),
  };
}
