import { describe, expect, it } from "vitest";
import { createMessagesTransformer, isStreamChannel, StreamChannel } from "../src/index.ts";

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe("StreamChannel", () => {
  it("shows every reader all items, whenever it comes", async () => {
    const channel = StreamChannel.local<number>();
    const early = all(channel);
    channel.push(1);
    await Promise.resolve();
    channel.push(2);
    const fromSecond = all(channel.toAsyncIterable(1));
    channel.close();
    expect(await early).toEqual([1, 2]);
    expect(await fromSecond).toEqual([2]);
    expect(await all(channel)).toEqual([1, 2]);
    expect([channel.size, channel.done, channel.get(1)]).toEqual([2, true, 2]);
    expect(() => channel.get(2)).toThrow(RangeError);
  });

  it("fails its readers after the last item", async () => {
    const channel = new StreamChannel<string>("named");
    channel.push("a");
    channel.fail(new Error("broken"));
    const reader = channel[Symbol.asyncIterator]();
    expect(await reader.next()).toEqual({ value: "a", done: false });
    await expect(reader.next()).rejects.toThrow("broken");
  });

  it("writes server-sent events, a line of data for each line of text", async () => {
    const channel = StreamChannel.remote<string>("notes");
    channel.push("a\nb");
    channel.close();
    const text = await new Response(channel.toEventStream({ serialize: (item) => item })).text();
    expect(text).toBe("event: notes\ndata: a\ndata: b\n\n");
  });

  it("is known by its brand, not by its class", () => {
    const foreign = { [Symbol.for("langgraph.stream_channel")]: true };
    expect([isStreamChannel(StreamChannel.local()), isStreamChannel(foreign), isStreamChannel({})]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

const event = (namespace: string[], data: object, node = "model") =>
  ({ type: "event", seq: 0, method: "messages", params: { namespace, timestamp: 0, node, data } }) as const;
const write = (run: string, text: string) => [
  { event: "message-start", run_id: run, id: `m-${run}` },
  { event: "content-block-start", run_id: run, index: 0, content: { type: "text", text: "" } },
  { event: "content-block-delta", run_id: run, index: 0, delta: { type: "text-delta", text } },
  { event: "content-block-finish", run_id: run, index: 0, content: { type: "text", text } },
  { event: "message-finish", run_id: run, reason: "stop" },
];

describe("createMessagesTransformer", () => {
  it("tells messages apart that are written at the same time", async () => {
    const transformer = createMessagesTransformer([]);
    const { messages } = transformer.init();
    const [a, b] = [write("1", "one"), write("2", "two")];
    for (const [index, data] of a.entries()) {
      transformer.process(event(["n:1"], data));
      transformer.process(event(["n:2"], b[index] as object));
    }
    await transformer.finalize?.();
    const streams = await all(messages);
    expect(await Promise.all(streams.map((stream) => stream.text))).toEqual(["one", "two"]);
    expect(streams.map(({ namespace, node }) => [namespace, node])).toEqual([
      [["n:1"], "model"],
      [["n:2"], "model"],
    ]);
  });

  it("leaves out tools' results, other nodes and graphs further down", async () => {
    const transformer = createMessagesTransformer(["a"], "model");
    const { messages } = transformer.init();
    transformer.process(event(["a", "n"], { event: "message-start", run_id: "t", role: "tool" }));
    transformer.process(event(["a", "n"], { event: "message-finish", run_id: "t" }));
    for (const data of write("1", "x")) transformer.process(event(["a", "n"], data, "other"));
    for (const data of write("2", "x")) transformer.process(event(["a", "n", "deeper"], data));
    for (const data of write("3", "x")) transformer.process(event(["b", "n"], data));
    await transformer.finalize?.();
    expect(await all(messages)).toEqual([]);
  });

  it("fails a message that the run did not finish, and ends one that a run left open", async () => {
    const failing = createMessagesTransformer([]);
    const { messages } = failing.init();
    failing.process(event(["n"], { event: "message-start", run_id: "1" }));
    failing.fail?.(new Error("run failed"));
    const reader = messages[Symbol.asyncIterator]();
    const { value } = await reader.next();
    await expect(all(value as AsyncIterable<unknown>)).rejects.toThrow("run failed");
    await expect(reader.next()).rejects.toThrow("run failed");

    const leaving = createMessagesTransformer([]);
    const left = leaving.init().messages;
    leaving.process(event(["n"], { event: "message-start", run_id: "1" }));
    await leaving.finalize?.();
    const [stream] = await all(left);
    expect((await all(stream as AsyncIterable<{ event: string }>)).at(-1)?.event).toBe("message-finish");
  });
});
