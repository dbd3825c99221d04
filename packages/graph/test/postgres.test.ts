import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { PostgresSaver } from "@skein/checkpointer/postgres";
import { Annotation, END, MessagesAnnotation, START, StateGraph } from "@skein/graph";
import { expect, it } from "vitest";
import { countingSaver, newSchema, openPostgres } from "../../checkpointer/test/support/postgres.ts";

const State = Annotation.Root({ ...MessagesAnnotation.spec, count: Annotation<number>() });

const loop = (checkpointer: PostgresSaver, until: number) =>
  new StateGraph(State)
    .addNode("model", ({ count = 0, messages }) => ({
      count: count + 1,
      messages: [new AIMessage({ id: `a${messages.length}`, content: "answer" })],
    }))
    .addEdge(START, "model")
    .addConditionalEdges("model", ({ count }) => (count < until ? "model" : END), ["model", END])
    .compile({ checkpointer });

it("a superstep of one task is one round trip, however long the thread is", async () => {
  const schema = newSchema();
  const { saver, sent } = await countingSaver(schema);
  const trips = async (steps: number, from = saver, count = sent): Promise<number> => {
    count.length = 0;
    const config = { durability: "sync" as const, recursionLimit: 100, configurable: { thread_id: "t" } };
    await loop(from, steps).invoke({ messages: [new HumanMessage("question")], count: 0 }, config);
    return count.length;
  };
  // the first run of a program in a database also tells it the names of channels and nodes
  await trips(2);
  const ten = await trips(10);
  expect((await trips(30)) - (await trips(20))).toBe(10);
  expect(await trips(10)).toBe(ten);
  const cold = await countingSaver(schema);
  // a process that knows nothing of the thread reads its lists in one more
  expect(await trips(10, cold.saver, cold.sent)).toBeLessThanOrEqual(ten + 1);
});

it("two runs on one thread at once: the loser is told before it runs a node", async () => {
  const storage = openPostgres();
  const thread = { configurable: { thread_id: "t" } };
  let ran = 0;
  let tell: () => void;
  const refused = new Promise<void>((resolve) => (tell = resolve));
  const call = (checkpointer: PostgresSaver) =>
    new StateGraph(State)
      .addNode("slow", async () => {
        ran += 1;
        await refused;
        return { count: ran };
      })
      .addEdge(START, "slow")
      .compile({ checkpointer })
      .invoke({ count: 0 }, thread)
      .catch((error: unknown) => {
        tell();
        throw error;
      });
  const both = await Promise.allSettled([call(storage.saver), call(storage.reopen())]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(both.find(({ status }) => status === "rejected")).toMatchObject({
    reason: { code: "THREAD_CONFLICT" },
  });
  expect(ran).toBe(1);
  await storage.close();
});
