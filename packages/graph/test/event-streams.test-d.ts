import { expectTypeOf } from "vitest";
import {
  Annotation,
  type GraphRunStream,
  START,
  StateGraph,
  type StreamChannel,
  type StreamTransformer,
} from "../src/index.ts";

declare const counting: () => StreamTransformer<{ counts: StreamChannel<number> }>;
declare const naming: () => StreamTransformer<{ name: Promise<string> }>;

const graph = new StateGraph(Annotation.Root({ last: Annotation<string> }))
  .addNode("a", () => ({ last: "a" }))
  .addEdge(START, "a");

/** A run stream knows the state and what its transformers make. */
export async function known(): Promise<void> {
  const compiled = graph.compile({ transformers: [counting] });
  const run = await compiled.streamEvents({ last: "x" }, { version: "v3", transformers: [naming] });
  expectTypeOf(run.output).resolves.toEqualTypeOf<{ last: string }>();
  expectTypeOf(run.extensions.counts).toEqualTypeOf<StreamChannel<number>>();
  expectTypeOf(run.extensions.name).toEqualTypeOf<Promise<string>>();
  for await (const values of run.values) expectTypeOf(values).toEqualTypeOf<{ last: string }>();
  // @ts-expect-error -- nobody makes it
  expectTypeOf(run.extensions.other).toBeUndefined();
}

/** Without transformers there are no extensions, and text is bytes. */
export async function plain(): Promise<void> {
  const run = await graph.compile().streamEvents({}, { version: "v3" });
  expectTypeOf(run).toExtend<GraphRunStream<{ last: string }>>();
  const text = await graph.compile().streamEvents({}, { version: "v3", encoding: "text/event-stream" });
  for await (const bytes of text) expectTypeOf(bytes).toEqualTypeOf<Uint8Array>();
  // @ts-expect-error -- a key that the state does not have
  await graph.compile().streamEvents({ lost: 1 }, { version: "v3" });
}
