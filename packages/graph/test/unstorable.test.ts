import { MemorySaver } from "@skein/checkpointer";
import { describe, expect, it } from "vitest";
import { Annotation, type Durability, START, StateGraph } from "../src/index.ts";

const State = Annotation.Root({
  one: Annotation<unknown>(),
  __mine: Annotation<unknown>(),
  list: Annotation<unknown[]>({ reducer: (left, right) => left.concat(right), default: () => [] }),
});
const thread = { configurable: { thread_id: "t" } };
const bad = { deep: ["kept", () => {}] };

const returning = (update: object) =>
  new StateGraph(State)
    .addNode("node", () => update as typeof State.Update)
    .addEdge(START, "node")
    .compile({ checkpointer: new MemorySaver() });

const told = (channel: string, message: string, path: readonly unknown[]) =>
  expect.objectContaining({
    code: "UNSTORABLE_VALUE",
    message: expect.stringContaining(message) as string,
    details: expect.objectContaining({ ...(channel !== "" && { channel }), path }) as object,
  }) as Error;

describe.each<Durability>(["sync", "async", "exit"])("what cannot be stored (F9), %s", (durability) => {
  it.each([
    ["one", { one: bad }, "", []],
    ["__mine", { __mine: bad }, "", []],
    ["list", { list: [bad] }, "element 0: ", [0]],
  ])("is told by its channel and its path there: %s", async (channel, update, place, at) => {
    const run = returning(update).invoke({ one: "in" }, { ...thread, durability });
    const message = `Channel "${channel}": ${place}"deep[1]" holds`;
    await expect(run).rejects.toEqual(told(channel, message, [...at, "deep", 1]));
    const whole = returning({ one: () => {} }).invoke({ one: "in" }, { ...thread, durability });
    await expect(whole).rejects.toEqual(told("one", 'Channel "one": The value holds', []));
  });
});

it("what cannot be stored of an input is told by a path that begins with its channel (F9)", async () => {
  const run = returning({}).invoke({ one: bad }, thread);
  await expect(run).rejects.toEqual(told("", '"one.deep[1]" holds', ["one", "deep", 1]));
  await expect(run).rejects.not.toThrow("Channel");
});
