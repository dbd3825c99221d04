import { addAbortListener, once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { inspect } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { Annotation, END, START, StateGraph } from "../src/index.ts";
import { abortSource, type AbortSource } from "../src/task/abort.ts";

const sources: Record<string, () => AbortSource> = {
  "of the engine": abortSource,
  "of Node": () => new AbortController(),
};

/** What somebody who has a signal sees of it, before and after it is aborted. */
async function seen(source: AbortSource, reason: unknown): Promise<Record<string, unknown>> {
  const { signal } = source;
  const order: string[] = [];
  const events: Event[] = [];
  const follower = AbortSignal.any([signal, new AbortController().signal]);
  const followerOfFollower = AbortSignal.any([follower]);
  Object.assign(signal, { onabort: () => order.push("onabort") });
  signal.addEventListener("abort", (event) => events.push(event));
  signal.addEventListener("abort", () => order.push("once"), { once: true });
  const removed = (): number => order.push("removed");
  signal.addEventListener("abort", removed);
  signal.removeEventListener("abort", removed);
  signal.addEventListener("abort", { handleEvent: () => order.push("object") });
  addAbortListener(signal, () => order.push("addAbortListener"));
  follower.addEventListener("abort", () => order.push("follower"));
  const heard = once(signal, "abort").then(() => "heard");
  const refused = wait(60_000, undefined, { signal }).catch((error: Error) => [error.name, error.cause]);
  const before = [signal.aborted, signal.reason, inspect(signal), String(signal)];
  source.abort(reason);
  source.abort(new Error("a second one"));
  return {
    before,
    after: [signal.aborted, signal.reason, inspect(signal)],
    thrown: thrownBy(() => signal.throwIfAborted()),
    fetched: await fetch("http://127.0.0.1:9", { signal }).catch((error: unknown) => error),
    follower: [follower.reason, followerOfFollower.aborted],
    late: AbortSignal.any([signal]).reason,
    events: events.map(({ type, isTrusted, target }) => [type, isTrusted, target === signal]),
    order,
    heard: await heard,
    refused: await refused,
    prototype: Object.getPrototypeOf(signal) === AbortSignal.prototype,
    members: Reflect.ownKeys(new Proxy(signal, {})).map(String),
    copied: thrownBy(() => structuredClone(signal)),
  };
}

function thrownBy(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error instanceof DOMException ? error.name : error;
  }
}

describe("signals of the engine on Node", () => {
  beforeAll(() => {
    // the first ones are Node's everywhere: a process that ends soon makes no more
    for (let made = 0; made < 200; made += 1) abortSource();
  });

  it("are put together on Node 20, and made by an AbortController on later ones", () => {
    const isNode20 = process.versions.node.startsWith("20.");
    expect(abortSource() instanceof AbortController).toBe(!isNode20);
  });

  it.each([
    ["an error", new Error("because")],
    ["a text", "because"],
    ["null", null],
    ["an object", { why: 1 }],
  ])("look and act as Node's, aborted with %s", async (_, reason) => {
    const [own, nodes] = await Promise.all(Object.values(sources).map((make) => seen(make(), reason)));
    expect(own).toEqual(nodes);
  });

  it("have Node's reason where none is given", () => {
    const reasons = Object.values(sources).map((make) => {
      const source = make();
      source.abort(undefined);
      return source.signal.reason as DOMException;
    });
    expect(reasons.map(({ name, message }) => [name, message])).toEqual([
      ["AbortError", "This operation was aborted"],
      ["AbortError", "This operation was aborted"],
    ]);
  });

  it("do not know of each other", () => {
    const [one, other] = [abortSource(), abortSource()];
    const told: string[] = [];
    one.signal.addEventListener("abort", () => told.push("one"));
    other.signal.addEventListener("abort", () => told.push("other"));
    one.abort("why");
    expect([told, other.signal.aborted]).toEqual([["one"], false]);
  });

  it("reach nodes, and what a node follows by them is aborted with the run", async () => {
    const State = Annotation.Root({ x: Annotation<number> });
    const reasons: unknown[] = [];
    const graph = new StateGraph(State)
      .addNode("wait", async (_state, { signal }) => {
        const within = AbortSignal.any([signal as AbortSignal]);
        await wait(60_000, undefined, { signal: within }).catch(() => reasons.push(within.reason));
        return { x: 1 };
      })
      .addEdge(START, "wait")
      .addEdge("wait", END)
      .compile();
    const stop = new AbortController();
    const run = graph.invoke({ x: 0 }, { signal: stop.signal });
    await wait(10);
    const reason = new Error("stopped");
    stop.abort(reason);
    await expect(run).rejects.toBe(reason);
    await wait(0);
    expect(reasons).toEqual([reason]);
  });
});
