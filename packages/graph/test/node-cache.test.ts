import { BaseCache, InMemoryCache } from "@langchain/langgraph-checkpoint";
import { Send, START, StateGraph } from "@skein/graph";
import { afterEach, describe, expect, test, vi } from "vitest";
import { leaves, type S, sleep, State } from "./support/trail.ts";

afterEach(() => {
  vi.useRealTimers();
});

const counted = (ran: { times: number }) => async (): Promise<Partial<S>> => {
  ran.times += 1;
  await sleep(1);
  return { trail: [`run ${ran.times}`] };
};

const twice = () => [1, 2].map((n) => new Send("work", { n }));
const work = async ({ n }: { n: number }) => {
  await sleep(1);
  return { trail: [`work ${n}`] };
};

describe("results that are used again", () => {
  test("for equal inputs of one step, each is asked for once", async () => {
    const asked: number[] = [];
    class Noting extends InMemoryCache {
      override get(keys: Parameters<InMemoryCache["get"]>[0]) {
        asked.push(keys.length);
        return super.get(keys);
      }
    }
    const ran = { times: 0 };
    const cache = new Noting();
    const graph = new StateGraph(State)
      .addNode("work", counted(ran), { cachePolicy: true })
      .addConditionalEdges(START, () => [1, 1, 2].map((n) => new Send("work", { n })))
      .compile({ cache });
    await graph.invoke({});
    expect((await graph.invoke({})).trail).toHaveLength(3);
    expect(ran.times).toBe(3);
    expect(asked).toEqual([2, 2]);
  });

  test("until their time is over", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const ran = { times: 0 };
    const graph = new StateGraph(State)
      .addNode("work", counted(ran), { cachePolicy: { ttl: 60 } })
      .addEdge(START, "work")
      .compile({ cache: new InMemoryCache() });
    await graph.invoke({});
    vi.setSystemTime(Date.now() + 59_000);
    await graph.invoke({});
    expect(ran.times).toBe(1);
    vi.setSystemTime(Date.now() + 2_000);
    await graph.invoke({});
    expect(ran.times).toBe(2);
  });

  test("a cache that cannot be written fails no run; one that cannot be read does", async () => {
    class Broken extends BaseCache {
      readable = true;
      async get(): Promise<[]> {
        if (this.readable) return [];
        throw new Error("cannot be read");
      }
      async set(): Promise<void> {
        throw new Error("cannot be written");
      }
      async clear(): Promise<void> {}
    }
    const cache = new Broken();
    const graph = new StateGraph(State)
      .addNode("work", leaves("work"), { cachePolicy: true })
      .addEdge(START, "work")
      .compile({ cache });
    expect((await graph.invoke({})).trail).toEqual(["work"]);
    cache.readable = false;
    await expect(graph.invoke({})).rejects.toThrow("cannot be read");
  });

  test("a cache that throws at once when it is written fails no run", async () => {
    class Broken extends BaseCache {
      async get(): Promise<[]> {
        return [];
      }
      set(): Promise<void> {
        throw new Error("cannot be written");
      }
      async clear(): Promise<void> {}
    }
    const graph = new StateGraph(State)
      .addNode("work", work, { cachePolicy: true })
      .addConditionalEdges(START, twice)
      .compile({ cache: new Broken() });
    expect((await graph.invoke({})).trail).toEqual(["work 1", "work 2"]);
  });

  test.each([
    ["nothing", () => undefined],
    ["a promise", async () => "late"],
    ["a number", () => 1],
  ])("a keyFunc that returns %s is refused: all inputs would share a result", async (_what, keyFunc) => {
    const graph = new StateGraph(State)
      .addNode("work", work, { cachePolicy: { keyFunc: keyFunc as unknown as () => string } })
      .addConditionalEdges(START, twice)
      .compile({ cache: new InMemoryCache() });
    await expect(graph.invoke({})).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
  });
});
