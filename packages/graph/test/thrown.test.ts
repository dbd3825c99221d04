import { runInNewContext } from "node:vm";
import { END, START, StateGraph } from "@skein/graph";
import { expect, test } from "vitest";
import { SAVERS } from "./support/savers.ts";
import { leaves, sleep, State, thread } from "./support/trail.ts";

const bare = (): object => Object.create(null) as object;

function throwing(thrown: () => unknown) {
  return new StateGraph(State).addNode("bad", () => {
    throw thrown();
  });
}

test.each(SAVERS)(
  "what is no Error and looks like one is stored with its name and message, on %s",
  async (_name, make) => {
    const likeErrors: readonly [unknown, { message: string; name: string }][] = [
      [
        { message: "no quota", name: "ApiError" },
        { message: "no quota", name: "ApiError" },
      ],
      [{ message: "no quota" }, { message: "no quota", name: "Error" }],
      [runInNewContext("new TypeError('elsewhere')"), { message: "elsewhere", name: "TypeError" }],
      [{ name: "a person" }, { message: "[object Object]", name: "Error" }],
    ];
    for (const [thrown, stored] of likeErrors) {
      const graph = throwing(() => thrown)
        .addEdge(START, "bad")
        .compile({ checkpointer: make() });
      await expect(graph.invoke({}, thread)).rejects.toBe(thrown);
      expect((await graph.getState(thread)).tasks[0]?.error).toMatchObject(stored);
    }
  },
);

test.each(SAVERS)("what has no text is thrown as it is, and stored, on %s", async (_name, make) => {
  const thrown = bare();
  const graph = throwing(() => thrown)
    .addEdge(START, "bad")
    .compile({ checkpointer: make() });
  await expect(graph.invoke({}, thread)).rejects.toBe(thrown);
  expect((await graph.getState(thread)).tasks[0]?.error).toMatchObject({
    message: "an object",
    name: "Error",
  });
});

test("what has no text reaches the error handler, after its retries", async () => {
  const thrown = bare();
  let seen: unknown;
  const graph = new StateGraph(State)
    .addNode(
      "bad",
      async () => {
        throw thrown;
      },
      {
        retryPolicy: { maxAttempts: 2, initialInterval: 1, jitter: false },
        errorHandler: (_state, { error }) => {
          seen = error;
          return { trail: ["handled"] };
        },
      },
    )
    .addEdge(START, "bad")
    .addEdge("bad", END)
    .compile();
  expect(await graph.invoke({})).toEqual({ trail: ["handled"] });
  expect(seen).toBe(thrown);
});

test("what cannot even be looked at ends the call beside a sibling, too", async () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const graph = new StateGraph(State)
    .addNode("bad", async () => {
      await sleep(1);
      throw proxy;
    })
    .addNode("sibling", leaves("sibling"))
    .addEdge(START, "bad")
    .addEdge(START, "sibling")
    .compile();
  await expect(graph.invoke({})).rejects.toThrow(TypeError);
});

test("what cannot even be looked at ends the step: no other task begins behind it", async () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const begun: string[] = [];
  const node = (name: string, act: () => unknown) =>
    [
      name,
      () => {
        begun.push(name);
        return act() as object;
      },
    ] as const;
  const throwing = (): never => {
    throw proxy;
  };
  const nodes = [
    node("a slow one", () => sleep(5)),
    node("bad", throwing),
    node("third", () => ({})),
    node("fourth", () => ({})),
  ];
  const graph = new StateGraph(State);
  for (const [name, action] of nodes) graph.addNode(name, action).addEdge(START, name as never);
  await expect(graph.compile().invoke({}, { maxConcurrency: 2 })).rejects.toThrow(/revoked/u);
  await sleep(20);
  expect(begun).toEqual(["a slow one", "bad"]);
});
