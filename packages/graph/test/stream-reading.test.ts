import { setImmediate as turn } from "node:timers/promises";
import { IterableReadableStream } from "@langchain/core/utils/stream";
import { expect, test } from "vitest";
import { Annotation, START, StateGraph } from "@skein/graph";

const State = Annotation.Root({
  n: Annotation<number, number>({ reducer: (a, b) => a + b, default: () => 0 }),
});
/** Counts to three, then fails if it is to; knows how many of its nodes ran. */
function counting(fails = false) {
  const ran: string[] = [];
  const step = (name: string) => async () => {
    await turn();
    ran.push(name);
    if (fails && name === "c") throw new Error("c failed");
    return { n: 1 };
  };
  const graph = new StateGraph(State)
    .addNode("a", step("a"))
    .addNode("b", step("b"))
    .addNode("c", step("c"))
    .addEdge(START, "a")
    .addEdge("a", "b")
    .addEdge("b", "c")
    .compile();
  return { ran, stream: () => graph.stream({ n: 0 }, { streamMode: "values" }) };
}
const STATES = [{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }];

async function all(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const chunks: unknown[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

test("a stream gives the same chunks to whoever iterates, holds a reader, tees it or asks ahead", async () => {
  const { stream } = counting();
  const iterated = await stream();
  expect(iterated).toBeInstanceOf(IterableReadableStream);
  expect(await all(iterated)).toEqual(STATES);
  const reader = (await stream()).getReader();
  const read: unknown[] = [];
  for (let next = await reader.read(); !next.done; next = await reader.read()) read.push(next.value);
  expect(read).toEqual(STATES);
  const [left, right] = (await stream()).tee();
  expect(await Promise.all([all(left), all(right)])).toEqual([STATES, STATES]);
  const ahead = await stream();
  const asked = await Promise.all(Array.from({ length: 6 }, () => ahead.next()));
  expect(asked.map(({ value }) => value as unknown)).toEqual([...STATES, undefined, undefined]);
});

test("a stream that was read to its end is free and closed; the next reader finds nothing", async () => {
  const stream = await counting().stream();
  await all(stream);
  expect(stream.locked).toBe(false);
  expect(await stream.getReader().read()).toEqual({ done: true, value: undefined });
});

test("while somebody iterates, nobody else can read; a reader that came first keeps the others out", async () => {
  const stream = await counting().stream();
  await stream.next();
  expect(stream.locked).toBe(true);
  expect(() => stream.getReader()).toThrow(TypeError);
  const taken = await counting().stream();
  const reader = taken.getReader();
  await expect(taken.next()).rejects.toThrow(TypeError);
  await Promise.all([reader.cancel(), stream.return()]);
});

test("an error comes after the chunks before it, and breaks the stream for later readers, too", async () => {
  const { stream } = counting(true);
  const broken = await stream();
  const chunks: unknown[] = [];
  const reading = (async () => {
    for await (const chunk of broken) chunks.push(chunk);
  })();
  await expect(reading).rejects.toThrow("c failed");
  expect(chunks).toEqual(STATES.slice(0, 3));
  expect(broken.locked).toBe(false);
  await expect(broken.getReader().read()).rejects.toThrow("c failed");
});

test("who leaves early stops the run, also while a chunk is waited for", async () => {
  const { ran, stream } = counting();
  for await (const _chunk of await stream()) break;
  const waited = await stream();
  await waited.next();
  const next = waited.next();
  await waited.return();
  expect(await next).toEqual({ done: true, value: undefined });
  for (let turns = 0; turns < 20; turns += 1) await turn();
  expect(ran).not.toContain("c");
});
